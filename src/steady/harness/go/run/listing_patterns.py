"""The top-level benchmarks of Go that can contain requested benchmarks.

``-test.list`` names a binary's top-level benchmarks without running them. Their sub-benchmarks are
known only after they have run, so an expression is compared with the top-level names first:

- If it matches some of them, only these can contain requested benchmarks.
- A match of the part before a slash, or before ``.*``, is enough.
- If it matches none, it may still name sub-benchmarks. Then all are run, unless it contains
  ``Benchmark``, the prefix of top-level names.
"""

import re
from collections.abc import Mapping, Sequence

from steady.errors import InputError
from steady.harness.go.bench_pattern import exact_pattern
from steady.harness.only import Alternative, Only
from steady.model import Identity
from steady.options.kinds import check_expression
from steady.safe_regex import is_found

_LITERAL = re.compile(r"\^?(?:[\w=:,#@%-]|\\[.+*?()|\[\]{}^$-])+\$?")
_LITERAL_TOP = "Benchmark"


def patterns(
    only: Only | None, tops: Mapping[str, Sequence[str]], threads: int
) -> dict[tuple[str, str], str]:
    """Return the benchmarks to run for a list of their sub-benchmarks.

    Parameters
    ----------
    only : Only, optional
        The user's expression; None for all benchmarks.
    tops : mapping of str to sequence of str
        Top-level benchmarks, by import path of their package.
    threads : int
        Number of processors that Go uses.

    Returns
    -------
    dict of (str, str) to str
        Pattern for ``-test.bench``, by package and top-level benchmark.
    """
    everything = {
        (package, top): exact_pattern(top) for package, names in tops.items() for top in names
    }
    if only is None:
        return everything
    wanted: dict[tuple[str, str], str] = {}
    for alternative in only.alternatives:
        matching = {
            place: exact_pattern(place[1]) + below
            for place in everything
            if (below := _below(alternative, *place, threads)) is not None
        }
        if not matching and _LITERAL_TOP not in alternative.text:
            matching = everything
        for place, pattern in matching.items():
            # If two alternatives match, all sub-benchmarks are searched.
            first = wanted.setdefault(place, pattern)
            wanted[place] = pattern if first == pattern else everything[place]
    return {place: wanted[place] for place in everything if place in wanted}


def _below(alternative: Alternative, package: str, top: str, threads: int) -> str | None:
    """Return the pattern for a benchmark's sub-benchmarks: empty for all, None for none."""
    name = f"{package}.{top}" if package else top
    if alternative.matches(Identity(name, threads=threads)):
        return ""
    parts = alternative.parts
    for cut in range(1, len(parts)):
        before = "/".join(parts[:cut])
        if _found(rf"(?:{before})\Z", name) or (cut == 1 and _found(before, top)):
            return _pushed(before, parts[cut:])
    spans = (match.start() for match in re.finditer(r"\.[*+]", alternative.text))
    if any(_found(alternative.text[:at], name) for at in spans if at):
        return ""
    return None


def _pushed(before: str, rest: Sequence[str]) -> str:
    """Return the elements after a top-level name, if Go and Python read them alike."""
    if _LITERAL_TOP in before and all(map(_LITERAL.fullmatch, rest)):
        return "".join(f"/{part}" for part in rest)
    return ""


def _found(text: str, name: str) -> bool:
    try:
        check_expression(text)
    except InputError:  # the cut went through a group or a class
        return False
    return is_found(text, name)
