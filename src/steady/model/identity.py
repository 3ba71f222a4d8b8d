"""Which benchmark: its name, and everything else that tells it from others."""

from __future__ import annotations

import re
from dataclasses import dataclass

_GO_FUNCTION = re.compile(r"(?:^|\.)Benchmark(?![a-z])[^./]*(?:/|$)")


@dataclass(frozen=True, slots=True, order=True)
class Identity:
    """Which benchmark a result belongs to: equal identities mean the same benchmark.

    Parameters
    ----------
    name : str
        Fully qualified, as the harness writes it.
    mode : str
        The harness's short name of the mode; JMH: ``thrpt``, ``avgt``, ``sample``, ``ss``.
    params : tuple of (str, str)
        Parameter names and values, in the harness's order.
    threads : int
        Worker threads that ran it; for Go, the number of processors that it may use.

    Examples
    --------
    >>> import steady
    >>> steady.Identity("org.Codec.parse", params=(("size", "10"),), threads=4).label
    'org.Codec.parse [size=10] (4 threads)'
    """

    name: str
    mode: str = "avgt"
    params: tuple[tuple[str, str], ...] = ()
    threads: int = 1

    @property
    def is_go(self) -> bool:
        """Whether the name is one of Go's: ``example.com/pkg.BenchmarkGet/n=10``."""
        return _GO_FUNCTION.search(self.name) is not None

    @property
    def label(self) -> str:
        """Name, parameters, mode, threads: ``org.Bench.get [n=10] (thrpt, 4 threads)``."""
        params = ", ".join(f"{key}={value}" for key, value in self.params)
        extras = [] if self.mode == "avgt" else [self.mode]
        if self.threads != 1:
            extras.append(f"{self.threads} {'processors' if self.is_go else 'threads'}")
        return (
            self.name
            + (f" [{params}]" if params else "")
            + (f" ({', '.join(extras)})" if extras else "")
        )
