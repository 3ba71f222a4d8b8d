"""The manifest and JMH's hints to the compiler: what they mean, apart from what they say."""

from __future__ import annotations

import re
from collections import Counter

HINTS = "META-INF/CompilerHints"

_BUILD = re.compile(
    r"(?:ant|archiver|bnd|branch|build|builder|built|bundle-build|change|ci|created|git|gradle|"
    r"hudson|implementation-build|jenkins|maven|originally|os|scm|tool|vcs|x-compile)(?:-.*)?"
)
"""Main attributes that describe the build; none that a JVM reads begins with one of these words."""

_HINT = re.compile(r"[a-z]+,([\w$./]+)\.(\*|<init>|[\w$]+)")


def meant_by_manifest(content: bytes) -> tuple[dict[str, str], str]:
    """Return what a manifest says to the JVM and to programs, without what it says about the build.

    Dates, machines, commits and versions of build tools change with every build. A program that
    depends on the date of its build cannot be measured anyway. All other attributes count: some
    change what the JVM loads (``Class-Path``, ``Multi-Release``, ``Add-Opens``).

    Returns
    -------
    dict of str to str
        The main attributes that count, by their names in small letters.
    str
        The sections for single entries, as they stand.
    """
    text = content.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    main, _, rest = text.replace("\n ", "").strip("\n").partition("\n\n")
    pairs = (line.partition(":") for line in main.split("\n") if line)
    attributes = {name.strip().lower(): value.strip() for name, _, value in pairs}
    return {n: v for n, v in attributes.items() if not _BUILD.fullmatch(n)}, rest.strip("\n")


def changed_hints(base: bytes, head: bytes) -> frozenset[str] | None:
    """Return the methods about which JMH's hints to the compiler differ.

    A line names a method as in ``inline,a/B.method``, or all of a class, as in ``inline,a/B.*``.

    Returns
    -------
    frozenset of str or None
        As in ``a/B.method`` and ``a/B.*``; None if a difference may be about all classes.
    """
    sides = [side.decode("utf-8", "replace").splitlines() for side in (base, head)]
    counts = [Counter(side) for side in sides]
    differing = (counts[0] - counts[1]) + (counts[1] - counts[0])
    in_both = [[line for line in side if line not in differing] for side in sides]
    if in_both[0] != in_both[1]:
        return None
    methods = set()
    for line in differing:
        hint = _HINT.fullmatch(line)
        if hint is None:
            return None
        methods.add(f"{hint[1].replace('.', '/')}.{hint[2]}")
    return frozenset(methods)
