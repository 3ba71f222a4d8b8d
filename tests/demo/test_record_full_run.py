"""The script that records a full run in parts: its order, its files, and their merging."""

import gzip
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

import steady
from benchmarks import record_full_run
from benchmarks.record_full_run import MORE, Started, main
from steady.errors import InputError
from steady.files import read_json
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.trial import Trial, TrialError, Version
from steady.model import ExecutionConfiguration, Identity
from tests.jmh_records import jmh_record

NAMES = ("org.example.B.one", "org.example.B.two")
DECLARED = ExecutionConfiguration(5, 5, 10, 0.5, 0.5)


class Standin:
    """A harness with instant forks, whose values identify the fork."""

    merge = staticmethod(JmhRuns.merge)

    def __init__(self) -> None:
        self.ran: list[tuple[int, str]] = []
        self.broken = False
        self.names: tuple[str, ...] = NAMES

    def check(self, versions: Sequence[Version]) -> None:
        assert [version.target for version in versions] == [Path("benchmarks.jar")]

    def benchmarks(self, version: Version) -> Sequence[Identity]:
        return [Identity(name) for name in self.names]

    def declared(self, version: Version) -> dict[Identity, ExecutionConfiguration]:
        return dict.fromkeys(self.benchmarks(version), DECLARED)

    @contextmanager
    def open(self, versions: Sequence[Version], scratch: Path) -> Iterator["Standin"]:
        yield self

    def measure(self, trial: Trial, result: Path) -> float:
        one = trial.configuration
        assert (one.forks, one.warmup_iterations, one.iteration_seconds) == (1, 0, 0.1)
        row = [100.0 * trial.round + place + 1 / 3 for place in range(one.iterations)]
        result.write_text(json.dumps([jmh_record(trial.identity.name, [row])]))
        if self.broken:
            raise TrialError("its JVM died")
        self.ran.append((trial.round, trial.identity.name.rpartition(".")[2]))
        return 0.25


@pytest.fixture
def harness(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Standin:
    one = Standin()
    monkeypatch.setattr(record_full_run, "JmhRuns", lambda: one)
    (tmp_path / "names.txt").write_text("B.two\nB.one\n")
    return one


def record(folder: Path, *more: str) -> int:
    words = ["benchmarks.jar", "--out", str(folder / "out"), "--only", str(folder / "names.txt")]
    return main([*words, "--forks", "4", "--iterations", "3", *more])


ORDER = [
    (0, "one"),
    *((number, name) for number in range(1, 5) for name in ("two", "one")),
    (5, "one"),
]
"""Order of forks: the control, which is listed last, the rounds, and the control again."""


def test_each_call_runs_a_few_forks_in_rounds(harness: Standin, tmp_path: Path) -> None:
    assert [record(tmp_path, "--most", "4") for _ in range(3)] == [MORE, MORE, 0]
    assert harness.ran == ORDER
    assert record(tmp_path) == 0
    assert harness.ran == ORDER, "nothing is run twice"


def test_a_fork_that_failed_is_run_again(harness: Standin, tmp_path: Path) -> None:
    """Its output is not counted as a fork, because the file with its start is missing."""
    record(tmp_path, "--most", "2")
    harness.broken = True
    with pytest.raises(TrialError):
        record(tmp_path)
    harness.broken = False
    assert record(tmp_path, "--most", "99") == 0
    assert harness.ran == ORDER


def test_merged_files_contain_every_fork(harness: Standin, tmp_path: Path) -> None:
    record(tmp_path, "--most", "99")
    out = tmp_path / "out"
    rounds = {"results": (1, 2, 3, 4), "forks-1-2": (1, 2), "forks-3-4": (3, 4), "control": (0, 5)}
    for name, chosen in rounds.items():
        suite = steady.load(out / f"{name}.json")
        assert len(suite.benchmarks) == (1 if name == "control" else 2)
        for benchmark in suite.benchmarks:
            first = [100.0 * number + 1 / 3 for number in chosen]
            assert benchmark.measurements[:, 0].tolist() == first
            assert benchmark.declared == DECLARED
            assert benchmark.blocks == tuple(map(str, chosen))
            assert [one and one.iterations for one in benchmark.spent] == [0.25] * len(chosen)
    started = read_json(out / "forks.json", list[Started], what="forks", remedy="run again")
    assert [(one.round, one.benchmark.rpartition(".")[2]) for one in started] == ORDER
    packed = out / "packed" / "forks-1-2.json.gz"
    assert packed.read_bytes()[4:8] == bytes(4)
    rows = json.loads(gzip.decompress(packed.read_bytes()))[0]["primaryMetric"]["rawData"]
    assert rows[0] == [100.333, 101.333, 102.333]
    assert not (out / "packed" / "results.json.gz").exists()


def test_incomplete_rounds_are_omitted(harness: Standin, tmp_path: Path) -> None:
    """The remaining rounds are merged into halves; the list contains all forks that ran."""
    record(tmp_path, "--most", "99")
    assert record(tmp_path, "--without", "2", "3") == 0
    out = tmp_path / "out"
    for name, chosen in {"results": (1, 4), "forks-1-1": (1,), "forks-2-2": (4,)}.items():
        for benchmark in steady.load(out / f"{name}.json").benchmarks:
            assert benchmark.blocks == tuple(map(str, chosen))
    assert len(json.loads((out / "forks.json").read_text())) == len(ORDER)
    assert record(tmp_path, "--first", "1", "4") == 0
    for name, chosen in {"forks-1-2": (1, 4), "forks-3-4": (2, 3)}.items():
        for benchmark in steady.load(out / f"{name}.json").benchmarks:
            assert benchmark.blocks == tuple(map(str, chosen))
    assert harness.ran == ORDER


def test_unknown_and_ambiguous_names_are_rejected(harness: Standin, tmp_path: Path) -> None:
    harness.names = ("org.example.B.one", "org.other.B.one", "org.other.B.two")
    for name, found in (("three", 0), ("B.one", 2), ("other.B.one", 1)):
        (tmp_path / "names.txt").write_text(f"{name}\n")
        if found == 1:
            assert record(tmp_path, "--most", "1") == MORE
            continue
        with pytest.raises(InputError, match=f"{found} benchmarks are called '{name}'"):
            record(tmp_path)
        assert harness.ran == []
