"""``steady history`` in a clone: recorded, listed, found again, pruned."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from git_scenario import Repository, run_git
from written_runs import NAMES, write_run

from steady.cli import main
from steady.cli.settings import schema
from steady.readers import load
from tests.looped import looped


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """Return a clone with two commits on main and a branch, and stand in it."""
    bare, folder = tmp_path / "remote.git", tmp_path / "clone"
    run_git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", str(bare))
    run_git(tmp_path, "clone", "--quiet", bare.as_uri(), str(folder))
    repository = Repository(bare, folder)
    repository.git("checkout", "--quiet", "-b", "main")
    for number in range(2):
        repository.commit(f"main {number}")
    repository.git("push", "--quiet", "origin", "main")
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.commit("topic")
    monkeypatch.chdir(folder)
    write_run(folder / "base.json")
    write_run(folder / "head.json", jdkVersion="22.0.1")
    return repository


def test_from_record_to_baseline(
    clone: Repository, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["history", "list"]) == 0
    assert "branch steady-data holds no runs" in capsys.readouterr().out

    record = ["history", "record", "base.json", "--commit", "main~1", "--run-id", "1"]
    assert main(record) == 0
    assert "recorded suite default at commit" in capsys.readouterr().out
    assert main(record) == 0
    assert "is in branch steady-data already" in capsys.readouterr().out

    assert main(["history", "list"]) == 0
    assert clone.git("rev-parse", "main~1")[:8] in capsys.readouterr().out

    out = tmp_path / "out" / "found.json"
    arguments = ["history", "baseline", "--base", "main", "--out", str(out)]
    assert main([*arguments, "--like", "head.json"]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "1 commit before the merge base" in said
    assert "It ran in other surroundings (JDK: 21.0.5 there, 22.0.1 here)" in said
    assert list(load(out)) == list(load("base.json"))

    assert main([*arguments, "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(schema("baseline")).validate(listed)
    assert listed["chosen"]["entry"]["commit"] == clone.git("rev-parse", "main~1").strip()
    assert (listed["chosen"]["distance"], listed["alike"]) == (1, None)

    out.unlink()
    assert main([*arguments, "--like", "head.json", "--same-environment"]) == 1
    assert "No baseline" in capsys.readouterr().err
    assert not out.exists()
    assert clone.git("status", "--porcelain").splitlines() == ["?? base.json", "?? head.json"]


def test_prune_and_a_folder(capsys: pytest.CaptureFixture[str], clone: Repository) -> None:
    for number in range(3):
        commit = f"{number:040x}"
        assert main(["history", "record", "base.json", "--store", "kept", "--commit", commit]) == 0
    capsys.readouterr()
    prune = ["history", "prune", "--store", "kept", "--keep", "2"]
    assert main(prune) == 0
    assert capsys.readouterr().out == "dropped 1 old run\n"
    assert main(prune) == 0
    assert capsys.readouterr().out == "nothing to drop\n"
    entries = [json.loads(path.read_text()) for path in Path("kept/entries").rglob("*.json")]
    assert len(entries) == 2


@looped(
    ("arguments", "words"),
    [
        (["record", "base.json", "--commit", "nothing"], "'nothing' is not a commit here"),
        (["record", "base.json", "--suite", "../x"], "suite of a run in the history"),
        (["record", "base.json", "--run-id", "a b"], "run of a run in the history"),
        (["record", "base.json", "--keep", "0"], "0 runs are to be kept"),
        (["record", "absent.json"], "absent.json"),
        (["list", "--remote", "upstream"], "not have a remote 'upstream'"),
        (["list", "--store", "nosuch://x"], "a history is in a branch"),
        (["baseline", "--within", "-1", "--out", "x.json"], "expected 0 or more commits"),
        (["list", "--remote", "--upload-pack=x/y"], None),
        (["list", "--remote=--upload-pack=x/y"], "cannot be fetched"),
        (["baseline", "--head", "-x", "--out", "x.json"], None),
    ],
)
def test_a_mistake_is_one_sentence(
    clone: Repository, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str | None
) -> None:
    try:
        code: object = main(["history", *arguments])
    except SystemExit as end:  # argparse's own
        code = end.code
    assert code == 2
    said = capsys.readouterr().err.strip()
    if words is not None:
        (line,) = said.splitlines()
        assert words in line


def record_six(name: str, *more: str) -> None:
    """Record runs between which the machine changes, and leave the results of one more."""
    for number, factor in enumerate((1.0, 1.1, 0.95, 1.2, 0.9, 1.05)):
        write_run(Path(name), dict.fromkeys(NAMES, factor))
        assert main(["history", "record", name, *more, "--run-id", str(number)]) == 0
    write_run(Path("now.json"), dict.fromkeys(NAMES, 1.15))


def test_runs_of_the_history_tell_what_runs_differ_by(
    clone: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    record_six("run.json")
    compare = ["compare", "--base", "base.json", "--head", "now.json", "--fail-on", "regression"]
    assert main(compare) == 1
    assert main([*compare, "--history", "git:steady-data"]) == 0
    assert "noise floor" in capsys.readouterr().out
    assert main([*compare, "--history", "git:steady-data", "--suite", "another"]) == 1
    # They are of the branch's own commit, which is anybody's proposal until it is merged.
    assert main([*compare, "--history", "git:steady-data", "--base-branch", "main"]) == 1


def test_without_a_clone_all_runs_teach_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    record_six("run.json", "--store", "kept", "--commit", "1" * 40)
    compare = ["compare", "--base", "run.json", "--head", "now.json", "--fail-on", "regression"]
    capsys.readouterr()
    assert main([*compare, "--history", "kept"]) == 0
    assert "this folder is not a clone" in capsys.readouterr().err
