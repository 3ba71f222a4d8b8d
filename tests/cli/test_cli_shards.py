"""`steady run --shard`, `steady merge` and `steady run --stop`, with a scripted harness."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from scripted_commands import only_harness
from scripted_harness import NAMES, ScriptedHarness

from steady.cli import main
from steady.engine import StopRule
from steady.model import ExecutionConfiguration, Identity
from steady.optimize import BenchmarkPlan, Plan, write_plan

Run = Callable[..., int]


@pytest.fixture
def harness(monkeypatch: pytest.MonkeyPatch) -> ScriptedHarness:
    """Let the commands know one harness only: the scripted one."""
    return only_harness(monkeypatch)


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    """Write a plan of three benchmarks, each costlier than the one before."""
    one = ExecutionConfiguration(2, 2, 3, 1.0, 1.0)
    entries = (
        BenchmarkPlan(Identity(name), one, one, seconds, seconds, "reduced", "")
        for name, seconds in zip(NAMES[:3], (10.0, 20.0, 30.0), strict=True)
    )
    return write_plan(Plan(tuple(entries), "uoptime", harness="scripted"), tmp_path / "plan.json")


@pytest.fixture
def run(harness: ScriptedHarness, plan: Path, tmp_path: Path) -> Run:
    """Return `steady run` of the plan on two jars."""
    for name in ("base", "head"):
        (tmp_path / f"{name}.jar").write_text(f"content of {name}")
    pair = [f"--{n}={tmp_path / n}.jar" for n in ("base", "head")]

    def command(out: str, *more: str, what: tuple[str, ...] = (f"--plan={plan}",)) -> int:
        return main(["run", *what, *pair, f"--out={tmp_path / out}", "--all-rounds", *more])

    return command


def planned(path: Path) -> dict[str, int]:
    found: dict[str, int] = json.loads(path.read_text())["planned"]
    return found


def test_shards_share_the_plan_and_what_is_new(run: Run, tmp_path: Path) -> None:
    assert run("one", "--shard=1/2", "--new=1x3") == 0
    assert run("two", "--shard=2/2", "--new=1x3") == 0
    assert planned(tmp_path / "one" / "head.json") == {NAMES[2]: 2, NAMES[3]: 1}
    assert planned(tmp_path / "two" / "head.json") == {NAMES[0]: 2, NAMES[1]: 2}
    assert run("one", "--shard=2/2", "--resume") == 2


def test_merge_joins_them(
    run: Run, plan: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("one", "--shard=1/2", "--new=skip")
    run("two", "--shard=2/2", "--new=skip")
    capsys.readouterr()
    shards = [str(tmp_path / name) for name in ("one", "two")]
    out = tmp_path / "out"
    assert main(["merge", *shards, f"--out={out}", f"--plan={plan}"]) == 0
    assert capsys.readouterr().out == f"wrote {out / 'base.json'}\nwrote {out / 'head.json'}\n"
    for version in ("base", "head"):
        assert planned(out / f"{version}.json") == dict.fromkeys(NAMES[:3], 2)


def test_what_is_missing_makes_the_exit_code_one(
    run: Run,
    harness: ScriptedHarness,
    plan: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    harness.script = {0: "crash"}
    assert run("one", "--shard=1/2", "--new=skip") == 1
    capsys.readouterr()
    assert (
        main(["merge", str(tmp_path / "one"), f"--out={tmp_path / 'out'}", f"--plan={plan}"]) == 1
    )
    out, err = capsys.readouterr()
    assert "wrote" in out
    assert "steady: shard 2/2 is missing" in err
    assert f"steady: no shard holds {NAMES[0]}, which the plan names" in err
    assert "is not complete" in err


def test_a_benchmark_in_two_shards_is_refused(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("one", "--shard=1/2", "--new=skip")
    run("again", "--shard=1/2", "--new=skip")
    capsys.readouterr()
    shards = [str(tmp_path / name) for name in ("one", "again")]
    assert main(["merge", *shards, f"--out={tmp_path / 'out'}"]) == 2
    assert f"both hold '{NAMES[2]}'" in capsys.readouterr().err


def test_a_full_run_runs_in_parts_that_merge_joins(
    run: Run, harness: ScriptedHarness, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = ExecutionConfiguration(1, 0, 5, 0.9, 0.9)
    quick = ExecutionConfiguration(1, 0, 5, 0.1, 0.1)
    declared = dict(zip(map(Identity, NAMES), (slow, quick, quick, quick), strict=True))
    harness.declares = {"base": declared, "head": declared}
    full = ("--full=2x20",)
    harness.script = {1: "interrupt"}
    assert run("two", "--shard=2/2", "--turns=forks", what=full) == 130
    harness.script = {}
    assert run("two", "--shard=2/2", "--turns=forks", "--resume", what=full) == 0
    assert run("one", "--shard=1/2", what=full) == 0
    assert planned(tmp_path / "one" / "head.json") == {NAMES[0]: 2}
    assert planned(tmp_path / "two" / "head.json") == dict.fromkeys(NAMES[1:], 2)
    folders = [str(tmp_path / name) for name in ("one", "two")]
    assert main(["merge", *folders, f"--out={tmp_path / 'out'}"]) == 0
    assert planned(tmp_path / "out" / "head.json") == dict.fromkeys(NAMES, 2)
    assert run("other", "--shard=2/2", what=("--full=2x10",)) == 0
    capsys.readouterr()
    mixed = [folders[0], str(tmp_path / "other")]
    assert main(["merge", *mixed, f"--out={tmp_path / 'mixed'}"]) == 2
    assert "are of different full runs; give the shards of one run" in capsys.readouterr().err


def test_how_to_stop_reaches_the_harness(
    run: Run, harness: ScriptedHarness, capsys: pytest.CaptureFixture[str]
) -> None:
    harness.held = dict.fromkeys(("base", "head"), (Identity(NAMES[0]), Identity("a.B", "ss")))
    assert run("out", "--stop=laaber-cv", "--new=1x3") == 0
    assert harness.settings.stop == StopRule("laaber-cv")  # type: ignore[attr-defined]
    err = capsys.readouterr().err
    assert err.count("--stop is for average time and throughput; 1 benchmark (a.B (ss))") == 1
    assert "at most about" in err
    assert "first decides" not in err
    assert run("window", "--stop=rocket", "--new=1x3") == 0
    err = capsys.readouterr().err
    late = "--stop rocket first decides after 100 iterations, and the warm-up of 1 benchmark "
    assert err.count(late + f"({NAMES[0]}) is shorter: it ends as configured") == 1
    assert run("other", "--new=skip") == 0
    assert harness.settings.stop is None  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("more", "what", "message"),
    [
        (("--shard=1/9",), ("--full=1x5",), "9 shards were asked for, and the suite holds 4"),
        (("--shard=1/9",), None, "9 shards were asked for, and the suite holds 4"),
    ],
)
def test_mistakes(
    more: tuple[str, ...],
    what: tuple[str, ...] | None,
    message: str,
    run: Run,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert (run("out", *more) if what is None else run("out", *more, what=what)) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("text", ["3/2", "0/2", "1", "a/b"])
def test_a_shard_is_a_part_of_a_whole(
    text: str, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run("out", f"--shard={text}")
    assert "write 1/3, 2/3 or 3/3" in capsys.readouterr().err
