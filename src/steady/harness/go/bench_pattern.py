r"""Names of Go benchmarks, and patterns that select benchmarks of a test binary.

Source: package testing of Go 1.26, ``match.go``. A pattern is split at its slashes, and each part
is searched in one element of the benchmark's name. Slashes inside brackets do not split, even if
``\Q...\E`` quotes the brackets, so every special character is escaped separately. A pattern with
fewer elements than the name also matches: ``^BenchmarkX$`` runs all of ``BenchmarkX/...``.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from steady.errors import InputError
from steady.harness.only import Alternative, Only, split_pattern
from steady.model import Identity, name_parts
from steady.options.kinds import check_expression
from steady.safe_regex import is_found

_META = re.compile(r"[\\.+*?()|\[\]{}^$]")


def split_name(name: str) -> tuple[str, str]:
    """Split a benchmark's name into the import path of its package and its name in the package.

    Parameters
    ----------
    name : str
        ``example.com/shop/text.BenchmarkWords/long``; the package may be missing.

    Raises
    ------
    ValueError
        If it is not the name of a Go benchmark.
    """
    parts = name_parts(name)
    if not parts.is_go:
        raise ValueError(
            f"{name!r} is not the name of a Go benchmark (example.com/text.BenchmarkX)"
        )
    return parts.holder, parts.member


def printed_name(identity: Identity) -> str:
    """Return a benchmark's name as Go prints it, including the number of processors."""
    _, benchmark = split_name(identity.name)
    return benchmark if identity.threads == 1 else f"{benchmark}-{identity.threads}"


def exact_pattern(benchmark: str) -> str:
    r"""Return the pattern that matches one benchmark: ``^BenchmarkDecode$/^orders=1\.5$``."""
    return "/".join(f"^{one}$" for one in _META.sub(r"\\\g<0>", benchmark).split("/"))


def matching(pattern: str) -> Callable[[str], bool]:
    """Return a function that tests whether ``go test -bench`` selects a benchmark.

    Names are compared element by element. If a part of the pattern is not a valid expression in
    Python, no benchmark is selected.
    """
    try:
        parts = [check_expression(one.replace(" ", "_")) for one in split_pattern(pattern, "/")]
    except InputError:
        parts = []

    def matches(name: str) -> bool:
        try:
            elements = split_name(name)[1].split("/")
        except ValueError:
            return False
        # A pattern with fewer parts is compared with the first elements.
        enough = 0 < len(parts) <= len(elements)
        return enough and all(map(is_found, parts, elements[: len(parts)]))

    return matches


_LITERAL = re.compile(r"\^?(?:[\w=:,#@%-]|\\[.+*?()|\[\]{}^$-])+\$?")
_LITERAL_TOP = "Benchmark"


def patterns(
    only: Only | None, tops: Mapping[str, Sequence[str]], threads: int
) -> dict[tuple[str, str], str]:
    """Return the top-level benchmarks that can contain requested benchmarks.

    ``-test.list`` lists a binary's top-level benchmarks without running them. Their sub-benchmarks
    are known only after a run, so an expression is compared with the top-level names first:

    - If it matches some of them, only these can contain requested benchmarks.
    - A match of the part before a slash, or before ``.*``, is sufficient.
    - If it matches none, it may match sub-benchmarks. All benchmarks are then returned, unless it
      contains ``Benchmark``, the prefix of top-level names.

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
        Patterns for ``-test.bench``, by package and top-level benchmark.
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
            # If alternatives result in different patterns, all sub-benchmarks are run.
            first = wanted.setdefault(place, pattern)
            wanted[place] = pattern if first == pattern else everything[place]
    return {place: wanted[place] for place in everything if place in wanted}


def _below(alternative: Alternative, package: str, top: str, threads: int) -> str | None:
    """Return the pattern for a benchmark's sub-benchmarks: empty for all, None if none matches."""
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
    """Return the elements after a top-level name if Go and Python interpret them equally."""
    if _LITERAL_TOP in before and all(map(_LITERAL.fullmatch, rest)):
        return "".join(f"/{part}" for part in rest)
    return ""


def _found(text: str, name: str) -> bool:
    try:
        check_expression(text)
    except InputError:  # the expression was cut inside a group or a character class
        return False
    return is_found(text, name)
