"""The script that records the demo: what it keeps, and what it refuses."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks import record_demo
from steady.demo import Command, PullRequest, Recording, recording

COMMAND = Command(record_demo.words_of("5m", 1), 299.5)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Return a run's folder, as the command left it."""
    with recording() as recorded:
        recorded.pull_request.unpack(tmp_path / "results")
    return tmp_path / "results"


def test_what_is_packed_comes_out_the_same(run: Path, tmp_path: Path) -> None:
    """What is rounded is not rounded again, so one recording packs into itself."""
    one, two = (PullRequest(tmp_path / name) for name in ("one", "two"))
    for packed in (one, two):
        record_demo.pack(run, packed.folder, COMMAND)
    for name in ("base.json.gz", "series/base.json.gz", "command.json"):
        assert (one.folder / name).read_bytes() == (two.folder / name).read_bytes()
    assert one.command == COMMAND
    unpacked = one.unpack(tmp_path / "again")
    assert {path.relative_to(tmp_path / "again") for path in unpacked} == {
        path.relative_to(run) for path in run.rglob("*") if path.is_file()
    }
    for path in unpacked:
        assert path.read_bytes() == (run / path.relative_to(tmp_path / "again")).read_bytes()


def test_fractions_keep_six_digits() -> None:
    values = {"a": [12.3456789, 3, "12.3456789", None, True], "b": 1.23456789e-7}
    assert record_demo.rounded(values) == {
        "a": [12.3457, 3, "12.3456789", None, True], "b": 1.23457e-7,
    }  # fmt: skip


def test_paths_of_a_machine_are_told(tmp_path: Path) -> None:
    paths = ["/home/ana/base.jar", "-Djava.io.tmpdir=/home/ana/tmp", "-cp /home/ana/base.jar"]
    others = ["/usr/lib/jvm/java-17/bin/java", "us/op", "base.jar"]
    path = tmp_path / "base.json.gz"
    for text in (*paths, *others):
        path.write_bytes(gzip.compress(json.dumps([{"one": [1, text], "two": None}]).encode()))
        assert list(record_demo.paths_in(path)) == ([text] if text in paths else [])


def test_two_equal_versions_are_not_a_recording(run: Path, tmp_path: Path) -> None:
    (run / "head.json").write_bytes((run / "base.json").read_bytes())
    packed = PullRequest(tmp_path / "packed")
    record_demo.pack(run, packed.folder, COMMAND)
    problems = list(record_demo.problems(packed))
    assert len([problem for problem in problems if "was not found" in problem]) == 4


@pytest.mark.parametrize(
    ("problems", "options", "kept"),
    [([], [], False), (["a false alarm"], [], True), (["a false alarm"], ["--anyway"], False)],
)
def test_a_good_recording_replaces_the_old_one_and_another_only_if_it_has_to(
    problems: list[str],
    options: list[str],
    kept: bool,
    run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    place = Recording(tmp_path / "package")
    old = place.pull_request.folder / "command.json"
    old.parent.mkdir(parents=True)
    old.write_text("as before")

    @contextmanager
    def recorded() -> Iterator[Recording]:
        yield place

    def measure(folder: Path, jars: Path, words: tuple[str, ...]) -> Command:
        shutil.move(run, folder / "results")
        return Command(words, 1.0)

    monkeypatch.setattr(record_demo, "recording", recorded)
    monkeypatch.setattr(record_demo, "measure", measure)
    monkeypatch.setattr(record_demo, "problems", lambda fresh: problems)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert record_demo.main(["jars", *options]) == int(kept)
    said = capsys.readouterr()
    assert ("not good: a false alarm" in said.err) == bool(problems)
    assert ("make docs" in said.out) == (not kept)
    assert (old.read_text() == "as before") == kept
    if not kept:
        assert place.pull_request.command == Command(record_demo.words_of("5m", 1), 1.0)
        assert place.pull_request.series.is_file()
    assert len([*tmp_path.glob("demo-recording-*/pull-request/base.json.gz")]) == int(kept)
