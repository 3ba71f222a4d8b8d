"""The table of benchmark harnesses: steady's own, and those of other packages."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from steady.errors import InputError
from steady.harness.builds import Builds
from steady.harness.contract import Harness, Running
from steady.harness.known_facts import CountMetric
from steady.harness.runs import Runs
from steady.harness.trial import Version
from steady.registry import OnRequest, Registered, Registry

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


_OWN = {
    "jmh": OnRequest("steady.harness.jmh:JMH"),
    "go": OnRequest("steady.harness.go:GO"),
    "google-benchmark": OnRequest("steady.harness.google_benchmark:GOOGLE_BENCHMARK"),
    "criterion": OnRequest("steady.harness.criterion:CRITERION"),
    "pytest-benchmark": OnRequest("steady.harness.pytest_benchmark:PYTEST_BENCHMARK"),
    "pyperf": OnRequest("steady.harness.pyperf:PYPERF"),
    "tinybench": OnRequest("steady.harness.tinybench:TINYBENCH"),
    "asv": OnRequest("steady.harness.asv:ASV"),
    "benchmarkdotnet": OnRequest("steady.harness.benchmarkdotnet:BENCHMARKDOTNET"),
    "kotlinx-benchmark": OnRequest("steady.harness.kotlinx:KOTLINX"),
    "command": OnRequest("steady.harness.command:COMMAND"),
}


GROUP = "steady.harnesses"
"""The group of entry points; the name of each is that of its harness."""


def _installed(taken: Container[str]) -> Iterator[Harness]:
    """Yield the harnesses of installed packages, by name.

    Parameters
    ----------
    taken : container of str
        Reserved names.

    Raises
    ------
    InputError
        If one cannot be imported, is not a `Harness`, or has the name of another.
    """
    from importlib.metadata import entry_points  # as slow as the rest of the start-up

    seen: dict[str, str] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda one: (one.name, one.value)):
        package = _package_of(point)
        if point.name in taken:
            raise _wrong(point, f"has the name {point.name!r}, which is steady's own")
        other = seen.setdefault(point.name, package)
        if other != package:
            raise _wrong(point, f"has the name {point.name!r}, which {other} also uses")
        yield _loaded(point)


def _loaded(point: EntryPoint) -> Harness:
    try:
        harness = point.load()
    except Exception as error:  # a module of another package may raise anything
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise _wrong(point, f"cannot be imported from {point.value} ({reason})") from None
    if not isinstance(harness, Harness):
        raise _wrong(point, f"at {point.value} is not a steady.harness.Harness")
    if harness.name != point.name:
        raise _wrong(point, f"is called {harness.name!r}, and its entry point {point.name!r}")
    return harness


def _package_of(point: EntryPoint) -> str:
    return "an unknown package" if point.dist is None else point.dist.name


def _wrong(point: EntryPoint, problem: str) -> InputError:
    package = _package_of(point)
    return InputError(f"the harness of package {package} {problem}; update or remove {package}")


def _entry(one: Harness) -> Registered[Harness]:
    return Registered(one.name, one.summary, one.source, one)


def _known() -> Iterator[Registered[Harness]]:
    yield from (_entry(ask.load()) for ask in _OWN.values())
    yield from map(_entry, _installed((*_OWN, "series")))


class _Harnesses(Registry[Harness]):
    """The table of harnesses; other packages are searched only for unknown names."""

    def __getitem__(self, name: str) -> Registered[Harness]:
        own = _OWN.get(name)
        return super().__getitem__(name) if own is None else _entry(own.load())

    def __contains__(self, name: object) -> bool:
        return name in _OWN or super().__contains__(name)

    def __iter__(self) -> Iterator[str]:
        yield from _OWN
        yield from (name for name in super().__iter__() if name not in _OWN)


HARNESSES: Registry[Harness] = _Harnesses("harness", further=_known)
"""The harnesses by their names in results and plans."""


def harness_named(name: str) -> Harness:
    """Return a harness; an unknown one has only its name."""
    return HARNESSES[name].value if name in HARNESSES else Harness(name)


def builds_of(harness: Runs, versions: Sequence[Version]) -> Builds | None:
    """Return the builds of base and head; None if the harness cannot compare them.

    Parameters
    ----------
    harness : Runs
        The runs of their benchmarks.
    versions : sequence of Version
        Base and head.
    """
    search = HARNESSES[harness.name].value.same_code if harness.name in HARNESSES else None
    return None if search is None else search(harness, versions)


def own_patterns(text: str) -> list[Callable[[str], bool]]:
    """Return functions that test names against an expression in the syntax of a harness."""
    makers = (entry.value.own_pattern for entry in HARNESSES.values())
    return [make(text) for make in makers if make is not None]


def _runnable() -> Iterator[Registered[Running]]:
    for entry in HARNESSES.values():
        if entry.value.running is not None:
            yield Registered(entry.name, entry.summary, entry.source, entry.value.running)


RUNNABLE = Registry("harness", further=_runnable)
"""The harnesses that `steady run` can run."""


@cache
def count_metrics(harness: str = "") -> Mapping[str, CountMetric]:
    """Return the counts that are compared by default, by name.

    Parameters
    ----------
    harness : str
        The harness of the results; the counts of steady's own harnesses are always known.
    """
    names = (*_OWN, harness) if harness else _OWN
    return {one.name: one for name in names for one in harness_named(name).counts}
