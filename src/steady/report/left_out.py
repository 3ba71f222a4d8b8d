"""The results that a file holds beside the main ones: named, so that nobody takes them for read."""

from __future__ import annotations

from steady.model import Suite
from steady.text.counting import count
from steady.text.escape import shorten

_SHOWN = 6
_LONGEST_NAME = 60


def left_out_sentence(suite: Suite) -> str:
    r"""Say which further results were not read, and of how many benchmarks; empty: of none.

    The names are the harness's own, so the text may hold anything that a file may hold.

    >>> from steady.model import Benchmark, Identity, Level
    >>> measured = Benchmark(Identity("a"), "ns/op", [1.0], (Level("iteration"),),
    ...                      left_out=("B/op", "allocs/op"))
    >>> left_out_sentence(Suite((measured,)))
    'not read: B/op (1 benchmark), allocs/op (1 benchmark); no verdict counts them'
    """
    benchmarks = suite.left_out
    if not benchmarks:
        return ""
    shown = [
        f"{shorten(name, _LONGEST_NAME)} ({count(number, 'benchmark')})"
        for name, number in list(benchmarks.items())[:_SHOWN]
    ]
    rest = len(benchmarks) - len(shown)
    more = f" and {count(rest, 'other result')}" if rest else ""
    return f"not read: {', '.join(shown)}{more}; no verdict counts them"
