"""The demo: its recording, its output, and the script that records it."""

import gzip
import io
import json
import math
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

import steady
from benchmarks import record_demo
from docs.planted_changes import PLANTED, false_alarms, finds_renamed, is_found, seen, short
from steady.cli import main
from steady.demo import BUDGET, Command, Facts, PullRequest, Recording, recording
from steady.options.kinds import seconds_of
from steady.report.plan_report import cost_sentence

# The demo: its recording and its output.


OTHERS = {"TokenBenchmark.signRequests"}
"""Benchmarks without a planted change that may differ."""


@pytest.fixture(scope="module")
def facts() -> Facts:
    with recording() as recorded:
        return Facts.of(recorded)


def test_the_recording_satisfies_its_script(facts: Facts) -> None:
    """Exactly the planted changes are found; the files contain no path except that of Java."""
    with recording() as recorded:
        assert list(record_demo.problems(recorded.pull_request)) == []
        files = [path for path in recorded.folder.rglob("*") if path.is_file()]
        own = [path for path in files if path.parent != recorded.library.folder]
        assert sum(path.stat().st_size for path in own) < 280_000
    assert facts.comparison.verdict == "regression"
    assert not facts.comparison.ledger.incomparable


def test_planted_changes_lie_in_their_intervals(facts: Facts) -> None:
    """Sizes as in examples/jmh-demo/README.md; less time is a negative change."""
    planted = {"editDistance": 0.375, "fingerprint": 0.095, "countWords": -0.33}
    for change in facts.comparison.changes:
        size = planted.get(change.identity.name.rpartition(".")[2])
        if size is not None:
            assert change.interval is not None
            low, high = change.interval
            assert low - 0.15 < size < high + 0.15


def test_identical_code_paths_were_skipped(facts: Facts) -> None:
    """Five class files of head differ; all other files are identical."""
    ledger = facts.comparison.ledger
    same = {*ledger.same_code, *(change.identity for change in facts.comparison.controls)}
    assert (len(ledger.identities), len(same)) == (20, 14)
    changed = {planted.name for planted in PLANTED}
    assert not {short(identity.name) for identity in same} & changed
    assert {short(one.identity.name) for one in facts.comparison.changes} == changed | OTHERS


def test_base_and_head_were_interleaved_within_the_time_budget(facts: Facts) -> None:
    with recording() as recorded:
        series = steady.load(recorded.pull_request.series)
    assert series.keys() == facts.base.keys()
    assert all(benchmark.warmup == 0 for benchmark in series.benchmarks)
    for change in facts.measured:
        base, head = facts.base[change.identity], facts.head[change.identity]
        assert base.in_turn
        assert all(base.in_turn)
        assert set(base.blocks) == set(head.blocks)
        assert change.base.forks >= 3
        assert seconds(series[change.identity]) > seconds(base)  # it includes the warm-up
    words = facts.command.words
    budget = seconds_of(words[words.index("--time-budget") + 1])
    assert "--plan" not in words
    assert 0.2 * budget < facts.command.seconds < 1.1 * budget
    assert facts.full_seconds > 2 * facts.command.seconds


def seconds(benchmark: steady.Benchmark) -> float:
    """Return the measuring time of a benchmark's longest fork; turns may be short."""
    assert benchmark.configuration is not None
    return float(benchmark.forks.shape[-1] * benchmark.configuration.iteration_seconds)


def test_a_new_plan_of_the_full_run_saves_time() -> None:
    with recording() as recorded:
        plan = steady.optimize(steady.load(recorded.full), budget=BUDGET)
        then = steady.read_plan(recorded.plan)
    assert plan.keys() == then.keys()
    assert plan.data_digest == then.data_digest
    assert plan.seconds < 0.7 * plan.full_seconds
    assert plan["AuditBenchmark.recordEvent"].status == "full"


def test_a_change_in_the_other_direction_is_a_false_alarm(facts: Facts) -> None:
    comparison = steady.compare(facts.head, facts.base)
    assert not any(is_found(*each) for each in seen(comparison))
    alarms = {one.identity for one in false_alarms(comparison)}
    found = (*facts.comparison.regressions, *facts.comparison.improvements)
    assert alarms == {one.identity for one in found}
    assert not finds_renamed(comparison)


@dataclass(frozen=True)
class Shown:
    """A folder in which the demo ran, the files that it wrote, and its output."""

    folder: Path
    out: Path
    printed: str


WIDTH, MOST_LINES = 96, 20


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    folder, printed = tmp_path_factory.mktemp("shown"), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(printed):
        patch.setenv("COLUMNS", str(WIDTH))
        patch.chdir(folder)
        assert main(["demo"]) == 0
    return Shown(folder, folder / "build" / "demo", printed.getvalue())


def test_the_demo_is_deterministic(shown: Shown, tmp_path: Path) -> None:
    assert main(["demo", "--out", str(tmp_path)]) == 0
    files = [path.relative_to(shown.out) for path in shown.out.rglob("*") if path.is_file()]
    assert {str(path) for path in files} >= {
        ".steady/plan.json", ".steady/jmh/overlay.args", ".steady/overlay/META-INF/BenchmarkList",
        "comment.md", "summary.md", "report.html", "comparison.json",
        "results/base.json", "results/head.json", "results/series/base.json",
        "results/same-code.json", "results/environment.json",
        "plan/plan.json", "full/forks-1-5.json", "full/forks-6-10.json",
    }  # fmt: skip
    for path in files:
        assert (shown.out / path).read_bytes() == (tmp_path / path).read_bytes()
        assert str(tmp_path.parent) not in (tmp_path / path).read_text()


def test_each_half_fits_a_screen_and_names_its_files(facts: Facts, shown: Shown) -> None:
    """A line wider than the screen is counted once for each wrapped line."""
    _, first, second, last = re.split(r"(?m)^\n(?=1\. |2\. |Run )", shown.printed)
    for half in (first, second):
        lines = half.rstrip("\n").split("\n")
        assert sum(max(1, math.ceil(len(line) / WIDTH)) for line in lines) <= MOST_LINES
    assert first.startswith("1. Shorten the suite\n")
    assert second.startswith("2. Guard the suite: ")
    assert last.count("$ steady run ") == 2
    assert f"$ {' '.join(facts.command.words)}\n" in second
    assert "14 of 20 benchmarks run the same code" in " ".join(second.split())
    for name in ("comment.md", "report.html", ".steady/plan.json"):
        assert f" build/demo/{name}" in second
        assert (shown.out / name).is_file()
    assert " build/demo/plan/plan.json\n" in first
    assert (shown.out / "plan" / "plan.json").is_file()


def test_the_first_half_agrees_with_its_plan(shown: Shown) -> None:
    """Rows and total agree with the written plan."""
    plan = steady.read_plan(shown.out / "plan" / "plan.json")
    first = shown.printed.partition("2. Guard the suite")[0]
    rows = re.findall(r"(\d+) × \((\d+) \+ (\d+)\) +(\d+) → (\d+) ", first)
    assert [tuple(map(int, row)) for row in rows] == [
        (e.forks, e.warmup, e.iterations, round(e.today_seconds or 0), round(e.seconds))
        for e in plan.benchmarks
    ]
    assert cost_sentence(plan).removeprefix("Planned run: ").partition(" instead")[0] in first
    assert "Onset and the drift test judged all 8 benchmarks." in " ".join(first.split())


def test_the_printed_commands_work(
    shown: Shown, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The printed commands create the same plans from the unpacked results."""
    monkeypatch.chdir(shown.folder)
    commands = [line for line in shown.printed.splitlines() if "$ steady optimize" in line]
    assert len(commands) == 2
    for command, plan in zip(commands, ("plan", ".steady"), strict=True):
        words = command.removeprefix("   $ steady ").split()
        assert words[-1] == f"build/demo/{plan}"
        again = shown.folder / "again" / plan
        assert main([*words[:-1], str(again)]) == 0
        expected = (shown.out / plan / "plan.json").read_bytes()
        assert (again / "plan.json").read_bytes() == expected
    results = shown.out / "results"
    sides = ["--base", str(results / "base.json"), "--head", str(results / "head.json")]
    capsys.readouterr()
    assert main(["compare", *sides, "--output", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["verdict"] == "regression"


# The script that records the demo: the files that it keeps, and the recordings that it rejects.


COMMAND = Command(record_demo.words_of("5m", 1), 299.5)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Return a run's folder as written by the command."""
    with recording() as recorded:
        recorded.pull_request.unpack(tmp_path / "results")
    return tmp_path / "results"


def test_packing_is_idempotent(run: Path, tmp_path: Path) -> None:
    """Rounding is idempotent, so packing a packed recording changes nothing."""
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


def test_paths_of_a_machine_are_detected(tmp_path: Path) -> None:
    paths = ["/home/ana/base.jar", "-Djava.io.tmpdir=/home/ana/tmp", "-cp /home/ana/base.jar"]
    others = ["/usr/lib/jvm/java-17/bin/java", "us/op", "base.jar"]
    path = tmp_path / "base.json.gz"
    for text in (*paths, *others):
        path.write_bytes(gzip.compress(json.dumps([{"one": [1, text], "two": None}]).encode()))
        assert list(record_demo.paths_in(path)) == ([text] if text in paths else [])


def test_equal_versions_are_rejected(run: Path, tmp_path: Path) -> None:
    (run / "head.json").write_bytes((run / "base.json").read_bytes())
    packed = PullRequest(tmp_path / "packed")
    record_demo.pack(run, packed.folder, COMMAND)
    problems = list(record_demo.problems(packed))
    assert len([problem for problem in problems if "was not found" in problem]) == 4


@pytest.mark.parametrize(
    ("problems", "options", "kept"),
    [([], [], False), (["a false alarm"], [], True), (["a false alarm"], ["--anyway"], False)],
)
def test_only_a_valid_recording_replaces_the_old_one_by_default(
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
    printed = capsys.readouterr()
    assert ("not good: a false alarm" in printed.err) == bool(problems)
    assert ("make docs" in printed.out) == (not kept)
    assert (old.read_text() == "as before") == kept
    if not kept:
        assert place.pull_request.command == Command(record_demo.words_of("5m", 1), 1.0)
        assert place.pull_request.series.is_file()
    assert len([*tmp_path.glob("demo-recording-*/pull-request/base.json.gz")]) == int(kept)
