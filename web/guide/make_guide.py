#!/usr/bin/python3
"""Usage: make_guide.py DOCS OUT STYLE

Makes merchants' pages of the documents in DOCS static pages of the dashboard, below /docs/guide, each as Markdown, too, and
lists of them for programs: writes them into OUT, beside the style sheet STYLE, and OUT/list, a line PATH FILE each.
Python-Markdown reads the documents."""
import hashlib
import html
import posixpath
import re
import shutil
import sys
from pathlib import Path

import markdown
from markdown.extensions import Extension
from markdown.extensions.tables import TableExtension
from markdown.treeprocessors import Treeprocessor

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/lib/docs"))
sys.dont_write_bytecode = True
from links import RewriteLinks, is_local  # noqa: E402
from plain_pages import full_text, listing, plain_page, without_comments  # noqa: E402

docs, out, style = (Path(argument) for argument in sys.argv[1:4])
base = "/docs/guide"

# Groups of pages, and those that are read first or last.
groups = [("tutorials", "tutorials/*.md"), ("guides", "how-to/merchants/*.md"), ("reference", "reference/webhooks.md"),
          ("reference", "reference/errors.md")]
first = ["first-charge", "receive-webhooks", "payment-page", "verify-webhooks", "refunds", "errors-and-retries", "idempotency"]
last = ["go-live"]

texts = {
    "en": {"name": "English", "title": "Merchants’ guide", "lead": "How a shop charges with Pix over the API, receives webhooks and uses the dashboard.",
           "tutorials": "Tutorials", "guides": "How to", "reference": "Reference", "skip": "Skip to the content", "pages": "Pages of the guide",
           "links": "Elsewhere", "api": "API reference", "dashboard": "Dashboard", "table": "Table", "code": "Code"},
    "pt-BR": {"name": "Português", "title": "Guia do lojista", "lead": "Como uma loja cobra com Pix pela API, recebe webhooks e usa o painel.",
              "tutorials": "Tutoriais", "guides": "Como fazer", "reference": "Referência", "skip": "Ir para o conteúdo", "pages": "Páginas do guia",
              "links": "Outros lugares", "api": "Referência da API", "dashboard": "Painel", "table": "Tabela", "code": "Código"},
}
roots = {"en": "", "pt-BR": "pt/"}  # of the languages' pages, below docs and below /docs/guide

logo = ('<svg class="logo" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" class="logo-back"/>'
        '<path d="M16 6 26 16 16 26 6 16z" class="logo-line"/><path d="M16 12.5 19.5 16 16 19.5 12.5 16z" class="logo-dot"/></svg>')


class Page:
    def __init__(self, language, group, source):
        self.language, self.group, self.source = language, group, source
        self.name = posixpath.basename(source).removesuffix(".md")
        self.path = f"{base}/{roots[language]}{self.name}"
        self.text = (docs / source).read_text(encoding="utf-8")

    def rank(self):
        return (first.index(self.name) if self.name in first else len(first) + (self.name in last), self.title.casefold())

    def render(self):
        """Sets title, lead and body."""
        _links.source = self.source
        body = markdown.markdown(without_comments(self.text), extensions=["attr_list", "fenced_code", "toc", TableExtension(use_align_attribute=True),
                                                                          _links, _Pictures()])
        label = texts[self.language]
        heading = re.search(r"<h1[^>]*>(.*?)</h1>", body, re.DOTALL)
        paragraph = re.search(r"</h1>\s*<p>(.*?)</p>", body, re.DOTALL)
        if not heading or not paragraph:
            sys.exit(f"{docs / self.source}: a page begins with its title and a sentence")
        self.title, self.lead = plain(heading[1]), plain(paragraph[1])
        # What scrolls can be reached with the keyboard.
        body = re.sub(r"<pre>", f'<pre tabindex="0" role="group" aria-label="{label["code"]}">', body)
        body = body.replace("<table>", f'<div class="scroll" tabindex="0" role="group" aria-label="{label["table"]}"><table>').replace("</table>", "</table></div>")
        self.body = re.sub(r"<th([^>]*)></th>", r"<td\1></td>", body)


def plain(fragment):
    return html.unescape(re.sub(r"<[^>]+>", "", fragment)).replace("\n", " ").strip()


def _rewrite(path, anchor):
    target = pages.get(path)
    return target.path + anchor if target else None


def markdown_of(page):
    """The page for programs; links lead to pages for programs."""

    def rewrite(path, anchor):
        target = pages.get(posixpath.normpath(posixpath.join(posixpath.dirname(page.source), path)))
        return f"{target.path}.md{anchor}" if target else None

    return plain_page(page.text, rewrite)


_links = RewriteLinks(_rewrite)
pictures = {}  # path below docs → address


class _Pictures(Extension):
    def extendMarkdown(self, md):
        md.treeprocessors.register(_PictureFinder(md), "pictures", 9)


class _PictureFinder(Treeprocessor):
    def run(self, root):
        for image in root.iter("img"):
            if not is_local(image.get("src")):
                sys.exit(f"{docs / _links.source}: a picture of another host: {image.get('src')}")
            path = posixpath.normpath(posixpath.join(posixpath.dirname(_links.source), image.get("src")))
            pictures[path] = f"{base}/pictures/{posixpath.basename(path)}"
            image.set("src", pictures[path])


def grouped(language):
    """(heading, pages) of each group, as readers of the language see them: in English what is not translated."""
    translated = {page.name for page in ordered[language]}
    shown = sorted(ordered[language] + [page for page in ordered["en"] if page.name not in translated], key=Page.rank)
    for group in dict.fromkeys(group for group, _ in groups):
        members = [page for page in shown if page.group == group]
        if members:
            yield texts[language][group], members


def link(page, language, current=None):
    foreign = "" if page.language == language else f' lang="{page.language}" hreflang="{page.language}"'
    here = ' aria-current="page"' if page is current else ""
    return f'<a href="{page.path}"{foreign}{here}>{html.escape(page.title)}</a>'


def navigation(language, current):
    return "".join('<div class="nav-group"><h2>%s</h2><ul>%s</ul></div>' % (heading, "".join(f"<li>{link(page, language, current)}</li>" for page in members))
                   for heading, members in grouped(language))


def switch(language, current):
    """A link to the same page in the other language, else to that one's first."""
    other = next(each for each in texts if each != language)
    twins = [page.path for page in ordered[other] if current and page.name == current.name]
    target = twins[0] if twins else f"{base}/{roots[other]}".removesuffix("/")
    return f'<a href="{target}" lang="{other}" hreflang="{other}">{texts[other]["name"]}</a>'


def document(language, title, body, current=None):
    label = texts[language]
    return f"""<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{html.escape(title)} · pixledger</title>
<meta name="description" content="{html.escape(current.lead if current else label["lead"])}">
<link rel="stylesheet" href="{style_path}">
</head>
<body class="guide">
<a class="skip" href="#main">{label["skip"]}</a>
<header class="top"><a class="brand" href="/">{logo}<span>pixledger</span></a>
<nav aria-label="{label["links"]}"><a href="{f"{base}/{roots[language]}".removesuffix("/")}">{label["title"]}</a><a href="/docs">{label["api"]}</a>{switch(language, current)}</nav></header>
<div class="guide-columns">
<main id="main" tabindex="-1">
{body}
</main>
<nav class="nav" aria-label="{label["pages"]}">{navigation(language, current)}</nav>
</div>
</body>
</html>
"""


def index(language):
    label = texts[language]
    parts = [f"<h1>{label['title']}</h1>", f"<p>{label['lead']}</p>"]
    for heading, members in grouped(language):
        leads = [f'<span lang="{page.language}">{html.escape(page.lead)}</span>' for page in members]
        items = "".join(f"<li>{link(page, language)}<br>{lead}</li>" for page, lead in zip(members, leads))
        parts.append(f"<h2>{heading}</h2>\n<ul>{items}</ul>")
    return document(language, label["title"], "\n".join(parts))


listed = []


def write(path, suffix, content):
    file = out / (path.removeprefix(base).strip("/").replace("/", "-").removesuffix(suffix) + suffix if path != base else "index.html")
    file.write_bytes(content)
    listed.append(f"{path} {file.name}\n")


pages = {}
for language, root in roots.items():
    for group, pattern in groups:
        for path in sorted(docs.glob(root + pattern)):
            source = path.relative_to(docs).as_posix()
            pages[source] = Page(language, group, source)
if not pages:
    sys.exit(f"{docs} has no pages for merchants")
for page in pages.values():
    page.render()
ordered = {language: sorted((page for page in pages.values() if page.language == language), key=Page.rank) for language in texts}
taken = set()
for page in pages.values():
    if page.path in taken:
        sys.exit(f"two pages are {page.path}")
    taken.add(page.path)

shutil.rmtree(out, ignore_errors=True)
out.mkdir(parents=True)
sheet = style.read_bytes()
style_path = f"{base}/style-{hashlib.sha256(sheet).hexdigest()[:16]}.css"
write(style_path, ".css", sheet)
for path, address in sorted(pictures.items()):
    write(address, Path(path).suffix, (docs / path).read_bytes())
for language in texts:
    write(f"{base}/{roots[language]}".removesuffix("/"), ".html", index(language).encode())
for page in pages.values():
    write(page.path, ".html", document(page.language, page.title, page.body, page).encode())
    write(f"{page.path}.md", ".md", markdown_of(page).encode())
english = [(page.path + ".md", markdown_of(page)) for page in ordered["en"]]
sections = [(heading, [(f"{page.path}.md", page.text) for page in members]) for heading, members in grouped("en")]
sections.append((texts["pt-BR"]["name"], [(f"{page.path}.md", page.text) for page in ordered["pt-BR"]]))
summary = texts["en"]["lead"] + " The API's OpenAPI document is at /openapi.json."
write("/llms.txt", ".txt", listing(summary, sections).encode())
write("/llms-full.txt", ".txt", full_text(summary, english).encode())
(out / "list").write_text("".join(listed), encoding="utf-8")
