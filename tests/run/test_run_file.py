from __future__ import annotations

import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

import steady
from steady.errors import InputError
from steady.model import Suite
from steady.readers import write_series
from steady.run import Header, Target, Version
from steady.run.machine import Machine, load_average
from steady.run.run_file import Stretch, read_run, run_to_json, target_digest

HEADER = Header(
    harness="jmh",
    seed=1,
    plan="",
    versions=(Target("base", "base.jar", "12"), Target("head", "head.jar", "34")),
    trials="56",
    described={"java": "21"},
    machine=Machine("A processor", "An os", 2, "performance"),
    started=1000.5,
)


def test_header_and_sessions_survive(tmp_path: Path) -> None:
    sessions = (Stretch(1.0, 0.5, 2.0, 0.75), Stretch(3.0, None))
    path = tmp_path / "run.json"
    path.write_text(run_to_json(HEADER, sessions, {"complete": False}))
    header, read = read_run(path)
    assert (header, read) == (HEADER, sessions)
    assert header.run_id == HEADER.run_id
    assert HEADER.obstacle(header) is None


def test_every_run_has_its_own_name() -> None:
    assert len(HEADER.run_id) == 8
    assert int(HEADER.run_id, 16) >= 0
    assert replace(HEADER, started=1000.6).run_id != HEADER.run_id


def test_a_later_start_is_no_obstacle() -> None:
    assert HEADER.obstacle(replace(HEADER, started=2000.0)) is None


class TestTargetDigest:
    def test_of_a_file(self, tmp_path: Path) -> None:
        jar = tmp_path / "base.jar"
        jar.write_bytes(b"content")
        assert target_digest(jar) == hashlib.sha256(b"content").hexdigest()
        assert Target.of(Version("base", jar)) == Target("base", str(jar), target_digest(jar))

    def test_of_a_folder_tells_contents_and_names(self, tmp_path: Path) -> None:
        for name, content in (("a/x", b"1"), ("b/x", b"1"), ("c/x", b"2"), ("d/y", b"1")):
            path = tmp_path / name
            path.parent.mkdir()
            path.write_bytes(content)
        first, same, other, renamed = (target_digest(tmp_path / n) for n in "abcd")
        assert first == same
        assert len({first, other, renamed}) == 3

    def test_of_nothing(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="cannot be read"):
            target_digest(tmp_path / "gone.jar")


class TestMachine:
    def test_says_something(self) -> None:
        machine = Machine.here()
        assert machine.cpu
        assert machine.os == " ".join(os.uname()[i] for i in (0, 2, 4))
        assert machine.cores >= 1

    def test_sidecar_reaches_the_results_beside_it(self, tmp_path: Path) -> None:
        write_series(Suite.of({"a": [[1.0, 2.0]]}, unit="ns/op"), tmp_path / "base.json")
        (tmp_path / "environment.json").write_text(HEADER.machine.sidecar())
        (environment,) = steady.load(tmp_path / "base.json").environments
        assert (environment.cpu, environment.os) == ("A processor", "An os")
        assert json.loads(HEADER.machine.sidecar())["steady_environment"] == 1

    def test_load_average(self) -> None:
        load = load_average()
        assert load is None or load >= 0


def test_results_in_a_checkout_are_not_a_change_of_it(tmp_path: Path) -> None:
    (tmp_path / "text" / "testdata").mkdir(parents=True)
    (tmp_path / "text" / "text.test").write_text("a program")
    before = target_digest(tmp_path)
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "run.json").write_text("{}")
    assert target_digest(tmp_path) == before
    (tmp_path / "text" / "testdata" / "words").write_text("data")
    assert target_digest(tmp_path) != before
