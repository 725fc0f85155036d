"""What mkdocs cannot say in its configuration: the navigation's `FOLDER/*`, links to sources, which are no pages, and
a search in two languages."""
import logging
import posixpath
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from links import RewriteLinks  # noqa: E402
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
