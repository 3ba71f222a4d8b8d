"""Benchmarks that share a process: which do, in which order, and what becomes of failed ones."""

import math
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pytest
from scripted_harness import (
    NAMES,
    TRIALS,
    ScriptedHarness,
    content_of,
    journal_of,
    merged,
    run,
)
from simulated_suite import PAIR_START, VERSIONS, SimulatedHarness, recorded_series, run_within

from steady.engine import RunRecord, Trial, Turn
from steady.engine.shared_processes import SHARED_SECONDS, Room, SharedProcesses, joining
from steady.engine.unplanned import unplanned
from steady.harness.trial import NotReachedError, TrialError
from steady.model import ExecutionConfiguration, Identity

HOW = ExecutionConfiguration(1, 1, 1, 1.0, 1.0)
THREE = SharedProcesses(dict.fromkeys(map(Identity, NAMES[:3]), "file"), 2.0)


def run_shared(folder: Path, harness: ScriptedHarness, **more: Any) -> RunRecord:
    return run(folder, harness, turns="iterations", processes=THREE, **more)


class TestAWholeRun:
    def test_each_round_starts_one_process_for_all(self, tmp_path: Path) -> None:
        harness = ScriptedHarness()
        state = run_shared(tmp_path / "out", harness)
        assert state.complete
        rounds = Counter(trial.round for trial in TRIALS[::2] if trial.identity.name in NAMES[:3])
        sizes = [size for _, size in sorted(rounds.items())]
        assert [len(names) for names in harness.shared] == [size for size in sizes if size > 1]
        orders = {names for names in harness.shared if len(names) == 3}
        assert len(orders) > 1 or sizes.count(3) < 2  # it is random
        # All else is as without shared processes.
        reference = ScriptedHarness()
        assert run(tmp_path / "other", reference, turns="iterations").complete
        ours, others = content_of(tmp_path / "out"), content_of(tmp_path / "other")
        assert ours[:2] == others[:2]
        for version in ("base", "head"):
            one, other = (merged(tmp_path / name, version) for name in ("out", "other"))
            assert sorted(one["forks"]) == sorted(other["forks"])
            assert sorted(one["in_turn"]) == sorted(other["in_turn"])

    def test_the_journal_names_the_process(self, tmp_path: Path) -> None:
        run_shared(tmp_path, ScriptedHarness())
        entries = journal_of(tmp_path)
        by_process: dict[str, list[dict[str, Any]]] = {}
        for entry in entries:
            by_process.setdefault(entry["process"], []).append(entry)
        alone = by_process.pop("")
        assert {entry["benchmark"] for entry in alone} >= {NAMES[3]}
        for own in by_process.values():
            assert len({(entry["start"], entry["end"], entry["block"]) for entry in own}) == 1
            assert all(entry["in_turn"] for entry in own)
            assert {len(own)} <= {4, 6}
            # Each counts for its share, so that all shares are the whole.
            assert sum(entry["seconds"] for entry in own) == pytest.approx(1.0, abs=0.01)

    def test_a_run_that_is_stopped_goes_on(self, tmp_path: Path) -> None:
        for number in (4, 9):
            run_shared(tmp_path, ScriptedHarness({number: "interrupt"}), resume=True)
        assert run_shared(tmp_path, ScriptedHarness(), resume=True).complete
        numbers = [entry["number"] for entry in journal_of(tmp_path)]
        assert sorted(numbers) == list(range(len(TRIALS)))


class TestFailures:
    def test_a_benchmark_that_fails_gets_its_own_process(self, tmp_path: Path) -> None:
        harness, log = ScriptedHarness(), list[str]()
        harness.fails_when_shared = {NAMES[0]: "it needs the file alone"}
        assert run_shared(tmp_path, harness, log=log).complete
        assert sum(NAMES[0] in names for names in harness.shared) == 1
        said = [line for line in log if "process" in line]
        assert said == [f"1 benchmark ({NAMES[0]}) gets its own process: it needs the file alone"]
        own = [e for e in journal_of(tmp_path) if e["benchmark"] == NAMES[0]]
        assert {(e["status"], e["process"], e["in_turn"]) for e in own} == {("ok", "", True)}
        assert len(own) == sum(trial.identity.name == NAMES[0] for trial in TRIALS)

    def test_benchmarks_after_a_crash_stay_together(self, tmp_path: Path) -> None:
        harness = ScriptedHarness()
        first = next(t.identity.name for t in TRIALS if t.identity.name in NAMES[:3])
        harness.fails_when_shared = {first: "crash"}
        assert run_shared(tmp_path, harness).complete
        assert harness.shared[0][0] == first
        assert all(first not in names for names in harness.shared[1:])
        assert set(harness.shared[1]) == {*harness.shared[0]} - {first}

    def test_a_process_that_reaches_nothing_is_not_started_for_ever(self, tmp_path: Path) -> None:
        class Nothing(ScriptedHarness):
            def measure_shared(
                self, trials: Sequence[Trial], results: Sequence[Path], seconds: float
            ) -> Sequence[Turn | TrialError]:
                self.shared.append(tuple(trial.identity.name for trial in trials[::2]))
                return [NotReachedError("it found no test")] * len(trials)

        harness = Nothing()
        assert run_shared(tmp_path, harness).complete
        firsts = [names[0] for names in harness.shared]
        assert len(firsts) == len(set(firsts)) == 2  # then only one benchmark is left

    def test_one_that_also_fails_alone_is_reported_once(self, tmp_path: Path) -> None:
        numbers = [t.number for t in TRIALS if t.identity.name == NAMES[0]]
        harness = ScriptedHarness(dict.fromkeys(numbers, "crash"))
        harness.fails_when_shared = {NAMES[0]: "it crashed"}
        state = run_shared(tmp_path, harness)
        assert {trial.identity.name for trial, _ in state.lost} == {NAMES[0]}
        assert sum(NAMES[0] in names for names in harness.shared) == 1


def trial(name: str, seconds: float) -> Trial:
    return Trial(0, 0, "base", Identity(name), HOW, seconds, 10.0)


def joined(
    seconds: Sequence[float],
    room: Room,
    *,
    without_priority: Collection[int] = (),
    start: float = 0.0,
) -> list[str]:
    """Return the names of the benchmarks that join the first one of those with some seconds."""
    pairs = [(trial(str(place), own),) for place, own in enumerate(seconds)]
    processes = SharedProcesses({pair[0].identity: "file" for pair in pairs}, start)
    found = joining(
        pairs[0],
        pairs[1:],
        processes,
        lambda pair: pair[0].seconds,
        lambda pair: int(pair[0].identity.name) not in without_priority,
        room,
    )
    return [pair[0].identity.name for pair in found]


class TestJoining:
    def test_as_many_as_fit_into_the_time(self) -> None:
        assert joined([2, 3, 9, 4], Room(10, 0, is_first=False)) == ["1", "3"]
        assert joined([2, 3, 9, 4], Room(math.inf, 0, is_first=True)) == ["1", "2", "3"]

    def test_the_start_counts_for_those_who_do_not_come(self) -> None:
        # Four share a start of 4 s, 1 s each; three of them have to pay for the fourth.
        assert joined([2, 2, 2, 99], Room(7, 0, is_first=False), start=4) == ["1", "2"]
        assert joined([2, 2, 2, 99], Room(6.9, 0, is_first=False), start=4) == ["1"]

    def test_no_process_is_longer_than_a_minute(self) -> None:
        assert len(joined([1.0] * 100, Room(math.inf, 0, is_first=False))) == SHARED_SECONDS - 1

    def test_the_first_process_of_a_run_is_short(self) -> None:
        assert len(joined([1.0] * 30, Room(40, 0, is_first=True))) == 9

    def test_those_without_priority_leave_time(self) -> None:
        room = Room(10, 6, is_first=False)
        assert joined([2, 2, 2, 2], room, without_priority=[1, 2]) == ["1", "3"]


def test_benchmarks_that_share_a_process() -> None:
    class Files(ScriptedHarness):
        name = "pytest-benchmark"

        def shared_process(self, identity: Identity) -> str:
            file, _, own = identity.name.partition("::")
            return file if own else ""

    names = ["a::x", "a::y", "a::z", "b::x", "c"]
    identities = [*map(Identity, names)]
    harness: Any = Files()
    own = SharedProcesses.of(harness, identities, lambda identity: identity.name == "a::y")
    assert {i.name: name for i, name in own.names.items()} == {"a::x": "a", "a::z": "a"}
    assert own.start > 0
    assert own.starts(identities) == 4 / 5
    assert own.missing_start(identities[:1]) == own.start / 2
    assert own.missing_start([identities[0], identities[2]]) == 0
    assert own.missing_start(identities[3:4]) == 0
    assert SharedProcesses.of(harness, identities[2:], lambda _: False) == SharedProcesses()


class SimulatedFiles(SimulatedHarness):
    """Benchmarks of which ten share a file, whose process starts once for all of them."""

    def measure_shared(
        self, trials: Sequence[Trial], results: Sequence[Path], seconds: float
    ) -> Sequence[Turn | TrialError]:
        began, ends = self.now, list[Turn | TrialError]()
        for first in range(0, len(trials), 2):
            own = slice(first, first + 2)
            ends += self.measure_in_turn(trials[own], results[own])
        self.now -= (len(trials) // 2 - 1) * PAIR_START
        assert self.now - began <= seconds
        return ends


@pytest.mark.parametrize("screens", [False, True])
def test_more_benchmarks_get_a_verdict_in_the_same_time(tmp_path: Path, screens: bool) -> None:
    series = recorded_series(40)
    held = {version.name: series for version in VERSIONS}
    files = SharedProcesses({i: i.name.rpartition(".")[0] for i in series}, PAIR_START)
    slower = list(series)[::20]
    looked_at = {}
    for name, processes in (("alone", None), ("shared", files)):
        harness = SimulatedFiles(series, dict.fromkeys(slower, 1.5), live=False)
        planned = unplanned(
            list(series), held, {}, harness="pytest-benchmark", seconds=160.0, processes=processes
        )
        within = run_within(
            tmp_path / name, harness, 160.0, planned, processes=processes, screens=screens
        )
        looked_at[name] = len(within.looked_at)
        assert within.slower <= set(slower)
    assert looked_at["shared"] >= 1.5 * looked_at["alone"]
    assert screens or looked_at["shared"] == len(series)
