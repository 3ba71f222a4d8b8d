"""``steady history`` in a clone: recorded, listed, found again, pruned."""

import json
from pathlib import Path

import jsonschema
import pytest
from git_scenario import Repository, run_git
from written_runs import NAMES, write_run

from steady.cli.settings import schema
from steady.readers import load
from tests.cli.shell import Shell
from tests.looped import looped


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """Return a clone with two commits on main and a branch, as the current folder."""
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
    write_run(Path("base.json"))
    write_run(Path("head.json"), jdkVersion="22.0.1")
    return repository


def test_from_record_to_baseline(clone: Repository, shell: Shell) -> None:
    ended = shell("history list")
    assert ended.code == 0
    assert "branch steady-data contains no runs" in ended.out
    for said in ("recorded suite default at commit", "is already in branch steady-data"):
        ended = shell("history record base.json --commit main~1 --run-id 1")
        assert ended.code == 0
        assert said in ended.out
    recorded = clone.git("rev-parse", "main~1").strip()
    assert recorded[:8] in shell("history list").out

    find = "history baseline --base main --out ../out/found.json"
    ended = shell(f"{find} --like head.json")
    assert ended.code == 0
    assert "1 commit before the merge base" in ended.said
    assert "It ran in a different environment (JDK: 21.0.5 there, 22.0.1 here)" in ended.said
    assert list(load("../out/found.json")) == list(load("base.json"))

    listed = json.loads(shell(f"{find} --json").out)
    jsonschema.Draft202012Validator(schema("baseline")).validate(listed)
    assert listed["chosen"]["entry"]["commit"] == recorded
    assert (listed["chosen"]["distance"], listed["alike"]) == (1, None)

    Path("../out/found.json").unlink()
    ended = shell(f"{find} --like head.json --same-environment")
    assert ended.code == 1
    assert "No baseline" in ended.err
    assert not Path("../out/found.json").exists()
    assert clone.git("status", "--porcelain").splitlines() == ["?? base.json", "?? head.json"]


def test_prune_and_a_folder(shell: Shell) -> None:
    write_run(Path("base.json"))
    for number in range(3):
        assert shell(f"history record base.json --store kept --commit {number:040x}").code == 0
    for said in ("removed 1 old run\n", "nothing to remove\n"):
        ended = shell("history prune --store kept --keep 2")
        assert (ended.code, ended.out) == (0, said)
    entries = [json.loads(path.read_text()) for path in Path("kept/entries").rglob("*.json")]
    assert len(entries) == 2


@looped(
    ("arguments", "words"),
    [
        ("record base.json --commit nothing", "'nothing' is not a commit here"),
        ("record base.json --suite ../x", "suite of a run in the history"),
        ("record base.json --run-id 'a b'", "run of a run in the history"),
        ("record base.json --keep 0", "0 runs are to be kept"),
        ("record absent.json", "absent.json"),
        ("list --remote upstream", "not have a remote 'upstream'"),
        ("list --store nosuch://x", "a history is in a branch"),
        ("baseline --within -1 --out x.json", "expected 0 or more commits"),
        ("list --remote --upload-pack=x/y", None),
        ("list --remote=--upload-pack=x/y", "cannot be fetched"),
        ("baseline --head -x --out x.json", None),
    ],
)
@pytest.mark.usefixtures("clone")
def test_user_errors_are_one_sentence(arguments: str, words: str | None, shell: Shell) -> None:
    ended = shell(f"history {arguments}")
    assert ended.code == 2
    if words is not None:
        (line,) = ended.err.strip().splitlines()
        assert words in line


def record_six(shell: Shell, more: str = "") -> None:
    """Record runs with a change of machine, and write the results of one more."""
    for number, factor in enumerate((1.0, 1.1, 0.95, 1.2, 0.9, 1.05)):
        write_run(Path("run.json"), dict.fromkeys(NAMES, factor))
        assert shell(f"history record run.json {more} --run-id {number}").code == 0
    write_run(Path("now.json"), dict.fromkeys(NAMES, 1.15))


@pytest.mark.usefixtures("clone")
def test_variation_between_runs_is_estimated_from_the_history(shell: Shell) -> None:
    record_six(shell)
    compare = "compare --base base.json --head now.json --fail-on regression"
    assert shell(compare).code == 1
    kept = f"{compare} --history git:steady-data"
    ended = shell(kept)
    assert ended.code == 0
    assert "noise floor" in ended.out
    assert shell(f"{kept} --suite another").code == 1
    # The branch's commit is untrusted until it is merged.
    assert shell(f"{kept} --base-branch main").code == 1


def test_without_a_clone_all_runs_are_used_with_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    record_six(shell, f"--store kept --commit {'1' * 40}")
    ended = shell("compare --base run.json --head now.json --fail-on regression --history kept")
    assert ended.code == 0
    assert "this folder is not a clone" in ended.err
