"""Two forks of JMH that were alive together: which failures come from that."""

from __future__ import annotations

from steady.harness.jmh.run.forks_in_turn import HINT, ClashError, _with_hint, obstacle_after
from steady.harness.runs import Turn
from steady.harness.trial import TrialError
from tests.looped import looped

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
    ("a.jar holds no benchmark of this name", b""),
]


@looped(("reason", "log"), CLASHES)
def test_what_two_forks_cannot_share_is_a_clash(reason: str, log: bytes) -> None:
    error = _with_hint(TrialError(reason, log))
    assert str(error) == f"{reason}; {HINT}"
    assert error.log == log
    assert obstacle_after([TURN, error]) == (
        f"one of two forks that ran at the same time failed ({reason})"
    )


@looped(("reason", "log"), OTHERS)
def test_other_failures_are_not(reason: str, log: bytes) -> None:
    error = TrialError(reason, log)
    assert _with_hint(error) is error
    assert obstacle_after([error, ALONE]) == ""


def test_forks_that_ask_for_no_turns_must_not_meet_again() -> None:
    assert "did not load the profiler" in obstacle_after([ALONE, ALONE])
    assert obstacle_after([TURN, TURN]) == ""
    assert isinstance(ClashError("a", "b"), TrialError)
