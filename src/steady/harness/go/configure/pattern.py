r"""The patterns with which a Go test binary runs certain benchmarks and no others.

Source: package testing of Go 1.26, ``match.go``. A pattern is split at its slashes, and each part
is searched in one element of the benchmark's name; slashes inside brackets do not count, not even
where ``\Q...\E`` quotes the brackets, so every character with a meaning is escaped by itself. A
pattern of fewer elements than the name matches, too: ``^BenchmarkX$`` runs all of
``BenchmarkX/...``.
"""

from __future__ import annotations

import re

from steady.model import name_parts

_META = re.compile(r"[\\.+*?()|\[\]{}^$]")


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
    parts = name_parts(name)
    if not parts.is_go:
        raise ValueError(
            f"{name!r} is not the name of a Go benchmark (example.com/text.BenchmarkX)"
        )
    return parts.holder, parts.member


def exact_pattern(benchmark: str) -> str:
    r"""Return the pattern that matches one benchmark: ``^BenchmarkDecode$/^orders=1\.5$``."""
    return "/".join(f"^{_quoted(element)}$" for element in benchmark.split("/"))


def _quoted(element: str) -> str:
    return _META.sub(lambda character: "\\" + character[0], element)
