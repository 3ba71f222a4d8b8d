r"""Patterns that select exactly one benchmark of a Go test binary.

Source: package testing of Go 1.26, ``match.go``. A pattern is split at its slashes, and each part
is searched in one element of the benchmark's name. Slashes inside brackets do not split, even if
``\Q...\E`` quotes the brackets, so every special character is escaped separately. A pattern with
fewer elements than the name also matches: ``^BenchmarkX$`` runs all of ``BenchmarkX/...``.
"""

import re
from collections.abc import Callable

from steady.errors import InputError
from steady.harness.only import split_pattern
from steady.model import name_parts
from steady.options.kinds import check_expression
from steady.safe_regex import is_found

_META = re.compile(r"[\\.+*?()|\[\]{}^$]")


def split_name(name: str) -> tuple[str, str]:
    """Split a benchmark's name into the import path of its package and its name there.

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


def exact_pattern(benchmark: str) -> str:
    r"""Return the pattern that matches one benchmark: ``^BenchmarkDecode$/^orders=1\.5$``."""
    return "/".join(f"^{one}$" for one in _META.sub(r"\\\g<0>", benchmark).split("/"))


def matching(pattern: str) -> Callable[[str], bool]:
    """Return a test whether ``go test -bench`` selects a benchmark, element by element.

    It selects none if a part is not a valid expression in Python.
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
        # Of a pattern with fewer parts, the first elements count.
        enough = 0 < len(parts) <= len(elements)
        return enough and all(map(is_found, parts, elements[: len(parts)]))

    return matches
