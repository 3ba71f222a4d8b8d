"""A growing log becomes the record of a fork that was ended."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jmh_forks import trial

from steady.engine import ForkResult, RunFacts, StopRule, Trial, TrialError
from steady.harness.jmh.run.live_log import LOOK_SECONDS, LiveFork
from steady.harness.jmh.run.merged_records import merge_forks
from steady.model import ExecutionConfiguration, Identity
from steady.readers import load

GET = Identity("org.Bench.get", "avgt", (("n", "1"),))
RULE = StopRule("georges", "cv", 0.05)
HEADING = """\
# JMH version: 1.37
# VM version: JDK 17.0.15, OpenJDK 64-Bit Server VM, 17.0.15+6
# VM invoker: /jdk/bin/java
# VM options: -Djmh.scorePrecision=18 -Xmx1g
# Warmup: <none>
# Measurement: 50 iterations, 500 ms each
# Timeout: 10 min per iteration
# Threads: 1 thread, will synchronize iterations
# Benchmark mode: Average time, time/op
# Benchmark: org.Bench.get
# Parameters: (n = 1)

# Run progress: 0.00% complete, ETA 00:00:25
# Fork: 1 of 1
"""
STEP = [9.0, 5.25] + [1.0 + 1e-14] * 48


def planned(identity: Identity = GET) -> Trial:
    configuration = ExecutionConfiguration(1, 30, 20, 0.25, 0.5)
    return replace(trial(identity), configuration=configuration)


def iteration(number: int, score: object, unit: str = "us/op") -> str:
    text = score if isinstance(score, str) else f"{score:.18f}"
    return f"Iteration {number:>3}: {text} {unit}\n"


def log_of(scores: Iterable[object], unit: str = "us/op") -> str:
    lines = (iteration(number, score, unit) for number, score in enumerate(scores, start=1))
    return HEADING + "".join(lines)


def record_of(path: Path) -> dict[str, Any]:
    (record,) = json.loads(path.read_text(encoding="utf-8"))
    found: dict[str, Any] = record
    return found


def finished(folder: Path, text: str, identity: Identity = GET, name: str = "0") -> ForkResult:
    log, result = folder / "log", folder / f"{name}.json"
    log.write_text(text, encoding="utf-8")
    fork = LiveFork(log, planned(identity), RULE)
    fork.write(result)
    return ForkResult(planned(identity), f"run:{name}", result)


def test_jmh_is_told_to_measure_its_warmup(tmp_path: Path) -> None:
    fork = LiveFork(tmp_path / "log", planned(), RULE)
    assert fork.trial.configuration == ExecutionConfiguration(1, 0, 50, 0.5, 0.5)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(sizes=st.lists(st.integers(1, 400), min_size=1, max_size=60))
def test_how_the_log_arrives_does_not_matter(sizes: list[int], tmp_path: Path) -> None:
    log, result = tmp_path / "log", tmp_path / "result.json"
    text = log_of(STEP[:20]).encode()
    fork = LiveFork(log, planned(), RULE)
    log.unlink(missing_ok=True)
    assert fork() == LOOK_SECONDS
    with log.open("wb") as file:
        for size in sizes:
            file.write(text[file.tell() : file.tell() + size])
            file.flush()
            fork()
        file.write(text[file.tell() :])
    assert fork() is None
    assert fork.ended
    fork.write(result)
    assert record_of(result) == record_of(finished(tmp_path, text.decode()).path)


def test_it_looks_again_when_the_next_score_can_be_there(tmp_path: Path) -> None:
    log = tmp_path / "log"
    fork = LiveFork(log, planned(), RULE)
    log.write_text(log_of(STEP[:1]))
    assert fork() == 0.5
    assert fork() == LOOK_SECONDS


def test_a_fork_at_its_own_end_is_not_ended(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(log_of([1.0 + i % 2 for i in range(50)]))
    fork = LiveFork(log, planned(), RULE)
    assert fork() is not None
    assert not fork.ended
    fork.write(tmp_path / "result.json")
    record = record_of(tmp_path / "result.json")
    assert (record["warmupIterations"], record["measurementIterations"]) == (30, 20)
    assert record["steadyStop"]["start"] is None


def test_the_record_is_jmhs_and_holds_every_digit(tmp_path: Path) -> None:
    result = finished(tmp_path, log_of(STEP)).path
    record = record_of(result)
    kept = record["measurementIterations"]
    start = record["warmupIterations"]
    assert record["primaryMetric"]["rawData"] == [STEP[start : start + kept]]
    assert record["steadyStop"]["method"] == "georges"
    assert record["steadyStop"]["start"] == start
    assert record["params"] == {"n": "1"}
    assert record["jvm"] == "/jdk/bin/java"
    assert record["vmVersion"] == "17.0.15+6"
    suite = load(result)
    assert not suite.failures
    assert suite[GET].environment.vm == "OpenJDK 64-Bit Server VM 17.0.15+6"
    assert suite[GET].environment.jdk == "17.0.15"
    assert suite[GET].environment.jvm_args == ("-Xmx1g",)
    assert suite[GET].configuration == ExecutionConfiguration(1, start, kept, 0.5, 0.5)


def test_old_versions_name_the_virtual_machine_otherwise(tmp_path: Path) -> None:
    text = log_of(STEP).replace("OpenJDK 64-Bit Server VM, 17.0.15+6", "VM 25.151-b12")
    record = record_of(finished(tmp_path, text).path)
    assert (record["vmName"], record["vmVersion"]) == ("", "25.151-b12")


def test_a_throughput_is_judged_turned_round(tmp_path: Path) -> None:
    identity = replace(GET, mode="thrpt")
    slow = [0.01 * 1.5**i for i in range(15)]
    text = log_of([*slow, *[slow[-1]] * 35], "ops/us")
    record = record_of(finished(tmp_path, text, identity).path)
    assert record["primaryMetric"]["scoreUnit"] == "ops/us"
    assert record["primaryMetric"]["score"] == pytest.approx(slow[-1], rel=0.1)


def test_forks_of_different_lengths_are_merged_and_are_no_failure(tmp_path: Path) -> None:
    noisy = [1.0 + i % 2 for i in range(50)]
    results = [
        finished(tmp_path, log_of(STEP), name="0"),
        finished(tmp_path, log_of(noisy), name="1"),
    ]
    merged = tmp_path / "merged.json"
    merged.write_bytes(merge_forks(results, RunFacts({GET: 2})))
    record = record_of(merged)
    rows = record["primaryMetric"]["rawData"]
    assert len(rows[0]) < len(rows[1]) == record["measurementIterations"] == 20
    assert record["warmupIterations"] == 30
    assert [stop["iterations"] for stop in record["steadyStop"]] == [len(row) for row in rows]
    suite = load(merged)
    assert not suite.failures
    assert suite[GET].measurements.shape == (2, 20)
    lost = tmp_path / "lost.json"
    lost.write_bytes(merge_forks(results, RunFacts({GET: 3})))
    assert [failure.reason[:30] for failure in load(lost).failures] == [
        "2 of 3 forks gave a result: th"
    ]


@pytest.mark.parametrize(
    ("score", "message"), [("NaN", "finite number"), ("≈ 10⁻³", "only the order of magnitude")]
)
def test_scores_that_cannot_be_judged_cost_the_fork(
    score: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "log").write_text(log_of([1.0, score]), encoding="utf-8")
    with pytest.raises(TrialError, match=message):
        LiveFork(tmp_path / "log", planned(), RULE)()


def test_a_log_without_an_end_is_no_result(tmp_path: Path) -> None:
    with pytest.raises(TrialError, match="does not hold all iterations"):
        finished(tmp_path, log_of(STEP[:3]))
    with pytest.raises(TrialError, match="does not hold all iterations"):
        finished(tmp_path, "")
