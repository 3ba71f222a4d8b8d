"""The starts of the steady state that every detector sees in the forks of a full run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from steady.errors import InputError
from steady.model import Benchmark, FloatArray, Identity
from steady.optimize.suite_plan import BenchmarkPlan, Plan
from steady.steadystate import METHODS, detect
from steady.text.numbers import count

MOST_ITERATIONS = 4_000
"""Iterations that every detector looks at in one report: all of them together take a hundred
times as long as the one that the plan uses."""

MOST_WINDOWS: Mapping[str, int] = {"rocket": 2_000, "fcn": 100, "oscnn": 100}
"""Windows that a learned detector may have to score in one report: about a second. A fork of 600
iterations or more has 500 of them; until one is stable, that takes `oscnn` five seconds."""


@dataclass(frozen=True, slots=True)
class DetectorStarts:
    """What one detector says of all forks of a benchmark.

    Parameters
    ----------
    detector : str
        Its registered name.
    starts : tuple of int or None
        Per fork, the first steady iteration; None: never steady.
    used : bool
        Whether the plan was made with it.
    """

    detector: str
    starts: tuple[int | None, ...]
    used: bool

    @property
    def never(self) -> int:
        """Forks that never become steady."""
        return self.starts.count(None)


def used_detector(plan: Plan, entry: BenchmarkPlan) -> list[DetectorStarts]:
    """Return what the plan says of a benchmark; empty if it says nothing."""
    return [DetectorStarts(detector_of(plan), entry.starts, True)] if entry.starts else []


def detector_of(plan: Plan) -> str:
    """Return the name of the detector that a plan was made with."""
    name = plan.options.get("detector")
    return name if isinstance(name, str) else "the plan"


@dataclass(frozen=True, slots=True)
class Asked:
    """The detectors that a report asks, and the benchmarks of the full run that it asks about.

    Parameters
    ----------
    names : mapping of Identity to tuple of str
        The detectors that are asked about a benchmark, in the order of their registration.
    benchmarks : int
        How many benchmarks there are.
    most_iterations : int
        How many iterations every detector may look at.
    short : int
        Benchmarks of `names` whose forks are too short for learned detectors.
    """

    names: Mapping[Identity, tuple[str, ...]]
    benchmarks: int
    most_iterations: int
    short: int

    @property
    def summary(self) -> str:
        """Say which detectors are shown; empty if none was asked."""
        if not self.names:
            return ""
        rare = list(self._rare)
        but = f" but {_all_of(rare)}" if rare else ""
        of_all = f"{len(self.names):,} of {count(self.benchmarks, 'benchmark')}"
        return f"All detectors{but} are shown for {of_all}."

    @property
    def left_out(self) -> str:
        """Say which detectors were not asked, and why; empty if all were."""
        from steady.papers.learned_windows import WINDOW  # loaded by who asks for detectors

        rare = self._rare
        sentences = [self._too_many()] if len(self.names) < self.benchmarks else []
        sentences += [
            _rarely([name for name in rare if rare[name] == shown], shown)
            for shown in sorted(set(rare.values()))
        ]
        if rare and self.short:
            sentences.append(f"A fork of fewer than {WINDOW} iterations is too short for them.")
        slow = [name for name, shown in rare.items() if shown < len(self.names) - self.short]
        if slow:
            sentences.append(
                f"{_all_of(slow)} can take seconds for a fork of more than {WINDOW} iterations; "
                f"steady analyze FULL --detector {slow[0]} asks {slow[0]} about all of them."
            )
        return " ".join(sentences)

    def _too_many(self) -> str:
        """Say which benchmarks no other detector was asked about."""
        most = f"look at {self.most_iterations:,} iterations in all"
        if self.names:
            return f"They {most}, those of the most important benchmarks."
        return (
            f"Only the plan's own detector is shown. The others {most}, and one benchmark has more."
        )

    @property
    def _rare(self) -> Mapping[str, int]:
        """The learned detectors that are asked about fewer benchmarks than the others."""
        counts = Counter(name for names in self.names.values() for name in names)
        return {name: counts[name] for name in MOST_WINDOWS if counts[name] < len(self.names)}


NOBODY = Asked({}, 0, 0, 0)
"""For pictures in which only the plan's own detector is shown."""


def asked(benchmarks: Iterable[Benchmark], used: str, most_iterations: int) -> Asked:
    """Choose the benchmarks that detectors are asked about: the first ones, within the limits.

    Parameters
    ----------
    benchmarks : iterable of Benchmark
        Of the full run, the most important first.
    used : str
        The detector that the plan was made with; its answers are known.
    most_iterations : int
        How many iterations every detector may look at; learned ones also score no more windows
        than `MOST_WINDOWS`.
    """
    from steady.papers.learned_windows import WINDOW, windows_within  # as above

    all_benchmarks = list(benchmarks)
    chosen: dict[Identity, tuple[str, ...]] = {}
    iterations = windows = short = 0
    for benchmark in all_benchmarks:
        forks, length = benchmark.fork_times.shape
        iterations += forks * length
        if iterations > most_iterations:
            break
        windows += forks * windows_within(length)
        short += length < WINDOW
        chosen[benchmark.identity] = tuple(
            name
            for name in _known_detectors()
            if name == used
            or name not in MOST_WINDOWS
            or (length >= WINDOW and windows <= MOST_WINDOWS[name])
        )
    return Asked(chosen, len(all_benchmarks), most_iterations, short)


def every_detector(
    used: DetectorStarts, benchmark: Benchmark, names: Iterable[str]
) -> list[DetectorStarts]:
    """Return what some detectors say of a benchmark, in this order, and the one of the plan."""
    names = tuple(names)
    names = names if used.detector in names else (used.detector, *names)
    series = benchmark.fork_times
    return [
        used
        if name == used.detector
        else DetectorStarts(name, tuple(_start(fork, name) for fork in series), False)
        for name in names
    ]


def _known_detectors() -> list[str]:
    """Return the registered names; a detector that is registered under two names has one here."""
    known: dict[object, str] = {}
    for entry in METHODS.values():
        known.setdefault(entry.held, entry.name)
    return list(known.values())


def _all_of(names: Sequence[str]) -> str:
    """Write a few names in a sentence."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _rarely(names: Sequence[str], shown: int) -> str:
    """Say how few benchmarks some detectors are asked about."""
    be = "was" if len(names) == 1 else "were"
    about = f"only asked about {count(shown, 'benchmark')}" if shown else "not asked"
    return f"{_all_of(names)} {be} {about}."


def _start(fork: FloatArray, method: str) -> int | None:
    try:
        return detect(fork, method).start
    except InputError:  # the series holds what this detector cannot judge
        return None
