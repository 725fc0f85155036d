"""Prints what a workbook's cells are, as JSON: sheets by name, rows of [kind, value]. Reads the file by the standard
(ECMA-376) with nothing but a ZIP and an XML parser. Kinds: text, number, date (local, ISO 8601), formula, nothing.
Argument: the file."""
import json
import re
import sys
import xml.etree.ElementTree as xml
import zipfile
from datetime import datetime, timedelta

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


def unescaped(text):
    return re.sub(r"_x([0-9A-Fa-f]{4})_", lambda found: chr(int(found[1], 16)), text)


def column_of(reference):
    number = 0
    for letter in re.match(r"[A-Z]+", reference)[0]:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def date_styles(styles):
    formats = {int(f.get("numFmtId")): f.get("formatCode") for f in styles.iter(MAIN + "numFmt")}
    cells = styles.find(MAIN + "cellXfs")
    return [bool(re.search(r"[dmyhs]", formats.get(int(xf.get("numFmtId")), ""))) for xf in cells]


def cell_of(cell, is_date):
    if cell.find(MAIN + "f") is not None:
        return ["formula", cell.findtext(MAIN + "f")]
    if cell.get("t") == "inlineStr":
        return ["text", unescaped("".join(t.text or "" for t in cell.iter(MAIN + "t")))]
    value = cell.findtext(MAIN + "v")
    if value is None:
        return ["nothing", None]
    if is_date[int(cell.get("s", "0"))]:
        moment = datetime(1899, 12, 30) + timedelta(milliseconds=round(float(value) * 86_400_000))
        return ["date", moment.isoformat(timespec="milliseconds")]
    return ["number", float(value)]


def rows_of(sheet, is_date):
    rows = []
    for row in sheet.iter(MAIN + "row"):
        cells = []
        for cell in row:
            at = column_of(cell.get("r"))
            cells += [["nothing", None]] * (at - len(cells))
            cells.append(cell_of(cell, is_date))
        rows.append(cells)
    return rows


with zipfile.ZipFile(sys.argv[1]) as book:
    assert book.testzip() is None
    styles = xml.fromstring(book.read("xl/styles.xml"))
    relations = {r.get("Id"): r.get("Target") for r in xml.fromstring(book.read("xl/_rels/workbook.xml.rels"))}
    sheets = {}
    for sheet in xml.fromstring(book.read("xl/workbook.xml")).iter(MAIN + "sheet"):
        text = book.read("xl/" + relations[sheet.get(RELATION)])
        sheets[sheet.get("name")] = rows_of(xml.fromstring(text), date_styles(styles))
json.dump(sheets, sys.stdout)
