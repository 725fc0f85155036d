#!/usr/bin/python3
"""Usage: check_links.py ROOT SITE

Checks that every link and anchor leads somewhere: those of the built site SITE, which may ask no other host for anything;
those of the repository's documents outside docs; and the paths and names of documents in sources, errors and comments.
Prints what does not."""
import os
import re
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import markdown

root, site = (Path(argument).resolve() for argument in sys.argv[1:3])
problems = []

# What a browser loads by itself, rather than when a reader follows it.
loads = {("img", "src"), ("script", "src"), ("link", "href"), ("source", "src"), ("source", "srcset"), ("img", "srcset"),
         ("iframe", "src"), ("video", "src"), ("object", "data"), ("use", "href"), ("image", "href")}


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids = {"", "__top"}
        self.links = []  # (line, target, whether a browser loads it)
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            value = value or ""
            if name == "id" or (tag == "a" and name == "name"):
                self.ids.add(value)
            elif (tag, name) in loads or name in ("href", "src"):
                for target in (each.split()[0] for each in (value.split(",") if name == "srcset" else [value]) if each.strip()):
                    self.links.append((self.getpos()[0], target.strip(), (tag, name) in loads))


@cache
def page_of(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix in (".md", ".txt"):
        if path.name == "CHANGELOG.md":  # what is released is not rewritten
            text = re.split(r"^## [0-9]", text, maxsplit=1, flags=re.MULTILINE)[0]
        text = markdown.markdown(text, extensions=["attr_list", "fenced_code", "md_in_html", "tables", "toc"])
    return Page(text)


def check_page(path, base, name):
    """`base` is the folder that '/' stands for."""
    for line, target, is_loaded in page_of(path).links:
        where = f"{name}:{line}" if path.suffix != ".md" else name
        if re.match(r"[a-z][a-z0-9+.-]*:|//", target, re.IGNORECASE):
            if is_loaded and not target.startswith("data:"):
                problems.append(f"{where}: another host is asked for {target}")
            continue
        target, anchor = urldefrag(target)
        target = unquote(target).split("?")[0]
        found = path if not target else base / target[1:] if target.startswith("/") else path.parent / target
        if found.is_dir() and path.suffix == ".html":
            found = found / "index.html"
        if not found.exists():
            problems.append(f"{where}: a link to {target}, which does not exist")
        elif anchor and found.suffix in (".html", ".md") and unquote(anchor) not in page_of(found.resolve()).ids:
            problems.append(f"{where}: {target or 'the page'} has no #{anchor}")


def sources():
    """The repository's files, of git or, in a copy without it, of the tree."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, check=False)
    if listed.returncode == 0:
        names = listed.stdout.decode().split("\0")
    else:
        names = []
        for folder, folders, files in os.walk(root):
            folders[:] = [each for each in folders if each not in ("build", "data", "node_modules", ".git", "__pycache__")]
            names += [os.path.relpath(os.path.join(folder, file), root) for file in files]
    return sorted(name for name in names if name and (root / name).is_file())


# A path below docs with its anchor, but not the end of a longer path or of an address.
named_path = re.compile(r"(?<![\w/.-])docs/[A-Za-z0-9_./-]*[A-Za-z0-9_](?:\.md#[A-Za-z0-9_-]+|#[a-z0-9-]+)?")
# A document that is named without its folder.
bare_name = re.compile(r"(?<![\w/.*-])[A-Z][A-Z_]{3,}\.md\b")
# The change log names documents that have gone; those of the others are invented.
exempt = re.compile(r"CHANGELOG\.md|tests/structure/check_\w+_test|tests/handbooks/check_runner|.*/(vendor|fixtures|golden)/.*")


def check_names(name):
    try:
        text = (root / name).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    if "docs/" not in text and ".md" not in text:
        return
    for number, line in enumerate(text.split("\n"), 1):
        for path in named_path.findall(line):
            path, anchor = urldefrag(path)
            if re.fullmatch(r"[A-Z]+", Path(path).name):
                continue  # stands for any page
            if not (root / path).exists():
                problems.append(f"{name}:{number}: {path} does not exist")
            elif anchor and path.endswith(".md") and anchor not in page_of(root / path).ids:
                problems.append(f"{name}:{number}: {path} has no #{anchor}")
        for bare in bare_name.findall(line):
            if bare not in documents:
                problems.append(f"{name}:{number}: there is no {bare}")


pages = sorted(site.rglob("*.html"))
if not pages:
    sys.exit(f"{site} has no pages")
for each in pages:
    check_page(each, site, each.relative_to(site).as_posix())
for each in sorted(site.rglob("*.md")) + [site / "llms.txt"]:
    check_page(each, site, each.relative_to(site).as_posix())
for each in site.rglob("*.css"):
    for target in re.findall(r"url\([\"']?((?:https?:)?//[^)]*)|@import", each.read_text(encoding="utf-8")):
        problems.append(f"{each.relative_to(site)}: another host is asked for {target}")
files = sources()
documents = {Path(name).name for name in files if name.endswith(".md")}
for each in files:
    if each.endswith(".md") and not each.startswith("docs/"):
        check_page(root / each, root, each)
    if not exempt.fullmatch(each):
        check_names(each)
for problem in problems:
    print(problem, file=sys.stderr)
print(f"{len(pages)} pages of the site, {len(files)} files, {len(problems)} dead links and names")
sys.exit(1 if problems else 0)
