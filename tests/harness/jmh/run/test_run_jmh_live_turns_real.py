"""Live stopping with real versions of JMH: of one fork, and of two interleaved ones."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from jmh_forks import trial
from test_run_jmh_real import ONE, javas, merged, suite, thorough
from test_run_jmh_turns_real import BASE, HEAD, HOOKED, SIDES, Pair, pair, record_of

from steady.cli import main
from steady.engine import ForkResult, HarnessSettings, StopRule, Trial, TrialError, Version
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.jmh.run.stopper import ForkReport, Stopper
from steady.harness.runs import Turn
from steady.model import ExecutionConfiguration, Identity
from steady.readers import load
from tests.harness.program_trials import took_turns

BuildJar = Callable[[str], Path]
__all__ = ["pair"]

pytestmark = pytest.mark.needs("java", "mvn")

SOON = StopRule("laaber-cv", "rmad", 0.99)
"""Whatever the scores, it ends forks after a warm-up too short to judge, and 5 iterations."""
WARMUP, LONGEST, SECONDS = 2, 400, 0.03
MEASURED = SOON.minimum + 1
LAST = WARMUP + MEASURED
COLD = 1
"""Measured iterations of forks that reached their time limit before they were warm."""
TURNS = 4
"""Turns per iteration of a benchmark without fixtures."""
TIMED = StopRule("t-test", "cv", 1e-9, minimum=3, timed=True)
"""It needs 30 iterations and three seconds, so no fork reaches steady state in the test."""


def long_trials(pair: Pair, name: str, mode: str = "avgt", seconds: float = 30.0) -> list[Trial]:
    configuration = ExecutionConfiguration(1, WARMUP, LONGEST, SECONDS, SECONDS)
    return [
        replace(one, configuration=configuration, seconds=seconds)
        for one in pair.trials(suite(name, mode))
    ]


@pytest.mark.parametrize(
    ("pair", "modes"),
    [("1.37", ["thrpt"]), thorough("1.37", ["avgt"]), thorough("1.21", ["avgt", "thrpt"])],
    indirect=["pair"],
)
def test_both_forks_end_together_and_regularly(
    modes: list[str], pair: Pair, tmp_path: Path
) -> None:
    harness = pair.harness(SOON)
    forks: dict[str, list[ForkResult]] = {side: [] for side in SIDES}
    with harness.open(pair.versions, tmp_path) as session:
        for mode in modes:
            trials = long_trials(pair, "Turning.allocates", mode)
            assert session.obstacle(trials) == ""
            assert took_turns(session.measure_in_turn(trials, pair.results))
            begun = pair.begun()
            assert begun.count(BASE) == begun.count(HEAD) == LAST
            for one, result in zip(trials, pair.results, strict=True):
                kept = result.rename(tmp_path / f"{mode}.{one.version}.json")
                assert len(record_of(kept)["primaryMetric"]["rawData"][0]) == MEASURED
                forks[one.version].append(ForkResult(one, "run:0", kept, in_turn=True))
        # No iteration follows if the last configured one decides.
        exact = [
            replace(one, configuration=replace(one.configuration, iterations=SOON.minimum))
            for one in long_trials(pair, "Turning.allocates")
        ]
        assert took_turns(session.measure_in_turn(exact, pair.results))
        assert pair.begun().count(BASE) == WARMUP + SOON.minimum
    assert not javas()
    for side, whole in product(SIDES, (False, True)):
        found = merged(harness, forks[side], tmp_path, whole=whole)
        left = LAST if whole else MEASURED
        assert {benchmark.forks.shape for benchmark in found.values()} == {(1, left)}
        for record in json.loads((tmp_path / "merged.json").read_text(encoding="utf-8")):
            metrics = {n.lstrip("·"): m for n, m in record["secondaryMetrics"].items()}
            assert whole or {len(metrics[name]["rawData"][0]) for name in HOOKED} == {left}
            assert record["warmupIterations"] == (0 if whole else WARMUP)
            assert record["measurementTime"] == "30 ms"
            assert not any(key.startswith("steadyWarmup") for key in record)
            assert ("stop" in record["steady"][0]) is not whole


@pytest.mark.parametrize("mode", ["avgt", thorough("sample")])
def test_short_turns_follow_the_warm_up(mode: str, pair: Pair, tmp_path: Path) -> None:
    harness = pair.harness(replace(SOON, timed=True))
    trials = long_trials(pair, "Suite.twoModes", mode)
    with harness.open(pair.versions, tmp_path) as session:
        assert took_turns(session.measure_in_turn(trials, pair.results))
    for one, path in zip(trials, pair.results, strict=True):
        fork = [ForkResult(one, "run:0", path, in_turn=True)]
        (short,) = merged(harness, fork, tmp_path).values()
        (long,) = merged(harness, fork, tmp_path, whole=True).values()
        assert short.configuration is not None
        assert long.configuration is not None
        assert short.configuration.iteration_seconds == 0.005
        assert long.configuration.iteration_seconds == SECONDS
        assert short.forks.shape == (1, TURNS * COLD + 1)
        assert long.forks.shape == (1, WARMUP + COLD)
        joined, values = long.forks[0, WARMUP:], short.forks[0, :-1].reshape(-1, TURNS)
        if mode == "avgt":
            assert joined == pytest.approx(1 / (1 / values).mean(axis=1))
        else:
            assert np.all((values.min(axis=1) <= joined) & (joined <= values.max(axis=1)))


@pytest.mark.thorough
def test_forks_that_are_not_warm_end_at_their_time_limit(
    pair: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports: list[list[ForkReport]] = [[], []]

    def record(self: Stopper, side: int, one: ForkReport) -> None:
        reports[side].append(one)
        feed(self, side, one)

    feed = Stopper.feed
    monkeypatch.setattr(Stopper, "feed", record)
    harness = pair.harness(TIMED)
    trials = long_trials(pair, "Turning.allocates", "sample", seconds=2.0)
    with harness.open(pair.versions, tmp_path) as session:
        turns = session.measure_in_turn(trials, pair.results)
    assert all(isinstance(turn, Turn) and turn.in_turn and turn.cold for turn in turns)
    for side, path in enumerate(pair.results):
        stop = record_of(path)["steady"][0]["stop"]
        assert stop["start"] is None
        assert stop["cold_seconds"] > 0
        (one,) = merged(harness, [ForkResult(trials[side], "run:0", path)], tmp_path).values()
        assert one.cold_seconds == (stop["cold_seconds"],)
        # During the warm-up, a fork reports its processor time, and compilers have used some.
        warm_up, measured = reports[side][: stop["warmup"]], reports[side][stop["warmup"] :]
        assert warm_up[-1].compiling > 0
        assert warm_up[-1].others > warm_up[0].others > 0
        assert warm_up[-1].operations > warm_up[0].operations > 0
        assert measured
        assert not any(one.others for one in measured)


def test_failed_fork_ends_its_partner_early(pair: Pair, tmp_path: Path) -> None:
    harness = pair.harness(SOON, fails="head:2:throw")
    with harness.open(pair.versions, tmp_path) as session:
        ends = session.measure_in_turn(long_trials(pair, "Turning.allocates"), pair.results)
    assert [isinstance(end, TrialError) for end in ends] == [True, True]
    assert "ended with the other fork of its pair" in str(ends[0])
    begun = [side for side, event, _ in pair.events() if event == "+"]
    assert begun.count(BASE) < LAST
    assert not javas()


@pytest.mark.thorough
def test_live_stopping_of_a_suite_without_a_plan(
    pair: Pair, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    targets = [f"--{version.name}={version.target}" for version in pair.versions]
    arguments = [f"--jvm-arg=-Dturning.log={pair.diary}", "--only=Turning.allocates"]
    arguments += ["--same-code=run"]
    out = tmp_path / "out"
    run = ["run", *targets, *arguments, "--time-budget=25", f"--out={out}"]
    assert main(run) == 0
    printed = capsys.readouterr()
    base, head = (load(out / f"{side}.json") for side in SIDES)
    assert len(base) > 0
    assert set(base) == set(head)
    assert all(benchmark.in_turn and all(benchmark.in_turn) for benchmark in base.values())
    whole = load(out / "series" / "base.json")
    for identity, benchmark in base.items():
        assert whole[identity].forks.shape[0] == benchmark.forks.shape[0]
        short, long = benchmark.configuration, whole[identity].configuration
        assert short is not None
        assert long is not None
        assert (long.warmup_iterations, long.iteration_seconds) == (0, short.warmup_seconds)
    (line,) = (one for one in printed.out.splitlines() if one.startswith("plan for later runs"))
    assert f"steady optimize {out / 'series' / 'base.json'} --detect 5% --jar" in line
    assert main(["compare", f"--base={out / 'base.json'}", f"--head={out / 'head.json'}"]) in (0, 1)


def long_trial(identity: Identity) -> Trial:
    configuration = ExecutionConfiguration(1, 5, 2000, 0.01, 0.01)
    return replace(trial(identity), configuration=configuration)


@pytest.mark.parametrize("version", ["1.37", thorough("1.21")])
def test_record_of_a_stopped_fork_equals_that_of_jmh(
    version: str, build_jar: BuildJar, tmp_path: Path
) -> None:
    versions = [Version("results", build_jar(version))]
    harness = JmhRuns(HarnessSettings(stop=SOON))
    assert harness.describe(versions)["stop"] == str(SOON)
    with harness.open(versions, tmp_path) as session:
        drivers = set[int]()
        odd = suite("Odd.odd", comma="a,b", value="x=y")
        for number, identity in enumerate([ONE, odd]):
            result = tmp_path / f"{number}.json"
            session.measure(long_trial(identity), result)
            record = record_of(result)
            assert record["jmhVersion"] == version
            assert len(record["primaryMetric"]["rawData"][0]) == 6
            assert (record["warmupIterations"], record["measurementIterations"]) == (5, 6)
            assert any("gc.alloc.rate.norm" in name for name in record["secondaryMetrics"])
            found = load(result)
            assert [one.name for one in found] == [identity.name]
            assert not found.failures
            drivers |= javas()
        assert len(drivers) == 1
        session.measure(trial(suite("Suite.once", "ss")), tmp_path / "once.json")
        assert "steady" not in record_of(tmp_path / "once.json")
        with pytest.raises(TrialError, match="the benchmark threw"):
            session.measure(long_trial(suite("Suite.failing", "thrpt")), tmp_path / "no.json")
