r"""The patterns with which a Go test binary runs certain benchmarks and no others.

Source: package testing of Go 1.26, ``match.go``. A pattern is split at its slashes, and each part
is searched in one element of the benchmark's name; slashes inside brackets do not count, not even
where ``\Q...\E`` quotes the brackets, so every character with a meaning is escaped by itself. A
pattern of fewer elements than the name matches, too: ``^BenchmarkX$`` runs all of
``BenchmarkX/...``.
"""

from __future__ import annotations

import re

_META = re.compile(r"[\\.+*?()|\[\]{}^$]")
_TOP = re.compile(r"Benchmark(?![a-z])")


def split_name(name: str) -> tuple[str, str]:
    """Split a benchmark's name into its package's import path and its name in there.

    Parameters
    ----------
    name : str
        ``example.com/shop/text.BenchmarkWords/long``; the package may be missing.

    Raises
    ------
    ValueError
        If it is not the name of a Go benchmark.
    """
    if _TOP.match(name):
        return "", name
    for dot in re.finditer(r"\.", name):
        if dot.start() > 0 and _TOP.match(name, dot.end()):
            return name[: dot.start()], name[dot.end() :]
    raise ValueError(f"{name!r} is not the name of a Go benchmark (example.com/text.BenchmarkX)")


def exact_pattern(benchmark: str) -> str:
    r"""Return the pattern that matches one benchmark: ``^BenchmarkDecode$/^orders=1\.5$``."""
    return "/".join(f"^{_quoted(element)}$" for element in benchmark.split("/"))


def _quoted(element: str) -> str:
    return _META.sub(lambda character: "\\" + character[0], element)
