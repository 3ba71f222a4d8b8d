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
    packed = PullRequest(tmp_path / "packed")
    record_demo.pack(run, packed.folder, COMMAND)
    assert packed.command == COMMAND
    unpacked = packed.unpack(tmp_path / "again")
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


def test_the_same_run_packs_into_the_same_bytes(run: Path, tmp_path: Path) -> None:
    folders = tmp_path / "one", tmp_path / "two"
    for folder in folders:
        record_demo.pack(run, folder, COMMAND)
    for name in ("base.json.gz", "series/base.json.gz", "command.json"):
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("/home/ana/base.jar", True),
        ("-Djava.io.tmpdir=/home/ana/tmp", True),
        ("-cp /home/ana/base.jar", True),
        ("/usr/lib/jvm/java-17/bin/java", False),
        ("us/op", False),
        ("base.jar", False),
    ],
)
def test_paths_of_a_machine_are_told(tmp_path: Path, text: str, told: bool) -> None:
    path = tmp_path / "base.json.gz"
    path.write_bytes(gzip.compress(json.dumps([{"one": [1, text], "two": None}]).encode()))
    assert list(record_demo.paths_in(path)) == ([text] if told else [])


def test_two_equal_versions_are_not_a_recording(run: Path, tmp_path: Path) -> None:
    (run / "head.json").write_bytes((run / "base.json").read_bytes())
    packed = PullRequest(tmp_path / "packed")
    record_demo.pack(run, packed.folder, COMMAND)
    problems = list(record_demo.problems(packed))
    assert len([problem for problem in problems if "was not found" in problem]) == 4


class TestMain:
    @pytest.fixture
    def target(self, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Recording:
        """Return the recording that is to be replaced; what is measured is there already."""
        place = Recording(tmp_path / "package")
        place.pull_request.folder.mkdir(parents=True)
        (place.pull_request.folder / "command.json").write_text("as before")

        @contextmanager
        def recorded() -> Iterator[Recording]:
            yield place

        def measure(folder: Path, jars: Path, words: tuple[str, ...]) -> Command:
            shutil.move(run, folder / "results")
            return Command(words, 1.0)

        monkeypatch.setattr(record_demo, "recording", recorded)
        monkeypatch.setattr(record_demo, "measure", measure)
        return place

    def test_a_good_recording_replaces_the_old_one(
        self, target: Recording, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(record_demo, "problems", lambda fresh: ())
        assert record_demo.main(["jars"]) == 0
        assert target.pull_request.command == Command(record_demo.words_of("5m", 1), 1.0)
        assert target.pull_request.series.is_file()
        assert "make docs" in capsys.readouterr().out

    @pytest.mark.parametrize("anyway", [False, True])
    def test_another_one_only_if_it_has_to(
        self,
        target: Recording,
        anyway: bool,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.setattr(record_demo, "problems", lambda fresh: ["a false alarm"])
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        assert record_demo.main(["jars", *["--anyway"] * anyway]) == (0 if anyway else 1)
        assert "not good: a false alarm" in capsys.readouterr().err
        old = (target.pull_request.folder / "command.json").read_text() == "as before"
        assert old is not anyway
        kept = list(tmp_path.glob("demo-recording-*/pull-request/base.json.gz"))
        assert len(kept) == (0 if anyway else 1)
