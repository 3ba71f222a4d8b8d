"""``go test -json``: the same output, in events.

Source: package cmd/test2json of Go 1.26.
"""

from __future__ import annotations

import re

from steady.files import decode_json

_EVENT = re.compile(r"\A\s*\{\"(?:Time|Action|ImportPath)\":")


def is_event_stream(text: str) -> bool:
    """Tell whether a text looks like the events of ``go test -json``."""
    return _EVENT.match(text) is not None


def plain_text(text: str) -> str:
    """Return the text that the events contain, package by package; other lines stay unchanged.

    Half a character, which JSON can express but no file can hold, becomes U+FFFD, like a byte
    that is not UTF-8.
    """
    printed: dict[str, list[str]] = {}
    for line in text.split("\n"):
        event = _event(line)
        if event is None:
            printed.setdefault("", []).append(f"{line}\n")
        elif isinstance(output := event.get("Output"), str):
            printed.setdefault(str(event.get("Package", "")), []).append(output)
    text = "".join(part for parts in printed.values() for part in parts)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _event(line: str) -> dict[str, object] | None:
    try:
        event = decode_json(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None
