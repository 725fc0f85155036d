"""The documents for programs that read them: pages as Markdown, and lists of them in the form of llmstxt.org."""
import html
import re

full_bytes_max = 300_000  # of all pages in one file

_fences = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_link = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")


def without_comments(text):
    """Without what is for tests and generators; blocks of code keep theirs."""
    parts = _fences.split(text)
    return "".join(part if part.startswith("```") else re.sub(r"<!--.*?-->\n?", "", part, flags=re.DOTALL) for part in parts)


def plain_page(text, rewrite):
    """A page's text. rewrite(PATH, ANCHOR) returns a local link's new target, or None if only its text stays."""

    def relink(match):
        label, target = match.groups()
        if target.startswith(("#", "/")) or ":" in target.split("/")[0]:
            return match[0]
        path, _, anchor = target.partition("#")
        new = rewrite(path, anchor and f"#{anchor}")
        return label if new is None else f"[{label}]({new})"

    parts = _fences.split(without_comments(text))
    return "".join(part if part.startswith("```") else _link.sub(relink, part) for part in parts).lstrip("\n")


def title_and_lead(text):
    """A page's heading and its first sentence, without marks."""
    parts = re.search(r"^# (.+?)(?: \{#[^}]*\})?\n+(.+?)(?:\n\n|\Z)", without_comments(text), re.MULTILINE | re.DOTALL)
    title, lead = (re.sub(r"[`*_]|\[([^\]]*)\]\([^)]*\)", r"\1", part) for part in parts.groups())
    lead = html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", lead))).strip()
    return title.strip(), re.split(r"(?<=[.!?]) (?=[A-ZÀ-Ú])|(?<=:)$", lead)[0].rstrip(":")


def listing(summary, sections):
    """The text of llms.txt. `sections` are (heading, [(address, page's text)])."""
    parts = ["# pixledger\n", f"> {summary}\n"]
    for heading, pages in sections:
        parts.append(f"## {heading}\n")
        lines = []
        for address, text in pages:
            title, lead = title_and_lead(text)
            lines.append(f"- [{title}]({address}): {lead}\n")
        parts.append("".join(lines))
    return "\n".join(parts)


def full_text(summary, pages):
    """The text of llms-full.txt: the pages (address, plain text) one after the other."""
    text = f"# pixledger\n\n> {summary}\n\n" + "\n".join(f"<!-- {address} -->\n\n{page}" for address, page in pages)
    size = len(text.encode())
    if size > full_bytes_max:
        raise ValueError(f"all pages in one file have {size} bytes; more than {full_bytes_max} are too many")
    return text
