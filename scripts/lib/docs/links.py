"""For Python-Markdown: links to what is no page of a site become text."""
import posixpath
from xml.etree import ElementTree

from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor


def is_local(target):
    """Whether a link is relative to its page, and leads to another."""
    return not target.startswith(("#", "/")) and ":" not in target.split("/")[0]


class RewriteLinks(Extension):
    """rewrite(PATH, ANCHOR) returns a link's new target, or None for text. Paths are relative to docs, as is the page's
    own, `source`; set that before each page. The anchor has its '#', or is empty."""

    def __init__(self, rewrite):
        super().__init__()
        self.rewrite = rewrite
        self.source = ""

    def extendMarkdown(self, md):
        # After inline patterns have made links, before mkdocs checks them.
        md.treeprocessors.register(_Rewriter(md, self), "rewrite_links", 10)


class _Rewriter(Treeprocessor):
    def __init__(self, md, extension):
        super().__init__(md)
        self.extension = extension

    def run(self, root):
        for element in root.iter("a"):
            href = element.get("href", "")
            if not is_local(href) or element.get("href") is None:
                continue
            target, _, anchor = href.partition("#")
            path = posixpath.normpath(posixpath.join(posixpath.dirname(self.extension.source), target))
            new = self.extension.rewrite(path, anchor and f"#{anchor}")
            if new is not None:
                element.set("href", new)
                continue
            text = "".join(element.itertext())
            element.tag = "span"
            element.attrib.clear()
            # A source's name in the repository, unless the text says it.
            if path.startswith("../") and posixpath.basename(path) not in text:
                self.append_path(element, path.removeprefix("../"))

    @staticmethod
    def append_path(element, path):
        last = element[-1] if len(element) else None
        if last is None:
            element.text = (element.text or "") + " ("
        else:
            last.tail = (last.tail or "") + " ("
        code = ElementTree.SubElement(element, "code")
        code.text = path
        code.tail = ")"
