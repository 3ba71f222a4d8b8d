"""A parser of HTML pages that checks their structure."""

import base64
import hashlib
import re
from html.parser import HTMLParser

VOID = {"meta", "br", "wbr"}


class Page(HTMLParser):
    """Parser that checks the nesting of tags, and collects text and attributes."""

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
        """The visible text, a line for each piece."""
        pieces = (re.sub(r"\s+", " ", line).strip() for line in self.text.splitlines())
        return "\n".join(filter(None, pieces)) + "\n"


def assert_needs_nothing_else(text: str) -> None:
    """Check that a page loads nothing, and allows only its own script."""
    page = Page(text)
    assert not {"link", "img", "iframe", "object", "base", "form"} & set(page.tags)
    names = {name for name, _ in page.attributes}
    assert not {name for name in names if name.startswith("on")} | ({"src"} & names)
    links = [value or "" for name, value in page.attributes if name == "href"]
    assert links
    assert all(link.startswith("#") for link in links)
    assert "url(" not in text
    assert "prefers-color-scheme: dark" in text
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert {"default-src 'none'", f"script-src 'sha256-{digest}'"} <= set(policy.split("; "))
    assert "unsafe-eval" not in policy
    assert "innerHTML" not in script
    addresses = [value for name, value in page.attributes if name == "id"]
    assert len(addresses) == len(set(addresses))
    assert {link[1:] for link in links} <= set(addresses)
