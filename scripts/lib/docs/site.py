"""What mkdocs cannot say in its configuration: the navigation's `FOLDER/*`, links to sources, which are no pages, a
search in two languages, and the pages as Markdown beside their own, with lists of them for programs."""
import logging
import posixpath
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from links import RewriteLinks  # noqa: E402
from plain_pages import full_text, listing, plain_page  # noqa: E402
from mkdocs.exceptions import ConfigurationError  # noqa: E402

root = Path(__file__).resolve().parents[3]
log = logging.getLogger("mkdocs.pixledger")


def _rewrite(path, anchor):
    """Keeps links within docs, which mkdocs checks."""
    if not path.startswith("../"):
        return posixpath.relpath(path, posixpath.dirname(_links.source) or ".") + anchor
    if not (root / "docs" / path).exists():
        log.warning("docs/%s has a link to %s, which does not exist", _links.source, path.removeprefix("../"))
    return None


_links = RewriteLinks(_rewrite)


def _title(path):
    found = re.search(r"^# (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return found.group(1).strip("`").casefold() if found else path.name


def on_config(config):
    docs = Path(config["docs_dir"])
    pages = {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")}
    named = set()

    def names(entry):
        if isinstance(entry, str):
            if not entry.endswith("/*"):
                named.add(entry)
            return
        for value in entry if isinstance(entry, list) else entry.values():
            names(value)

    def expand(entries):
        expanded = []
        for entry in entries:
            if isinstance(entry, dict):
                ((title, inner),) = entry.items()
                inner = expand(inner)
                if inner:
                    expanded.append({title: inner})
            elif entry.endswith("/*"):
                folder = entry[:-2]
                found = [page for page in pages - named if posixpath.dirname(page) == folder]
                named.update(found)
                expanded.extend(sorted(found, key=lambda page: _title(docs / page)))
            else:
                expanded.append(entry)
        return expanded

    names(config["nav"])
    config["nav"] = expand(config["nav"])
    if pages - named:
        raise ConfigurationError(f"scripts/lib/docs/mkdocs.yml has no place for {', '.join(sorted(pages - named))}")
    config["markdown_extensions"].append(_links)
    # Debian's mkdocs does not know that the theme brings Portuguese.
    config["plugins"]["search"].config["lang"] = ["en", "pt"]
    return config


def on_page_markdown(markdown, page, config, files):
    _links.source = page.file.src_uri
    return markdown


def on_post_build(config):
    docs, site = Path(config["docs_dir"]), Path(config["site_dir"])
    texts = {path.relative_to(docs).as_posix(): path.read_text(encoding="utf-8") for path in docs.rglob("*.md")}
    plain = {}
    for name, text in texts.items():
        folder = posixpath.dirname(name)
        plain[name] = plain_page(
            text, lambda path, anchor: path + anchor if posixpath.normpath(posixpath.join(folder, path)) in texts else None)
        (site / name).write_text(plain[name], encoding="utf-8")

    def pages_of(entries):
        for entry in entries:
            if isinstance(entry, str):
                yield entry
            else:
                yield from pages_of(next(iter(entry.values())))

    sections = [("Start", [])]
    for entry in config["nav"]:
        if isinstance(entry, str):
            sections[0][1].append(entry)
        else:
            ((heading, inner),) = entry.items()
            sections.append((heading, list(pages_of(inner))))
    summary = f"{config['site_description']}: charges over HTTP, signed webhooks, a payer's page, a dashboard, proofs."
    (site / "llms.txt").write_text(
        listing(summary, [(heading, [(name, texts[name]) for name in names]) for heading, names in sections]), encoding="utf-8")
    whole = [name for heading, names in sections if heading in ("Start", "Tutorials", "Merchants", "Operators", "Auditors")
             for name in names if not name.startswith("runbooks/")]
    (site / "llms-full.txt").write_text(full_text(summary, [(name, plain[name]) for name in whole]), encoding="utf-8")
