r"""Grouped command lines: one start of JMH for all benchmarks of equal configuration.

Every value on JMH's command line counts for every benchmark of that start, over any annotation.
Benchmarks therefore share a start only where configuration, mode, threads and the values of their
parameters are equal. JMH takes a benchmark's name as a regular expression that may match anywhere
(``BenchmarkList.find``), hence ``^\Q...\E$``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from steady.emit.jmh_check import duration
from steady.emit.rectangles import rectangles
from steady.emit.worst_case import worst_case
from steady.model import ExecutionConfiguration
from steady.optimize.plan import BenchmarkPlan

_LONGEST_COMMAND = 100_000
"""Bytes of benchmark names in one start; a tenth of what macOS takes, Linux takes more."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """One start of JMH.

    Parameters
    ----------
    names : tuple of str
        Benchmarks that it runs.
    mode : str
        The mode in which it runs them.
    threads : int
        Worker threads.
    params : tuple of (str, tuple of str)
        By parameter name, the values; JMH runs every combination. A parameter that does not
        stand here runs with all of its annotated values.
    configuration : ExecutionConfiguration
        Of all of them.
    """

    names: tuple[str, ...]
    mode: str
    threads: int
    params: tuple[tuple[str, tuple[str, ...]], ...]
    configuration: ExecutionConfiguration

    @property
    def arguments(self) -> tuple[str, ...]:
        """What follows ``org.openjdk.jmh.Main``: options first, then what to run."""
        options = ["-bm", self.mode, "-t", str(self.threads)]
        options += _configuration_arguments(self.configuration, self.mode)
        for key, values in self.params:
            options += ["-p", f"{key}={','.join(values)}"]
        return (*options, *map(include_pattern, self.names))


def include_pattern(name: str) -> str:
    r"""Return the regular expression that matches exactly the benchmark called `name`.

    Characters beyond ASCII are written as code points, so that the pattern does not depend on
    the character set in which Java reads its command line.

    Parameters
    ----------
    name : str
        Any text.

    Returns
    -------
    str
        In the syntax of ``java.util.regex.Pattern``, in ASCII: ``^\Qorg.Bench.get\E$``.
    """
    quoted = name.replace("\\E", "\\E\\\\E\\Q")
    return f"^\\Q{''.join(map(_as_ascii, quoted))}\\E$"


def group(benchmarks: Iterable[BenchmarkPlan]) -> tuple[tuple[Invocation, ...], tuple[str, ...]]:
    """Return the starts of JMH that run each benchmark once, as its plan says.

    Parameters
    ----------
    benchmarks : iterable of BenchmarkPlan
        Any that `check_plan` lets through.

    Returns
    -------
    invocations : tuple of Invocation
        In the order of the benchmarks that come first in them.
    notes : tuple of str
        Where JMH cannot be told exactly what the plan says.
    """
    cells, notes = _cells(benchmarks)
    packs: dict[tuple[ExecutionConfiguration, str, int], list[_Pack]] = {}
    order: list[_Pack] = []
    for cell in cells:
        alike = packs.setdefault((cell.configuration, cell.mode, cell.threads), [])
        fitting = next((pack for pack in alike if pack.takes(cell)), None)
        if fitting is None:
            fitting = _Pack(cell)
            alike.append(fitting)
            order.append(fitting)
        fitting.add(cell)
    return tuple(i for pack in order for i in pack.invocations()), notes


def split_names(names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Split names into runs that fit on a command line."""
    run: list[str] = []
    size = 0
    for name in names:
        length = len(include_pattern(name)) + 1
        if run and size + length > _LONGEST_COMMAND:
            yield tuple(run)
            run, size = [], 0
        run.append(name)
        size += length
    if run:
        yield tuple(run)


def _configuration_arguments(configuration: ExecutionConfiguration, mode: str) -> list[str]:
    warmup = duration(configuration.warmup_seconds, mode)
    measurement = duration(configuration.iteration_seconds, mode)
    return [
        *("-f", str(configuration.forks)),
        *("-wi", str(configuration.warmup_iterations)),
        *(("-w", warmup.argument) if warmup else ()),
        *("-wbs", str(configuration.warmup_batch_size)),
        *("-i", str(configuration.iterations)),
        *(("-r", measurement.argument) if measurement else ()),
        *("-bs", str(configuration.batch_size)),
    ]


def _as_ascii(character: str) -> str:
    return character if character.isascii() else f"\\E\\x{{{ord(character):x}}}\\Q"


@dataclass(frozen=True, slots=True)
class _Cell:
    """Benchmarks of one method that differ in nothing but their parameters' values.

    ``params`` has None for the values of a parameter that JMH's command line cannot name.
    """

    name: str
    mode: str
    threads: int
    configuration: ExecutionConfiguration
    params: Mapping[str, tuple[str, ...] | None]


@dataclass(slots=True)
class _Pack:
    """Cells that share a start."""

    first: _Cell
    names: dict[str, None] = field(default_factory=dict)
    params: dict[str, tuple[str, ...] | None] = field(default_factory=dict)

    def takes(self, cell: _Cell) -> bool:
        return cell.name not in self.names and all(
            self.params.get(key, values) == values for key, values in cell.params.items()
        )

    def add(self, cell: _Cell) -> None:
        self.names[cell.name] = None
        self.params.update(cell.params)

    def invocations(self) -> Iterator[Invocation]:
        named = tuple((k, values) for k, values in self.params.items() if values is not None)
        for names in split_names(tuple(self.names)):
            yield Invocation(
                names, self.first.mode, self.first.threads, named, self.first.configuration
            )


_Method = tuple[str, str, int, tuple[str, ...]]
_Variants = dict[tuple[str, ...], ExecutionConfiguration]
_Merged = dict[tuple[str, ...], set[ExecutionConfiguration]]


def _cells(benchmarks: Iterable[BenchmarkPlan]) -> tuple[list[_Cell], tuple[str, ...]]:
    methods: dict[_Method, _Variants] = {}
    for benchmark in benchmarks:
        identity = benchmark.identity
        params = sorted(identity.params)
        method = (identity.name, identity.mode, identity.threads, tuple(k for k, _ in params))
        variants = methods.setdefault(method, {})
        variants[tuple(value for _, value in params)] = benchmark.configuration
    cells: list[_Cell] = []
    notes: list[str] = []
    for method, variants in methods.items():
        unnameable = _unnameable(variants)
        merged = _without(variants, unnameable)
        if unnameable:
            notes.append(_note(method, merged, unnameable))
        cells += _cells_of(method, merged, unnameable)
    return cells, tuple(notes)


def _unnameable(variants: _Variants) -> frozenset[int]:
    """Positions of the parameters that have a value with a comma, at which JMH splits."""
    return frozenset(i for values in variants for i, value in enumerate(values) if "," in value)


def _without(variants: _Variants, free: frozenset[int]) -> _Merged:
    """Drop the values at the `free` positions, and keep the configurations that come together."""
    merged: _Merged = {}
    for values, configuration in variants.items():
        left = tuple(value for i, value in enumerate(values) if i not in free)
        merged.setdefault(left, set()).add(configuration)
    return merged


def _cells_of(method: _Method, merged: _Merged, free: frozenset[int]) -> Iterator[_Cell]:
    name, mode, threads, keys = method
    named = [key for i, key in enumerate(keys) if i not in free]
    alike: dict[ExecutionConfiguration, list[tuple[str, ...]]] = {}
    for values, configurations in merged.items():
        alike.setdefault(worst_case(configurations), []).append(values)
    for configuration, combinations in alike.items():
        for sides in rectangles(combinations):
            params: dict[str, tuple[str, ...] | None] = dict.fromkeys(keys)
            params.update(zip(named, sides, strict=True))
            yield _Cell(name, mode, threads, configuration, params)


def _note(method: _Method, merged: _Merged, free: frozenset[int]) -> str:
    name, mode, _, keys = method
    which = ", ".join(repr(keys[i]) for i in sorted(free))
    differ = any(len(configurations) > 1 for configurations in merged.values())
    more = ", with the largest of their configurations" if differ else ""
    return (
        f"{name} ({mode}): a value of parameter {which} holds a comma, at which JMH's command line "
        f"splits it; all of its annotated values run together{more}"
    )
