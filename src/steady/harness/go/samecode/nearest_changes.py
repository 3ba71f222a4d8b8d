"""The nearest change to each benchmark of a Go binary, by the calls between functions.

This only orders the benchmarks, and gives the reason why they may differ: it decides which one is
measured first, never whether one is left out. Calls through Go's library and through interfaces are
not followed, so a shorter path may exist, or a path may be missed.
"""

import re

import numpy as np

from steady.harness.go.samecode.changed_functions import ChangedFunctions
from steady.samecode.reachability import NearestChange, Reachability

_BENCHMARK = re.compile(r"\.(Benchmark(?![a-z])\w*)(?:\.|$)")


def nearest_changes(changes: ChangedFunctions) -> dict[str, NearestChange]:
    """Return the nearest change to each top-level benchmark of head.

    Parameters
    ----------
    changes : ChangedFunctions
        The differences between base and head.

    Returns
    -------
    dict of str to NearestChange
        By the name of the function, such as ``BenchmarkWords``. Benchmarks without a known path to
        a change are missing.
    """
    head, own, reasons = changes.head, np.array(changes.own, bool), changes.reasons()
    functions: dict[str, list[int]] = {}
    for number in np.flatnonzero(own).tolist():
        if match := _BENCHMARK.search(head.names[number]):
            functions.setdefault(match[1], []).append(number)
    reachability = Reachability(head.call_graph(own), list(functions.values()))
    paths = reachability.paths(reasons)
    sizes = head.sizes.tolist()
    shares = reachability.changed_shares(
        np.flatnonzero(own).tolist(), sizes.__getitem__, reasons.__contains__
    )
    found = {}
    for benchmark, (name, starts) in enumerate(functions.items()):
        known = [path for start in starts if (path := paths.path(start, benchmark))]
        if known:
            nearest = min(known, key=lambda path: (len(path), path[-1]))
            share = float(shares[benchmark])
            found[name] = NearestChange(reasons[nearest[-1]], len(nearest), share)
    return found
