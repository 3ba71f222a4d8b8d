"""The identity of a benchmark, and the parts of its name."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from steady.text.numbers import listed

_GO_NAME = re.compile(
    r"(?:(?P<holder>\S+?)\.)??(?P<method>Benchmark(?![a-z])\w*)(?:/(?P<parameters>.*))?", re.DOTALL
)
"""Import paths and names of sub-benchmarks may contain dots and slashes."""

_JAVA_NAME = re.compile(
    r"(?:(?P<holder>[^/(]+)\.)?(?P<method>(?:\$|[^\W\d])[^./(]*)(?:\((?P<parameters>.*)\))?",
    re.DOTALL,
)
"""Java names, and names of harnesses that append parameters as in a call: ``a.B.get(10)``."""

_PYTHON_NAME = re.compile(
    r"(?P<holder>[^:\[]+\.py(?:::\w+)*)::(?P<method>\w+)(?:\[(?P<parameters>.+)\])?", re.DOTALL
)


class NameParts(NamedTuple):
    """The parts of a benchmark's name.

    Parameters
    ----------
    holder : str
        Container of the method: the qualified class in Java, the import path in Go, the file and
        classes of a Python test; may be empty.
    method : str
        The method or function.
    parameters : str
        Parameters, if the harness includes them in the name: the path of a Go sub-benchmark, or the
        text in brackets after a Python test or a method.
    is_go, is_python : bool
        Whether it is the name of a Go benchmark, or of a Python test.
    """

    holder: str
    method: str
    parameters: str = ""
    is_go: bool = False
    is_python: bool = False

    @property
    def qualifier(self) -> str:
        """The holder with the following separator; may be empty."""
        return self.holder and self.holder + ("::" if self.is_python else ".")

    @property
    def member(self) -> str:
        """The name within its holder: method and parameters."""
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
    """Split a benchmark's name into its parts.

    A name of unknown form is returned as a method without a holder.

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
    """The identity of a benchmark; results with equal identities belong to the same benchmark.

    Parameters
    ----------
    name : str
        Fully qualified name, as written by the harness.
    mode : str
        Short name of the harness's mode; for JMH ``thrpt``, ``avgt``, ``sample`` or ``ss``.
    params : tuple of (str, str)
        Parameter names and values, in the harness's order.
    threads : int
        Number of worker threads; for Go, the number of processors (``GOMAXPROCS``).

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
        """Its qualified class, import path or file; may be empty."""
        return self.parts.holder

    @property
    def method(self) -> str:
        """Its method or function."""
        return self.parts.method

    @property
    def parameters(self) -> str:
        """Its parameters as written by the harness: ``n=10, kind=x``; in Go ``n=10/kind=x``."""
        return ", ".join(f"{key}={value}" for key, value in self.params) or self.parts.parameters

    @property
    def is_go(self) -> bool:
        """Whether it is a Go benchmark: ``example.com/pkg.BenchmarkGet/n=10``."""
        return self.parts.is_go

    @property
    def is_python(self) -> bool:
        """Whether it is a Python test: ``tests/test_x.py::test_get[10]``."""
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
    """Group benchmarks by method, each with all its combinations of parameters.

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
    """List benchmarks in one line, by method and with the number of cases of each.

    >>> cases = [Identity("a.B.get", params=(("n", str(n)),)) for n in (1, 2)]
    >>> methods_listed([*cases, Identity("a.B.put")])
    'a.B.get (2), a.B.put'
    """
    names = [
        own[0].label if len(own) == 1 else f"{method} ({len(own):,})"
        for method, own in by_method(identities).items()
    ]
    return listed(names, most)
