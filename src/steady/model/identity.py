"""The identity of a benchmark: its name with its parts, and what tells it from others."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from steady.text.numbers import listed

_GO_NAME = re.compile(
    r"(?:(?P<holder>\S+?)\.)??(?P<method>Benchmark(?![a-z])\w*)(?:/(?P<parameters>.*))?", re.DOTALL
)
"""An import path may hold dots and slashes, and so may the name of a sub-benchmark."""

_JAVA_NAME = re.compile(
    r"(?:(?P<holder>[^/(]+)\.)?(?P<method>(?:\$|[^\W\d])[^./(]*)(?:\((?P<parameters>.*)\))?",
    re.DOTALL,
)
"""Of Java, or of a harness that writes the cases of a benchmark as a call: ``a.B.get(10)``."""

_PYTHON_NAME = re.compile(
    r"(?P<holder>[^:\[]+\.py(?:::\w+)*)::(?P<method>\w+)(?:\[(?P<parameters>.+)\])?", re.DOTALL
)


class NameParts(NamedTuple):
    """The parts of a benchmark's name.

    Parameters
    ----------
    holder : str
        What holds the method: Java's class with its packages, Go's import path, the file of a
        test of Python with its classes; may be empty.
    method : str
        The method or function.
    parameters : str
        What tells its cases apart, if its harness writes that into the name: the elements of a
        sub-benchmark of Go, what stands in brackets behind a test of Python or a method.
    is_go, is_python : bool
        Whether the name is one of Go's, or of a test of Python.
    """

    holder: str
    method: str
    parameters: str = ""
    is_go: bool = False
    is_python: bool = False

    @property
    def qualifier(self) -> str:
        """What stands before the member: the holder, and what separates them; may be empty."""
        return self.holder and self.holder + ("::" if self.is_python else ".")

    @property
    def member(self) -> str:
        """The name as its holder knows it: method and parameters."""
        if self.is_go or not self.parameters:
            return f"{self.method}/{self.parameters}" if self.parameters else self.method
        begin, end = "[]" if self.is_python else "()"
        return f"{self.method}{begin}{self.parameters}{end}"

    @property
    def short(self) -> str:
        """The member with the last part of its holder: a class, or the end of an import path."""
        last = self.qualifier.rpartition("/")[2]
        if not (self.is_go or self.is_python):
            last = f"{self.holder.rpartition('.')[2]}." if self.holder else ""
        return last + self.member


@lru_cache(maxsize=4096)
def name_parts(name: str) -> NameParts:
    """Cut a benchmark's name as its harness writes it.

    Any other name is a method without a holder.

    >>> name_parts("org.example.Bench.get")[:2]
    ('org.example.Bench', 'get')
    >>> name_parts("github.com/go-chi/chi.BenchmarkMux/ratio=1.5")[:3]
    ('github.com/go-chi/chi', 'BenchmarkMux', 'ratio=1.5')
    >>> name_parts("benchmarks/test_x.py::TestY::test_z[1-a]")[:3]
    ('benchmarks/test_x.py::TestY', 'test_z', '1-a')
    >>> name_parts("prices.Prices.time_total(1.5, 'a/b')")[:3]
    ('prices.Prices', 'time_total', "1.5, 'a/b'")
    >>> name_parts("ratio 1.5").holder
    ''
    """
    if go := _GO_NAME.fullmatch(name):
        return NameParts(go["holder"] or "", go["method"], go["parameters"] or "", is_go=True)
    if python := _PYTHON_NAME.fullmatch(name):
        parameters = python["parameters"] or ""
        return NameParts(python["holder"], python["method"], parameters, is_python=True)
    if java := _JAVA_NAME.fullmatch(name):
        return NameParts(java["holder"] or "", java["method"], java["parameters"] or "")
    return NameParts("", name)


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
    >>> steady.Identity("example.com/codec.BenchmarkParse/size=10").method
    'BenchmarkParse'
    """

    name: str
    mode: str = "avgt"
    params: tuple[tuple[str, str], ...] = ()
    threads: int = 1

    @property
    def parts(self) -> NameParts:
        """The parts of its name."""
        return name_parts(self.name)

    @property
    def holder(self) -> str:
        """Its class with the packages, its package's import path, or its file; may be empty."""
        return self.parts.holder

    @property
    def method(self) -> str:
        """Its method or function."""
        return self.parts.method

    @property
    def parameters(self) -> str:
        """Its parameters as the harness writes them: ``n=10, kind=x``; of Go ``n=10/kind=x``."""
        return ", ".join(f"{key}={value}" for key, value in self.params) or self.parts.parameters

    @property
    def is_go(self) -> bool:
        """Whether the name is one of Go's: ``example.com/pkg.BenchmarkGet/n=10``."""
        return self.parts.is_go

    @property
    def is_python(self) -> bool:
        """Whether the name is one of a test of Python: ``tests/test_x.py::test_get[10]``."""
        return self.parts.is_python

    @property
    def label(self) -> str:
        """Name, parameters, mode, threads: ``org.Bench.get [n=10] (thrpt, 4 threads)``."""
        extras = [] if self.mode == "avgt" else [self.mode]
        if self.threads != 1:
            extras.append(f"{self.threads} {'processors' if self.is_go else 'threads'}")
        return (
            self.name
            + (f" [{self.parameters}]" if self.params else "")
            + (f" ({', '.join(extras)})" if extras else "")
        )


def by_method(identities: Iterable[Identity]) -> dict[str, tuple[Identity, ...]]:
    """Return benchmarks by their methods, with all combinations of parameters of each.

    >>> cases = [Identity("a.B.get", params=(("n", str(n)),)) for n in (1, 2)]
    >>> {method: len(own) for method, own in by_method([*cases, Identity("a.B.put")]).items()}
    {'a.B.get': 2, 'a.B.put': 1}
    """
    methods: dict[str, list[Identity]] = {}
    for identity in identities:
        method = identity.parts.qualifier + identity.method
        methods.setdefault(method, []).append(identity)
    return {method: tuple(own) for method, own in methods.items()}


def methods_listed(identities: Iterable[Identity], most: int = 5) -> str:
    """Name benchmarks in one line, by their methods and with the number of cases of each.

    >>> cases = [Identity("a.B.get", params=(("n", str(n)),)) for n in (1, 2)]
    >>> methods_listed([*cases, Identity("a.B.put")])
    'a.B.get (2), a.B.put'
    """
    names = [
        own[0].label if len(own) == 1 else f"{method} ({len(own):,})"
        for method, own in by_method(identities).items()
    ]
    return listed(names, most)
