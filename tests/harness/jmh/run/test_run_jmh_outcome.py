import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from jmh_forks import record, trial

from steady.harness.jmh.run.fork_outcome import check_result, one_line, reason
from steady.harness.jmh.run.forks_in_turn import HINT, ClashError, _with_hint, obstacle_after
from steady.harness.runs import Turn
from steady.harness.trial import TrialError
from steady.model import Identity
from tests.looped import looped

GET = Identity("org.Bench.get", "avgt", (("n", "a,b;<\x07>"),), 2)
PARAMS = {"n": "a,b;<>"}
HERE = Path(__file__).parent
HEADING = (HERE / "heading.log").read_text(encoding="utf-8")
CAUSED = (HERE / "caused.log").read_text(encoding="utf-8")


def check(tmp_path: Path, text: str) -> None:
    path = tmp_path / "result.json"
    path.write_text(text, encoding="utf-8")
    check_result(path, trial(GET))


def found(rows: list[list[Any]], **changes: Any) -> dict[str, Any]:
    return record(GET, rows, **{"params": PARAMS, **changes})


def test_one_record_with_all_iterations_is_a_result(tmp_path: Path) -> None:
    for params in (PARAMS, {"n": "a,\n        b,[]"}):
        check(tmp_path, json.dumps([found([[1.0, "NaN"]], params=params)]))


@looped(
    ("records", "problem"),
    [
        ([], "JMH wrote 0 results"),
        ([found([[1.0, 2.0]])] * 2, "JMH wrote 2 results"),
        ([found([[1.0, 2.0]], threads=1)], "not the expected"),
        ([found([[1.0, 2.0]], params={"n": "a"})], "not the expected"),
        ([found([[1.0, 2.0]], mode="ss")], "not the expected"),
        ([found([[1.0]])], "JMH wrote 1 of 2 iterations, in 1 fork"),
        ([found([[1.0, 2.0]] * 2)], "JMH wrote 4 of 2 iterations, in 2 forks"),
        ([found([[1.0]], primaryMetric={})], "lacks individual measurements"),
        ({}, "not a list of records"),
        ([1], "not a list of records"),
    ],
)
def test_incomplete_or_other_records_are_rejected(
    records: object, problem: str, tmp_path: Path
) -> None:
    with pytest.raises(TrialError, match=problem):
        check(tmp_path, json.dumps(records))


def test_missing_or_damaged_file_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(TrialError, match="JMH wrote 0 results"):
        check_result(tmp_path / "result.json", trial(GET))
    with pytest.raises(TrialError, match="JMH's result cannot be read"):
        check(tmp_path, "[{")


def why(tmp_path: Path, log: str = "", told: str = "", errors: str = "") -> str:
    for name, text in (("log", log), ("errors", errors)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return reason(tmp_path / "log", told, tmp_path / "errors")


THREW = "Iteration   1: <failure>\n\njava.lang.IllegalStateException: as it should\n\tat a.B.c\n"
DIED = "<forked VM failed with exit code 134>\n<stdout last='20 lines'>\n</stdout>\n"


def test_reason_comes_from_the_log_first(tmp_path: Path) -> None:
    told = "Benchmark caught the exception"
    assert why(tmp_path, HEADING + THREW, told) == (
        "the benchmark threw: java.lang.IllegalStateException: as it should"
    )
    assert why(tmp_path, HEADING + DIED, told).startswith("its JVM ended with code 134")


def test_reason_is_the_root_cause(tmp_path: Path) -> None:
    printed = "Caused by: what the benchmark itself printed\n"
    assert why(tmp_path, HEADING + printed + CAUSED) == (
        "the benchmark threw: java.io.FileNotFoundException: json/citm_catalog_ws.json "
        "(No such file or directory)"
    )


def test_reason_falls_back_to_jmhs_answer_and_then_to_standard_error(tmp_path: Path) -> None:
    assert why(tmp_path, HEADING, "No matching benchmarks.", "x") == "No matching benchmarks."
    notice = "Picked up JAVA_TOOL_OPTIONS: -Da=b\n"
    assert why(tmp_path, "", "", f"first\nError: no main class\n{notice}") == (
        "Error: no main class"
    )
    assert why(tmp_path, "", "", notice) == ""
    assert reason(tmp_path / "absent", "", tmp_path / "absent") == ""


def test_both_ends_of_a_long_log_are_read(tmp_path: Path) -> None:
    log, errors = tmp_path / "log", tmp_path / "errors"
    for path, end in ((log, "\n<failure>\n\njava.lang.IllegalStateException: no\n"), (errors, "x")):
        with path.open("w") as file:
            file.write(HEADING)
            file.seek(500 * 2**20)  # a hole, in place of a benchmark's output
            file.write(end)
    tracemalloc.start()
    assert reason(log, "", errors) == "the benchmark threw: java.lang.IllegalStateException: no"
    assert tracemalloc.get_traced_memory()[1] < 100 * 2**20
    tracemalloc.stop()


def test_reason_is_one_line_without_control_characters() -> None:
    assert one_line("a\n\tb \x1b[31mred") == "a b \\x1b[31mred"
    assert len(one_line("x" * 1000)) < 320


TURN = Turn(1.0, in_turn=True)
ALONE = Turn(1.0, in_turn=False)

CLASHES = [
    ("its JVM ended with code 137", b""),
    ("JMH's own JVM ended (by signal 9)", b""),
    ("the benchmark threw: java.lang.OutOfMemoryError: Java heap space", b""),
    ("the benchmark threw: java.net.BindException: Address already in use (Bind failed)", b""),
    ("the benchmark threw: java.io.IOException: Cannot lock file /tmp/index.lck", b""),
    ("the benchmark threw: org.h2.Exception: Database may be already in use", b""),
    ("the benchmark threw: java.nio.channels.OverlappingFileLockException", b""),
    ("its JVM ended with code 1", b"Could not reserve enough space for 2097152KB object heap"),
    ("its JVM ended with code 1", b"There is insufficient memory for the Java Runtime Environment"),
]

OTHERS = [
    ("its JVM ended with code 1", b"WARNING: JMH lock is ignored by user request"),
    ("exceeded its limit of 60 s and was stopped", b""),
    ("the benchmark threw: java.lang.IllegalStateException: the clock is off", b""),
    ("the benchmark threw: java.lang.IllegalArgumentException: unblocked 1370", b""),
    ("a.jar contains no benchmark of this name", b""),
]


@looped(("reason", "log"), CLASHES)
def test_failures_due_to_shared_resources_are_clashes(reason: str, log: bytes) -> None:
    error = _with_hint(TrialError(reason, log))
    assert str(error) == f"{reason}; {HINT}"
    assert error.log == log
    assert obstacle_after([TURN, error]) == (
        f"one of two forks that ran at the same time failed ({reason})"
    )


@looped(("reason", "log"), OTHERS)
def test_other_failures_are_no_clashes(reason: str, log: bytes) -> None:
    error = TrialError(reason, log)
    assert _with_hint(error) is error
    assert obstacle_after([error, ALONE]) == ""


def test_forks_without_turns_are_not_interleaved_again() -> None:
    assert "did not load the profiler" in obstacle_after([ALONE, ALONE])
    assert obstacle_after([TURN, TURN]) == ""
    assert isinstance(ClashError("a", "b"), TrialError)
