"""Interleaved forks with real versions of JMH."""

import json
import os
import shutil
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from jmh_forks import trial
from test_run_jmh_real import javas, merged, suite, thorough

from steady.engine import ForkResult, HarnessSettings, StopRule, Trial, TrialError, Version
from steady.execution.lanes import Lane, move_thread, processors_by_core
from steady.harness.jmh.run import one_processor
from steady.harness.jmh.run.forks_in_turn import HINT
from steady.harness.jmh.run.java_program import HOOK
from steady.harness.jmh.run.jmh_runs import JmhRuns, JmhSession
from steady.harness.runs import Turn
from steady.model import Identity

BuildJar = Callable[[str], Path]

pytestmark = pytest.mark.needs("java", "mvn")

SIDES = ("base", "head")
MEASURED = 5
BASE, HEAD = SIDES
ABBA = [BASE, HEAD, HEAD, BASE, HEAD, BASE, BASE, HEAD, BASE, HEAD]
ALLOCATES = suite("Turning.allocates")
HOOKED = {"gc.alloc.rate.norm", "gc.count", "gc.time", "steady.compiled", "steady.cpu"}


@dataclass(frozen=True)
class Pair:
    """Base and head from one jar, which differ only in their names."""

    versions: Sequence[Version]
    folder: Path

    @property
    def results(self) -> list[Path]:
        return [self.folder / f"{side}.json" for side in SIDES]

    def harness(self, rule: StopRule | None = None, **properties: object) -> JmhRuns:
        own = {"log": self.diary, **properties}
        arguments = tuple(f"-Dturning.{key}={value}" for key, value in own.items())
        return JmhRuns(HarnessSettings(jvm_args=arguments, stop=rule))

    def trials(self, identity: Identity, *, warmup: int = 0, timeout: float = 60.0) -> list[Trial]:
        one = trial(identity, timeout=timeout)
        configuration = replace(one.configuration, iterations=MEASURED, warmup_iterations=warmup)
        return [
            replace(one, number=number, version=side, configuration=configuration)
            for number, side in enumerate(SIDES)
        ]

    def run(
        self, session: JmhSession, identity: Identity = ALLOCATES, **options: Any
    ) -> Sequence[Turn | TrialError]:
        for result in self.results:
            result.unlink(missing_ok=True)
        trials = self.trials(identity, **options)
        assert session.obstacle(trials) == ""
        return session.measure_in_turn(trials, self.results)

    def upon_the_first_of_head(self, act: Callable[[int], None]) -> threading.Thread:
        """Start a thread that acts on head's process once it has begun an iteration."""

        def wait() -> None:
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline:
                lines = self.diary.read_text().splitlines() if self.diary.exists() else []
                for line in lines:
                    if line.startswith("head + "):
                        act(int(line.split()[2]))
                        return
                time.sleep(0.005)

        thread = threading.Thread(target=wait)
        thread.start()
        return thread

    @property
    def diary(self) -> Path:
        return self.folder / "diary"

    def events(self) -> list[tuple[str, str, str]]:
        """Return side, ``+`` or ``-``, and process for all iterations since the last call."""
        lines = self.diary.read_text().splitlines() if self.diary.exists() else []
        self.diary.unlink(missing_ok=True)
        return [(side, event, process) for side, event, process in map(str.split, lines)]

    def begun(self) -> list[str]:
        """Return the sides of iterations in order; check that no two ran at the same time."""
        events = self.events()
        assert [event for _, event, _ in events] == ["+", "-"] * (len(events) // 2)
        return [side for side, event, _ in events if event == "+"]


@pytest.fixture
def pair(request: pytest.FixtureRequest, build_jar: BuildJar, tmp_path: Path) -> Pair:
    jar = build_jar(getattr(request, "param", "1.37"))
    versions = [Version(side, tmp_path / f"{side}.jar") for side in SIDES]
    for version in versions:
        shutil.copy(jar, version.target)
    return Pair(versions, tmp_path)


def record_of(path: Path) -> dict[str, Any]:
    (record,) = json.loads(path.read_text(encoding="utf-8"))
    found: dict[str, Any] = record
    return found


EVERY_KIND = [
    ALLOCATES,
    suite("Turning.allocates", "thrpt"),
    suite("Turning.allocates", "sample"),
    suite("Turning.allocates", "ss"),
    suite("Turning.onTwoThreads", threads=2),
    suite("Turning.twoGroups", "thrpt", 3),
    suite("Turning.named", text="a,b"),
]


@pytest.mark.parametrize(
    ("pair", "kinds", "warmup"),
    [
        ("1.37", [EVERY_KIND[place] for place in (0, 3, 5)], 0),
        thorough("1.37", EVERY_KIND, 2),
        thorough("1.21", EVERY_KIND, 0),
    ],
    indirect=["pair"],
    ids=["three", "1.37", "1.21"],
)
def test_every_kind_of_benchmark_takes_turns(
    pair: Pair, kinds: list[Identity], warmup: int, tmp_path: Path
) -> None:
    forks: dict[str, list[ForkResult]] = {side: [] for side in SIDES}
    harness = pair.harness()
    with harness.open(pair.versions, tmp_path) as session:
        for identity in kinds:
            turns = pair.run(session, identity, warmup=warmup)
            assert pair.begun() == ABBA[: 2 * warmup] + ABBA
            trials = pair.trials(identity, warmup=warmup)
            for turn, one, result in zip(turns, trials, pair.results, strict=True):
                assert isinstance(turn, Turn)
                assert turn.in_turn
                assert turn.iteration_seconds is not None
                assert turn.iteration_seconds >= (0.0 if identity.mode == "ss" else 0.01 * MEASURED)
                own = forks[one.version]
                kept = result.rename(tmp_path / f"{len(own)}.{one.version}.json")
                own.append(ForkResult(one, "run:0", kept, in_turn=True))
    assert not javas()
    for side in SIDES:
        assert set(merged(harness, forks[side], tmp_path)) == set(kinds)
        for record in json.loads((tmp_path / "merged.json").read_text(encoding="utf-8")):
            metrics = {n.lstrip("·"): m for n, m in record["secondaryMetrics"].items()}
            assert metrics.keys() >= HOOKED
            assert {tuple(map(len, metrics[name]["rawData"])) for name in HOOKED} == {(MEASURED,)}
            allocates = record["benchmark"].endswith(("allocates", "onTwoThreads"))
            if allocates and record["mode"] != "ss":
                # JMH and the diary allocate about 30,000 bytes per iteration.
                (of_each,) = metrics["gc.alloc.rate.norm"]["rawData"]
                assert min(of_each) == pytest.approx(100_016, rel=0.1)
            assert "turning.log" in " ".join(record["jvmArgs"])
            assert "SteadyTurns" not in json.dumps(record)


REASONS = {"halt": "code 3", "throw": "as it should", "hang": "exceeded its limit of 8 s"}


@pytest.mark.parametrize(
    ("how", "iteration"),
    [
        ("halt", 0),
        *(thorough(how, n) for how in ("halt", "throw") for n in (2, MEASURED - 1)),
        *(thorough("throw", 0), thorough("hang", 1)),
    ],
)
def test_failed_fork_does_not_affect_its_partner(
    how: str, iteration: int, pair: Pair, tmp_path: Path
) -> None:
    harness = pair.harness(fails=f"head:{iteration}:{how}")
    with harness.open(pair.versions, tmp_path) as session:
        turn, error = pair.run(session, timeout=8.0 if how == "hang" else 60.0)
        assert not pair.results[1].exists()
        assert len(record_of(pair.results[0])["primaryMetric"]["rawData"][0]) == MEASURED
        assert session.obstacle(pair.trials(ALLOCATES)) == ""
    assert isinstance(turn, Turn)
    assert turn.in_turn == (iteration == MEASURED - 1)
    assert isinstance(error, TrialError)
    assert REASONS[how] in str(error)
    assert HINT not in str(error)
    assert error.log
    begun = [side for side, event, _ in pair.events() if event == "+"]
    assert (begun.count("base"), begun.count("head")) == (MEASURED, iteration + 1)
    assert not javas()


@pytest.mark.thorough
@pytest.mark.skipif(len(processors_by_core()) < 2, reason="needs two processors")
@pytest.mark.parametrize("fails", [False, True])
def test_two_pairs_at_once_have_processors_of_their_own(
    pair: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, fails: bool
) -> None:
    pinned: list[set[int]] = []

    def moved(thread: int, processors: set[int]) -> None:
        pinned.append(processors)
        move_thread(thread, processors)

    monkeypatch.setattr(one_processor, "move_thread", moved)
    kinds = [ALLOCATES, suite("Absent.absent" if fails else "Suite.twoModes")]
    trials = [
        replace(one, number=len(SIDES) * place + one.number)
        for place, kind in enumerate(kinds)
        for one in pair.trials(kind, warmup=2)
    ]
    results = [tmp_path / f"{trial.number}.json" for trial in trials]
    with pair.harness().open(pair.versions, tmp_path) as session:
        outcomes = session.measure_in_turn(trials, results)
        assert session.obstacle(trials[:2]) == ""
        events = pair.events()
    assert not javas()
    for trial_, outcome, result in zip(trials, outcomes, results, strict=True):
        if fails and trial_.identity == kinds[1]:
            assert isinstance(outcome, TrialError)
            assert not result.exists()
            continue
        assert isinstance(outcome, Turn)
        assert outcome.in_turn
        assert record_of(result)["benchmark"] == trial_.identity.name
        assert len(record_of(result)["primaryMetric"]["rawData"][0]) == MEASURED
    # The iterations of a pair do not overlap, whatever the other pair does.
    assert [event for _, event, _ in events] == ["+", "-"] * (len(events) // 2)
    assert [side for side, event, _ in events if event == "+"] == ABBA[:4] + ABBA
    lanes = [Lane(number, 2).processor for number in range(1 if fails else 2)]
    assert sorted(pinned) == sorted([{lane} for lane in lanes for _ in SIDES])


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_killed_fork_gets_a_hint_and_ctrl_c_ends_both(pair: Pair, tmp_path: Path) -> None:
    threads = threading.active_count()
    with pair.harness(fails="head:1:hang").open(pair.versions, tmp_path) as session:
        killer = pair.upon_the_first_of_head(lambda head: os.kill(head, signal.SIGKILL))
        turn, error = pair.run(session)
        killer.join()
        assert isinstance(turn, Turn)
        assert str(error) == f"its JVM ended with code 137; {HINT}"
        pair.diary.unlink()
        other = pair.upon_the_first_of_head(lambda _: os.kill(os.getpid(), signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            pair.run(session, suite("Turning.allocates", "thrpt"))
        assert not javas()
        other.join()
    assert not any(result.exists() for result in pair.results)
    assert threading.active_count() == threads


@pytest.mark.thorough
def test_clash_gets_a_hint(pair: Pair, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pair.harness(port=port).open(pair.versions, tmp_path / "a") as session:
        outcomes = pair.run(session)
        (error,) = (outcome for outcome in outcomes if isinstance(outcome, TrialError))
        assert "Address already in use" in str(error)
        assert str(error).endswith(HINT)
        trials = pair.trials(ALLOCATES)
        assert session.obstacle(trials) == (
            f"one of two forks that ran at the same time failed ({str(error).split(';')[0]})"
        )
        assert session.obstacle(pair.trials(suite("Suite.twoModes"))) == ""
        for one, result in zip(trials, pair.results, strict=True):
            session.measure(one, result)  # one after the other


@pytest.mark.thorough
def test_forks_without_the_profiler_are_not_interleaved_again(pair: Pair, tmp_path: Path) -> None:
    with pair.harness().open(pair.versions, tmp_path) as session:
        for part in (tmp_path / "classes").glob(f"{HOOK}*"):
            if "$" in part.name:  # the host JVM finds the profiler, but the fork cannot create it
                part.unlink()
        pair.run(session)
        assert session.obstacle(pair.trials(ALLOCATES))
