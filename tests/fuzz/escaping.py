"""What untrusted text must never become in what people and programs read.

Each function takes a whole output and raises `AssertionError` where a stranger's text came
through as anything but text.
"""

import re
from html.parser import HTMLParser
from importlib.resources import files
from itertools import chain

from markdown_it import MarkdownIt

_SCRIPT = (files("steady.report") / "templates" / "report.js").read_text(encoding="utf-8")
_MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")

_TAG = re.compile(r"<!--.*?(?:-->|\Z)|<[A-Za-z/!?][^>]*>?", re.DOTALL)

_TAGS = frozenset({
    "<details>", "</details>", "<summary>", "</summary>", "<sub>", "</sub>", "<br>",
    "<!-- steady:default -->",
})  # fmt: skip
"""Those of the comment and the job summary."""

_LINKED = re.compile(r"@\w|#\d|GH-\d|www\.|\w://", re.IGNORECASE)
"""What GitHub makes a mention or a link of, outside code."""

_COMMAND = re.compile(r"::(?:error|warning|notice) [^:]*::.*")


def check_markdown(text: str) -> None:
    """Hold a comment or a job summary: our own tags, no link, no image, nobody mentioned."""
    tokens = _MARKDOWN.parse(text)
    within = list(chain.from_iterable(token.children or [] for token in tokens))
    html = "".join(t.content for t in (*tokens, *within) if t.type.startswith("html_"))
    strange = set(_TAG.findall(html)) - _TAGS
    assert not strange, f"HTML that is not ours: {strange}"
    assert html.count("<!--") <= 1, "a second hidden comment"
    kinds = {token.type for token in within} & {"link_open", "image"}
    assert not kinds, f"Markdown that is not ours: {kinds}"
    plain = "\n".join(token.content for token in within if token.type != "code_inline")
    linked = _LINKED.search(plain)
    assert linked is None, f"GitHub links {plain[linked.start() :][:40]!r}" if linked else ""
    check_visible(text.replace("\u2060", ""))  # of no width: ours, to break a link in two


def check_visible(text: str) -> None:
    """Hold a text of several lines: characters that can be seen, and no control of a terminal."""
    for line in text.replace("\xa0", " ").split("\n"):  # ours, between a number and its unit
        assert line.isprintable(), f"a character that is not seen in {line[:80]!r}"


def check_log(text: str) -> None:
    """Hold what is printed: no command to GitHub's runner either."""
    check_visible(text)
    for line in text.split("\n"):
        assert not line.lstrip().startswith("::"), f"a command: {line[:80]!r}"
        assert "##[" not in line, f"a command: {line[:80]!r}"


def check_commands(lines: list[str]) -> None:
    """Hold annotations: each is one command of a known kind, on one line."""
    for line in lines:
        assert line.isprintable(), f"a character that is not seen in {line[:80]!r}"
        assert _COMMAND.fullmatch(line), f"not one command: {line[:80]!r}"


class _Page(HTMLParser):
    """The tags and attributes of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.addresses: set[str] = set()
        self.scripts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag == "script":
            self.scripts.append("")
        for name, value in attrs:
            self.attributes.add(name)
            if name in ("href", "src", "action", "style") and value is not None:
                self.addresses.add(value)

    def handle_data(self, data: str) -> None:
        if self.lasttag == "script" and self.cdata_elem == "script":
            self.scripts[-1] += data


def check_page(text: str) -> None:
    """Hold the HTML report: our script alone, no handler, nothing fetched from elsewhere."""
    page = _Page(text)
    assert set(page.scripts) <= {_SCRIPT}, "scripts that are not ours"
    strange = page.tags & {"img", "iframe", "object", "embed", "form", "base", "link"}
    assert not strange, f"tags that are not ours: {strange}"
    handlers = {name for name in page.attributes if name.startswith("on")}
    assert not handlers, f"handlers: {handlers}"
    strange = {address for address in page.addresses if ":" in address and "//" in address}
    assert not strange, f"addresses: {strange}"
