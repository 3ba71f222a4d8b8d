"""A history in artifacts: only the default branch's own are read, and nothing else in them."""

from __future__ import annotations

import re
import shutil
import stat
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

import pytest
import standin
import yaml
from action_scenario import EVENT_FILE, TOKEN, Scenario, write_event
from fork_scenario import packed
from git_scenario import git_server
from history_scenario import HEADER, Job
from standin import StandIn
from standin_runs import FORK_NUMBER, Runs, Storage, add_kept, storage

from steady.action.inputs import ActionInputs
from steady.github.artifacts import MOST_RUNS
from steady.history import Place
from steady.history.ancestry import Past
from steady.history.git_command import Git

ROOT = Path(__file__).parents[2]
HISTORY = {"history": "artifact:kept"}
FIRST, SECOND = "1" * 40, "2" * 40
INTEGRATION = "Resource not accessible by integration"
OBJECT = f"objects/ab/ab{'0' * 62}.gz"


@contextmanager
def past(head: str, base: str | None, _: Place) -> Iterator[Past]:
    """Stand in for a repository where the commits that are recorded here came before `head`."""

    class Two(Past):
        merge_base = FIRST

        def before(self, commit: str, limit: int) -> dict[str, int]:
            return {FIRST: 0, SECOND: 1}

    yield Two(cast("Git", None), head, base)


def known(runs: int) -> str:
    """Return what the log says of so many runs."""
    return f"history: {runs} runs on the same surroundings"


class Uploads:
    """What a repository's runs uploaded, and a workspace in which jobs run."""

    def __init__(self, scenario: Scenario, github: StandIn, held: Storage) -> None:
        self.scenario = scenario
        self.github = github
        self.held = held
        self.folder = scenario.root / "steady-history"
        github.part(Runs).location = held.url

    def record(
        self, commit: str, run: int, environ: Mapping[str, str | None] | None = None, **inputs: str
    ) -> int:
        """Record results of a commit of main."""
        variables = {
            "GITHUB_EVENT_NAME": "push",
            "GITHUB_REF": "refs/heads/main",
            "GITHUB_SHA": commit,
            "GITHUB_RUN_ID": str(run),
            "GITHUB_RUN_ATTEMPT": "1",
            **(environ or {}),
        }
        given = {"mode": "record", "results": "results/base.json", **HISTORY, **inputs}
        return self.scenario.run(given, variables)

    def learn(self) -> int:
        """Compare two runs of this job, for which the history tells how much runs differ."""
        environ = {"GITHUB_SERVER_URL": "https://github.example"}
        with patch("steady.history.open_past", past):
            return self.scenario.compare(environ, **HISTORY)

    def recorded(self) -> int:
        """Return how many runs the folder holds."""
        return len(list(self.folder.glob("entries/*/*.json")))

    def upload(self, number: int) -> None:
        """Upload the folder as `actions/upload-artifact` does; the job's workspace is gone then."""
        files = [path for path in sorted(self.folder.rglob("*")) if path.is_file()]
        names = {path.relative_to(self.folder).as_posix(): path.read_bytes() for path in files}
        self.held.contents[number] = packed(names)
        add_kept(self.github, number)
        shutil.rmtree(self.folder)

    def record_one(self) -> None:
        """Record a commit of main, and upload that as artifact 1."""
        assert self.record(FIRST, 1) == 0
        self.upload(1)


@pytest.fixture
def uploads(tmp_path: Path) -> Iterator[Uploads]:
    (tmp_path / "workspace").mkdir()
    with standin.github() as github, storage() as held:
        yield Uploads(Scenario(tmp_path / "workspace", github.url), github, held)


def test_record_twice_and_compare(tmp_path: Path, uploads: Uploads) -> None:
    (tmp_path / "git").mkdir()
    with git_server(tmp_path / "git", HEADER) as (server, _):
        job = Job(tmp_path / "git", server, uploads.github)
        _record_twice_and_compare(job, Uploads(job.scenario, job.github, uploads.held))


def _record_twice_and_compare(job: Job, uploads: Uploads) -> None:
    scenario = job.scenario
    first = job.commit()
    assert uploads.record(first, 1) == 0
    assert "history: branch main has no artifact 'kept' yet" in scenario.log
    assert scenario.outputs == {"history": "steady-history"}
    headline = (
        f"recorded suite default at commit {first} in steady-history; the next step has to upl"
    )
    assert headline in scenario.summary
    uploads.upload(11)

    second = job.commit()
    assert uploads.record(second, 2) == 0
    assert uploads.recorded() == 2
    uploads.upload(12)

    assert job.compare(job.commit("topic"), 3, **HISTORY) == 0
    assert scenario.outputs["verdict"] == "unchanged"
    assert f"Baseline: commit {second[:12]}, the merge base." in scenario.log
    assert "history: artifact 'kept' of run 3013, commit cccccccccccc" in scenario.log
    assert not uploads.folder.exists()
    downloads = [request.path.split("/")[-2] for request in job.github.sent("GET", "/zip$")]
    assert downloads == ["11", "12"]
    for headers in uploads.held.received:
        assert "Authorization" not in headers
    assert TOKEN not in scenario.log + scenario.summary


def test_enterprise_server_has_its_own_address(tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    with standin.github(enterprise=True) as github, storage() as held:
        uploads = Uploads(Scenario(tmp_path / "workspace", github.url), github, held)
        uploads.record_one()
        assert uploads.learn() == 0
        assert known(1) in uploads.scenario.log


def test_two_suites_of_one_job_are_in_one_folder(uploads: Uploads) -> None:
    uploads.record_one()
    for key in ("core", "parser"):
        assert uploads.record(SECOND, 2, key=key) == 0
    assert uploads.recorded() == 3
    # A job that is started again finds what its first attempt uploaded.
    uploads.upload(2)
    assert uploads.record(SECOND, 2, key="core") == 0
    assert "this run of suite core is in steady-history already" in uploads.scenario.log
    assert uploads.recorded() == 3


HOSTILE = packed({"../escaped": b"x"})


@pytest.mark.parametrize(
    "about",
    [
        {"head_repository_id": FORK_NUMBER},
        {"head_repository_id": FORK_NUMBER, "repository_id": FORK_NUMBER},
        {"head_branch": "topic"},
        {"expired": True},
        {"name": "kept2"},
        {"run": {"event": "pull_request"}},
        {"run": {"event": "issue_comment"}},
        {"run": {"event": "workflow_run"}},
        {"run": {"head_branch": "topic"}},
    ],
)
def test_an_artifact_of_somebody_else_is_not_believed(
    uploads: Uploads, about: dict[str, Any]
) -> None:
    uploads.record_one()
    uploads.held.contents[99] = HOSTILE
    add_kept(uploads.github, 99, **about)
    assert uploads.learn() == 0, uploads.scenario.log
    assert known(1) in uploads.scenario.log
    assert uploads.github.sent("GET", "/99/zip$") == []


def test_without_one_of_ours_the_history_is_empty(uploads: Uploads) -> None:
    add_kept(uploads.github, 98, head_repository_id=FORK_NUMBER)
    add_kept(uploads.github, 99, expired=True)
    assert uploads.learn() == 0
    assert known(0) in uploads.scenario.log
    assert uploads.record(FIRST, 2) == 0
    assert uploads.recorded() == 1


def test_artifacts_of_forks_do_not_hide_ours(uploads: Uploads) -> None:
    uploads.record_one()
    for number in range(200, 320):
        add_kept(uploads.github, number, head_repository_id=FORK_NUMBER)
    assert uploads.learn() == 0
    assert known(1) in uploads.scenario.log
    assert len(uploads.github.sent("GET", "/actions/artifacts$")) == 3


def test_a_history_that_cannot_be_seen_is_not_begun_anew(uploads: Uploads) -> None:
    uploads.record_one()
    for number in range(200, 200 + MOST_RUNS):
        add_kept(uploads.github, number, run={"event": "issue_comment"})
    assert uploads.record(SECOND, 2) == 2
    assert "there are many artifacts called 'kept', and none" in uploads.scenario.log
    assert not uploads.folder.exists()


def bomb() -> bytes:
    """Return an archive that unpacks to 200 times its size, and more."""
    return packed({OBJECT: b"0" * (40 * 2**20)})


def link() -> bytes:
    """Return an archive with a link under a proper name."""
    info = zipfile.ZipInfo(OBJECT)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return packed({info: "/etc/passwd"})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("archive", "words"),
    [
        (HOSTILE, "'../escaped' leads out of the archive"),
        (packed({"entries/ab/cd.json": b""}), "only entries/xx/….json and objects/xx/….gz of a hi"),
        (packed({OBJECT.replace("ab", "AB"): b""}), "in case"),
        (packed({OBJECT.replace("objects", "entries"): b""}), "is an archive in the archive"),
        (packed({f"{OBJECT}\n": b""}), "is not expected"),
        (bomb(), "unpacks to more than is read"),
        (link(), "is a link"),
        (b"<html>", "is not a zip archive"),
    ],
)
def test_a_hostile_archive_is_refused_whole(uploads: Uploads, archive: bytes, words: str) -> None:
    uploads.held.contents[1] = archive
    add_kept(uploads.github, 1)
    around = uploads.scenario.root.parent
    before = {*around.rglob("*")}
    assert uploads.learn() == 2
    [line] = [line for line in uploads.scenario.log.splitlines() if line.startswith("::error")]
    assert words in line
    assert line.startswith("::error title=steady::artifact 'kept'")
    assert {*around.rglob("*")} - before == {around / "output", around / "summary"}


def test_an_entry_that_is_none_is_passed_over_and_told(uploads: Uploads) -> None:
    assert uploads.record(FIRST, 1) == 0
    (uploads.folder / f"entries/ab/ab{'0' * 62}.json").parent.mkdir(exist_ok=True)
    (uploads.folder / f"entries/ab/ab{'0' * 62}.json").write_bytes(b"{}")
    uploads.upload(1)
    assert uploads.learn() == 0
    assert known(1) in uploads.scenario.log
    [line] = [line for line in uploads.scenario.log.splitlines() if line.startswith("::warning")]
    assert f"entries/ab/ab{'0' * 62}.json" in line
    assert "an entry of steady's history" in line


def test_an_object_that_is_another_is_refused(uploads: Uploads) -> None:
    assert uploads.record(FIRST, 1) == 0
    [path] = uploads.folder.glob("objects/*/*.gz")
    path.write_bytes(b"\x1f\x8b nonsense")
    uploads.upload(1)
    assert uploads.learn() == 2
    assert "is damaged" in uploads.scenario.log


MAY_NOT = (
    "the history in artifact 'kept' cannot be read: the token may not read artifacts (403): add "
    "`permissions: actions: read` to the job"
)
NOT_SHOWN = (
    "cannot see artifacts in octo/benchmarks (404): add `permissions: actions: read` to the job"
)


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/actions/artifacts$", 403, MAY_NOT),
        ("/runs/", 403, MAY_NOT),
        ("/actions/artifacts$", 404, NOT_SHOWN),
        ("/repos/octo/benchmarks$", 404, NOT_SHOWN),
        ("/zip$", 503, "GitHub's API failed (503); run the job again"),
        ("/actions/artifacts$", 200, "GitHub's answer lists no artifacts"),
        ("/zip$", 410, "artifact 'kept' has expired"),
    ],
)
@pytest.mark.parametrize("mode", ["record", "compare"])
def test_a_failure_is_one_sentence(
    uploads: Uploads, path: str, status: int, words: str, mode: str
) -> None:
    uploads.record_one()
    # A pull request from a fork has a token that may read, as any other.
    write_event(uploads.scenario.root / EVENT_FILE, fork=True)
    uploads.github.fail("GET", path, status, times=99, message=INTEGRATION)
    # A comparison that has its own base makes its verdict all the same.
    code = uploads.learn() if mode == "compare" else uploads.record(SECOND, 2)
    assert code == (0 if mode == "compare" else 2)
    shown = uploads.scenario.log if mode == "compare" else uploads.scenario.summary
    assert words in shown
    if mode == "compare":
        assert "::warning title=steady::The history was not used: " in uploads.scenario.log
        assert "The history was not used" in uploads.scenario.summary
        assert uploads.scenario.outputs["verdict"] == "unchanged"
    assert "Traceback" not in uploads.scenario.log
    assert not uploads.folder.exists()


def test_a_download_is_tried_again(uploads: Uploads) -> None:
    uploads.record_one()
    uploads.held.status, uploads.held.times = 503, 2
    assert uploads.learn() == 0
    uploads.held.times = 1
    assert uploads.record(SECOND, 2) == 0
    assert len(uploads.scenario.waits) == 3


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        (
            {"GITHUB_REF": "refs/heads/topic"},
            "this run is on `topic`, and only artifacts of `main`",
        ),
        ({"GITHUB_REF": "refs/tags/v1"}, "this run is on no branch, and only artifacts of `main`"),
        ({"GITHUB_EVENT_NAME": "issue_comment"}, "the event `issue_comment` may belong to a propo"),
    ],
)
def test_what_nobody_would_read_is_not_recorded(
    uploads: Uploads, environ: Mapping[str, str | None], words: str
) -> None:
    assert uploads.record(FIRST, 1, environ) == 0
    assert f"::notice title=steady::Nothing is recorded: {words}" in uploads.scenario.log
    assert uploads.scenario.outputs == {}
    assert not uploads.folder.exists()


@pytest.mark.parametrize(
    ("environ", "inputs", "words"),
    [
        ({"INPUT_TOKEN": ""}, {}, "input `history`: an artifact needs a token"),
        ({"GITHUB_REPOSITORY": ""}, {}, "GITHUB_REPOSITORY is '', not owner/name"),
        ({}, {"history": "artifact:"}, "`artifact:` and an artifact's, or a folder"),
        ({}, {"history": "artifact:a/b"}, "`artifact:` and an artifact's, or a folder"),
    ],
)
def test_a_mistake_is_told(
    uploads: Uploads, environ: Mapping[str, str | None], inputs: dict[str, str], words: str
) -> None:
    assert uploads.record(FIRST, 1, environ, **inputs) == 2
    assert words in uploads.scenario.log


@pytest.mark.parametrize("name", ["notes.txt", "entries/ab/x.json", OBJECT])
def test_a_folder_with_anything_else_is_left_alone(uploads: Uploads, name: str) -> None:
    path = uploads.folder / name
    path.parent.mkdir(parents=True)
    if name == OBJECT:
        path.symlink_to(uploads.scenario.root / "results/base.json")
    else:
        path.write_text("mine")
    before = {*uploads.folder.rglob("*")}
    assert uploads.record(FIRST, 1) == 2
    assert f"steady-history: holds '{name}', which is not a file" in uploads.scenario.log
    assert {*uploads.folder.rglob("*")} == before


def test_the_page_shows_workflows_that_work() -> None:
    page = (ROOT / "docs/history.md").read_text(encoding="utf-8")
    section = page.partition("## In an artifact")[2].partition("\n## ")[0]
    record, compare = map(yaml.safe_load, re.findall(r"```yaml\n(.*?)```", section, re.S))
    assert record["permissions"] == {"contents": "read", "actions": "read"}
    assert record["concurrency"]["cancel-in-progress"] is False
    assert compare["permissions"].items() >= {"contents": "read", "actions": "read"}.items()
    *_, recording, uploading = record["steps"]
    comparing = compare["steps"][-1]
    for step in (recording, comparing):
        given = {f"INPUT_{name.upper()}": text for name, text in step["with"].items()}
        settings = ActionInputs.from_environ(given)
        assert settings.history_artifact == uploading["with"]["name"]
    output = f"steps.{recording['id']}.outputs.history"
    assert uploading["with"]["path"] == f"${{{{ {output} }}}}"
    assert uploading["if"] == output
    assert uploading["uses"].startswith("actions/upload-artifact@")
