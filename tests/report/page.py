"""A report's page as a browser reads it."""

import re
from html.parser import HTMLParser

VOID = {"meta", "br", "wbr"}


class Page(HTMLParser):
    """Checks that tags nest, and collects what a test asks for."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"style", "script"} & set(self.open):
            self.text += data

    @property
    def lines(self) -> str:
        """What stands on the page, a line for each piece."""
        pieces = (re.sub(r"\s+", " ", line).strip() for line in self.text.splitlines())
        return "\n".join(filter(None, pieces)) + "\n"
