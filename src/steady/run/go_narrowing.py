"""Which top-level benchmarks of Go can hold what is asked for.

``-test.list`` names a binary's top-level benchmarks and runs none. Their sub-benchmarks are known
only once they have run, so an expression is held against the top-level names first:

- An expression that is found in one of them is looked for in these only.
- What stands before a slash, and what stands before ``.*``, may be all that is found of it.
- An expression that is found in none may still name sub-benchmarks: then all are run, unless it
  has ``Benchmark`` in it, which begins a top-level name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from steady.emit.go_pattern import exact_pattern
from steady.model import Identity
from steady.run.only import Alternative, Only

_LITERAL = re.compile(r"\^?(?:[\w=:,#@%-]|\\[.+*?()|\[\]{}^$-])+\$?")
_LITERAL_TOP = "Benchmark"


def patterns(
    only: Only | None, tops: Mapping[str, Sequence[str]], threads: int
) -> dict[tuple[str, str], str]:
    """Return what is to be run to see what it holds.

    Parameters
    ----------
    only : Only, optional
        What is asked for; None: everything.
    tops : mapping of str to sequence of str
        By import path of a package, its top-level benchmarks.
    threads : int
        Processors that Go uses.

    Returns
    -------
    dict of (str, str) to str
        By package and top-level benchmark, the pattern for ``-test.bench``.
    """
    everything = {
        (package, top): exact_pattern(top) for package, names in tops.items() for top in names
    }
    if only is None:
        return everything
    wanted: dict[tuple[str, str], str] = {}
    for alternative in only.alternatives:
        found = {
            place: exact_pattern(place[1]) + below
            for place in everything
            if (below := _below(alternative, *place, threads)) is not None
        }
        if not found and _LITERAL_TOP not in alternative.text:
            found = everything
        for place, pattern in found.items():
            # What two alternatives ask for is looked for in all of a benchmark.
            known = wanted.setdefault(place, pattern)
            wanted[place] = pattern if known == pattern else everything[place]
    return {place: wanted[place] for place in everything if place in wanted}


def _below(alternative: Alternative, package: str, top: str, threads: int) -> str | None:
    """Return what is asked for of a benchmark's sub-benchmarks: empty for all; None for nothing."""
    name = f"{package}.{top}" if package else top
    if alternative.matches(Identity(name, threads=threads)):
        return ""
    parts = alternative.parts
    for cut in range(1, len(parts)):
        before = "/".join(parts[:cut])
        if _found(rf"(?:{before})\Z", name) or (cut == 1 and _found(before, top)):
            return _pushed(before, parts[cut:])
    if any(_found(alternative.text[: at.start()], name) for at in _spans(alternative.text)):
        return ""
    return None


def _pushed(before: str, rest: Sequence[str]) -> str:
    """Return the elements that follow a top-level name, where Go reads them as Python does."""
    if _LITERAL_TOP in before and all(map(_LITERAL.fullmatch, rest)):
        return "".join(f"/{part}" for part in rest)
    return ""


def _spans(text: str) -> Sequence[re.Match[str]]:
    return [match for match in re.finditer(r"\.[*+]", text) if match.start() > 0]


def _found(text: str, name: str) -> bool:
    try:
        return re.search(text, name) is not None
    except re.error:  # cut in the middle of something
        return False
