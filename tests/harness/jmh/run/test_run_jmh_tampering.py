"""Messages of head's code in the name of base: they are ignored, and fail a fork of head."""

import errno
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from jmh_forks import benchmark_jar, record, trial
from test_turn_order import Client

from steady.engine import HarnessSettings, TrialError
from steady.execution.turn_order import Course
from steady.harness.jmh.configure.command_lines import is_nameable
from steady.harness.jmh.run.jar import BenchmarkJar
from steady.harness.jmh.run.java_program import Answer, Host
from steady.harness.jmh.run.jmh_runs import JmhSession
from steady.harness.jmh.run.turn_server import ForeignMessages, TurnServer

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="its java is a script")

JAVA = """#!{python}
import os, pathlib, sys
pathlib.Path({process!r}).write_text(str(os.getpid()))
print("steady: done 1", flush=True)
print("steady: failed bm8=", flush=True)
for line in sys.stdin:
    password, _, arguments = line.strip().partition(" ")
    print("steady: done 1", flush=True)
    print("steady: " + "0" * len(password) + " done 2", flush=True)
    print(f"steady: {{password}} done 7000", flush=True)
"""
"""A fake host JVM, with answers in its output that lack the password."""


@pytest.fixture
def java(tmp_path: Path) -> str:
    path = tmp_path / "java"
    path.write_text(JAVA.format(python=sys.executable, process=str(tmp_path / "process")))
    path.chmod(0o755)
    return str(path)


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_only_answers_with_the_password_are_accepted(java: str, tmp_path: Path) -> None:
    foreign = ForeignMessages()
    host = Host(java, [], tmp_path / "errors", foreign)
    for heard in (4, 6):
        assert host.run(["-h"], 60.0) == Answer(iteration_seconds=7.0)
        assert foreign.messages == heard
    process = (tmp_path / "process").read_text()
    for stream, mode in ((1, os.O_WRONLY), (0, os.O_RDONLY)):
        with pytest.raises(OSError) as caught:
            os.open(f"/proc/{process}/fd/{stream}", mode | os.O_NONBLOCK)
        assert caught.value.errno == errno.ENXIO
    host.close()


def test_tokens_of_sides_differ() -> None:
    foreign = ForeignMessages()
    with TurnServer(Course(0, 1), foreign=foreign) as server:
        assert Client(f"{server.address(1)[:-1]}0").waits() == b""
        assert foreign.messages == 1
        server.leave(1)
        base = Client(server.address(0))
        base.asks()
        assert base.waits() == b"!"
    assert foreign.messages == 1


def test_tampering_fails_head_and_not_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jar = BenchmarkJar(benchmark_jar(tmp_path / "b.jar"))
    identity = next(filter(is_nameable, jar.identities))
    jars = {"base": jar, "head": jar}
    session = JmhSession(jars, HarnessSettings("no such java"), tmp_path, tmp_path)

    def run(host: Host, *_: object) -> Answer:
        """Leave a result; before it, somebody writes without a password."""
        (side,) = (own for own in session._sides(0).values() if own._host is host)
        side.foreign.add()
        side.arriving.write_text(json.dumps([record(identity, [[1.0, 2.0]])]))
        return Answer()

    monkeypatch.setattr(Host, "run", run)
    base, head = (replace(trial(identity), version=name) for name in jars)
    session.measure(base, tmp_path / "0.json")
    assert (tmp_path / "0.json").exists()
    with pytest.raises(TrialError, match="tampering: 2 messages without the password of a fork"):
        session.measure(head, tmp_path / "1.json")
    assert not (tmp_path / "1.json").exists()
