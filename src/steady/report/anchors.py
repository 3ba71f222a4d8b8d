"""Addresses within a page: every benchmark has one, and it stays the same from page to page."""

from __future__ import annotations

import hashlib
import re

from steady.model import Identity

_LONGEST = 40
_OTHERS = re.compile(r"[^A-Za-z0-9]+")


def anchor(identity: Identity) -> str:
    """Return an address of letters, digits and hyphens.

    The digits at its end tell apart names that differ in other characters only.

    >>> anchor(Identity("org.example.Bench.get"))
    'org-example-Bench-get-9789ce'
    """
    label = identity.label
    words = slug(label)[-_LONGEST:].strip("-")
    digits = hashlib.sha256(label.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{words}-{digits}" if words else f"b-{digits}"


def slug(text: str) -> str:
    """Return the letters and digits of a text, with one hyphen for whatever stands between them.

    >>> slug("Bench.get [n=10]")
    'Bench-get-n-10'
    """
    return _OTHERS.sub("-", text).strip("-")
