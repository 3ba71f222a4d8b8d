"""Randomized multiple interleaved trials: the order in which the forks run.

The speed of a machine drifts with temperature and other load. In every round, base and head of a
benchmark run right after each other, and each goes first equally often, so that drift affects both
equally. The benchmarks of a round run in random order, so that none always runs next to the same
one (Abedi and Brecht, "Conducting Repeatable Experiments in Highly Variable Cloud Computing
Environments", ICPE 2017; µOpTime, section 2.2).
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from steady.engine.workload import Workload
from steady.harness.runs import Turns
from steady.harness.trial import Trial
from steady.model import Identity


def schedule(
    workloads: Sequence[Workload], *, seed: int, after: Sequence[Trial] = ()
) -> tuple[Trial, ...]:
    """Put the forks of a suite in order.

    There are as many rounds as the largest number of forks of a benchmark. A benchmark with fewer
    forks is spread evenly over them, at most once in each, and the rounds are about equally full.
    Within a round the benchmarks are in random order, and the versions of a benchmark run one
    after the other; every version goes first equally often, plus or minus one.

    Parameters
    ----------
    workloads : sequence of Workload
        The workloads.
    seed : int
        The same workloads and seed give the same order.
    after : sequence of Trial
        The whole schedule that these trials follow. Each benchmark continues with the version that
        went first less often.

    Returns
    -------
    tuple of Trial
        The trials in the order of execution.
    """
    generator = np.random.default_rng([seed, len(after)] if after else seed)
    rounds: list[list[tuple[Workload, tuple[str, ...]]]] = [
        [] for _ in range(max((w.configuration.forks for w in workloads), default=0))
    ]
    former = _by_benchmark(after)
    for workload, offset in _offsets(workloads, len(rounds), generator):
        forks = workload.configuration.forks
        orders = _orders(workload.versions, forks, generator, _due(workload, former))
        for fork, order in enumerate(orders):
            rounds[(fork * len(rounds) + offset) // forks].append((workload, order))
    trials: list[Trial] = []
    first_round = 1 + max((trial.round for trial in after), default=-1)
    for number, entries in enumerate(rounds, start=first_round):
        for index in generator.permutation(len(entries)):
            workload, order = entries[index]
            for version in order:
                trials.append(_trial(len(after) + len(trials), number, version, workload))
    return tuple(trials)


def further_rounds(
    trials: Sequence[Trial], rounds: Mapping[Identity, int], *, seed: int
) -> tuple[Trial, ...]:
    """Return additional rounds of measured benchmarks, with the same configuration.

    Parameters
    ----------
    trials : sequence of Trial
        The whole schedule so far.
    rounds : mapping of Identity to int
        Number of additional forks of every version, at least 1, for some of the benchmarks.
    seed : int
        Seed of their order; with the same seed, other trials have a different order.
    """
    workloads, by_benchmark = [], _by_benchmark(trials)
    for identity, forks in rounds.items():
        former = by_benchmark[identity]
        one = former[0]
        workloads.append(
            Workload(
                identity,
                replace(one.configuration, forks=forks),
                min(trial.seconds for trial in former),  # one of them includes the harness's start
                one.timeout,
                tuple(sorted({trial.version for trial in former})),
            )
        )
    return schedule(workloads, seed=seed, after=trials)


def with_starts(
    trials: Sequence[Trial], seconds: float, turns: Turns = "forks"
) -> tuple[Trial, ...]:
    """Return the schedule with the harness's start added to the first fork of each version.

    Parameters
    ----------
    trials : sequence of Trial
        The whole schedule.
    seconds : float
        Seconds that each version takes once, before its first fork.
    turns : {"iterations", "forks"}
        If two versions are interleaved by iteration, they start at the same time.
    """
    first = {trial.version: trial.number for trial in reversed(trials)}
    if turns == "iterations" and len(first) == 2:
        seconds /= 2
    return tuple(
        replace(trial, seconds=trial.seconds + seconds)
        if first[trial.version] == trial.number
        else trial
        for trial in trials
    )


def _offsets(
    workloads: Sequence[Workload], rounds: int, generator: np.random.Generator
) -> Iterator[tuple[Workload, int]]:
    """Yield each benchmark with its offset among those with the same number of forks.

    Fork k of a benchmark with offset o and f forks runs in round ``(k * rounds + o) // f``.
    Offsets that are spread evenly over 0 ... rounds - 1 make the rounds equally full.
    """
    for forks in sorted({workload.configuration.forks for workload in workloads}):
        alike = [workload for workload in workloads if workload.configuration.forks == forks]
        for place, index in enumerate(generator.permutation(len(alike))):
            yield alike[index], place * rounds // len(alike)


def _by_benchmark(trials: Sequence[Trial]) -> Mapping[Identity, list[Trial]]:
    groups: dict[Identity, list[Trial]] = defaultdict(list)
    for trial in trials:
        groups[trial.identity].append(trial)
    return groups


def _due(workload: Workload, former: Mapping[Identity, Sequence[Trial]]) -> tuple[str, ...]:
    """Return the versions that have gone first less often than another one."""
    own = reversed(former.get(workload.identity, ()))
    first = Counter({trial.round: trial.version for trial in own}.values())
    most = max(first.values(), default=0)
    return tuple(version for version in workload.versions if first[version] < most)


def _orders(
    versions: tuple[str, ...], forks: int, generator: np.random.Generator, due: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    """Return an order of the versions for each fork.

    A group of as many forks as versions gets the rotations of one random order, in random order.
    If some versions are due, the first group has only the rotations that begin with these.
    """
    shuffled, starts = list(versions), list[int]()
    for fork in range(forks):
        if not starts:
            shuffled = [versions[i] for i in generator.permutation(len(versions))]
            starts = [int(start) for start in generator.permutation(len(versions))]
            if fork == 0 and due:
                starts = [start for start in starts if shuffled[start] in due]
        start = starts.pop()
        yield (*shuffled[start:], *shuffled[:start])


def _trial(number: int, round_number: int, version: str, workload: Workload) -> Trial:
    return Trial(
        number,
        round_number,
        version,
        workload.identity,
        replace(workload.configuration, forks=1),
        workload.fork_seconds,
        workload.timeout,
    )
