import hashlib
import json
import os
from pathlib import Path

import pytest
from msgspec.structs import replace

import steady
from steady.engine import Header, Target, Version
from steady.engine.machine import Machine, load_average, sidecar
from steady.engine.run_file import RunEnd, RunFile, Stretch, read_run, target_digest
from steady.errors import InputError
from steady.model import Suite
from steady.readers import write_series
from tests.looped import looped

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
    run = RunFile(1, HEADER.run_id, HEADER, sessions, RunEnd(complete=False))
    path.write_text(run.text())
    read = read_run(path)
    assert read == run
    assert read.header.run_id == HEADER.run_id
    assert len(HEADER.run_id) == 8
    assert int(HEADER.run_id, 16) >= 0
    later = replace(HEADER, started=1000.6)
    assert later.run_id != HEADER.run_id
    assert HEADER.obstacle(read.header) is HEADER.obstacle(later) is None


def test_a_run_of_an_earlier_release_is_resumed(tmp_path: Path) -> None:
    # As it was written before the header told what decides; the id is part of the blocks.
    path = tmp_path / "run.json"
    path.write_text(RunFile(1, "89121dd5", HEADER, ()).text())
    assert "decides" not in path.read_text()
    header = read_run(path).header
    assert header.obstacle(replace(HEADER, decides={"rule": "paired-t"})) is None
    assert header.run_id == "89121dd5"


@looped(
    ("old", "new", "problem"),
    [
        ('"steady_run": 1', '"steady_run": 2', r"\$\.steady_run: .* not allowed here: 2"),
        ('"seed": 1', '"seed": "1"', r"\$\.header\.seed: expected a whole number, found a text"),
        ('"seed": 1', '"seed": 1, "sown": 1', r"\$\.header: contains an unknown field, `sown`"),
        ('"harness": "jmh",', "", r"\$\.header: lacks the field `harness`"),
        ('"cpu"', '"gpu"', r"\$\.header\.machine: contains an unknown field, `gpu`"),
        ('{\n      "java": "21"\n    }', "3", "expected an object, found a whole number"),
        ('"21"', "3", r"described\[\.\.\.\]: expected a text, found a whole number"),
    ],
)
def test_an_invalid_header_is_one_sentence(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    path = tmp_path / "run.json"
    text = RunFile(1, "89121dd5", HEADER, ()).text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(InputError, match=f"{problem}; expected .*, version 1: run again with"):
        read_run(path)


class TestTargetDigest:
    def test_depends_on_contents_and_names(self, tmp_path: Path) -> None:
        jar = tmp_path / "base.jar"
        jar.write_bytes(b"content")
        assert target_digest(jar) == hashlib.sha256(b"content").hexdigest()
        assert Target.of(Version("base", jar)) == Target("base", str(jar), target_digest(jar))
        for name, content in (("a/x", b"1"), ("b/x", b"1"), ("c/x", b"2"), ("d/y", b"1")):
            path = tmp_path / name
            path.parent.mkdir()
            path.write_bytes(content)
        first, same, other, renamed = (target_digest(tmp_path / n) for n in "abcd")
        assert first == same
        assert len({first, other, renamed}) == 3
        with pytest.raises(InputError, match="cannot be read"):
            target_digest(tmp_path / "gone.jar")

    def test_results_in_a_folder_of_test_binaries_do_not_change_it(self, tmp_path: Path) -> None:
        (tmp_path / "text" / "testdata").mkdir(parents=True)
        (tmp_path / "text" / "text.test").write_text("a program")
        before = target_digest(tmp_path)
        (tmp_path / "results").mkdir()
        (tmp_path / "results" / "run.json").write_text("{}")
        assert target_digest(tmp_path) == before
        (tmp_path / "text" / "testdata" / "words").write_text("data")
        assert target_digest(tmp_path) != before

    def test_results_in_a_checkout_are_ignored(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "module.py").write_text("pass\n")
        monkeypatch.chdir(tmp_path)
        before = target_digest(Path(), Path("out"))
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "run.json").write_text("{}\n")
        assert target_digest(tmp_path, Path("out")) == before
        assert target_digest(Path(), tmp_path / "out") == before
        assert target_digest(Path(), Path("other")) != before


def test_the_machine_is_recorded_beside_the_results(tmp_path: Path) -> None:
    machine = Machine.here()
    assert machine.cpu
    assert machine.os == " ".join(os.uname()[i] for i in (0, 2, 4))
    assert machine.cores >= 1
    load = load_average()
    assert load is None or load >= 0
    write_series(Suite.of({"a": [[1.0, 2.0]]}, unit="ns/op"), tmp_path / "base.json")
    (tmp_path / "environment.json").write_text(sidecar([HEADER.machine]))
    (environment,) = steady.load(tmp_path / "base.json").environments
    assert (environment.cpu, environment.os) == ("A processor", "An os")
    assert json.loads(sidecar([HEADER.machine]))["steady_environment"] == 1
