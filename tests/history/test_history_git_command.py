"""Git as a program: whose configuration it sees, where a token goes, what its answers mean."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest
from git_scenario import COMMITS, GIT_ENVIRON, Repository, fake_git, git_server, make_suite
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.errors import InputError, MissingToolError
from steady.history import Place, Remote, load_run, open_store, record
from steady.history.git_command import Git, is_branch_name, outcome_of_push, quote
from tests.looped import looped

TOKEN = "ghs_the-token-nobody-may-see"
HEADER = "basic eC1hY2Nlc3MtdG9rZW46Z2hzX3RoZS10b2tlbi1ub2JvZHktbWF5LXNlZQ=="


def test_the_token_goes_to_the_server_and_nowhere_else(
    repository: Repository, tmp_path: Path
) -> None:
    calls = tmp_path / "arguments"
    environ = fake_git(tmp_path / "bin", 'exec $GIT "$@"')
    program = tmp_path / "bin/git"
    program.write_text(program.read_text().replace("\n", f'\necho "$@" >> {calls}\n', 1))
    with git_server(repository.bare.parent, "nobody") as (server, _):
        remote = Remote.with_token(f"{server}/remote.git", server, TOKEN, environ)
        with pytest.raises(InputError, match=r"error: 403.*add `permissions: contents: read`"):
            record(repository.store("refused", remote), "core", COMMITS[0], make_suite())
    with git_server(repository.bare.parent, HEADER) as (server, seen):
        remote = Remote.with_token(f"{server}/remote.git", server, TOKEN, environ)
        repository.branch_git("config", "http.receivepack", "true")
        record(repository.store(remote=remote), "core", COMMITS[0], make_suite())
        fresh = repository.store("fresh", remote)
        assert len(load_run(fresh, fresh.entries()[0])) == 3
    assert set(seen) == {HEADER}
    assert "push" in calls.read_text()
    everything = calls.read_bytes() + b"".join(
        path.read_bytes() for path in (tmp_path / "scratch").rglob("*") if path.is_file()
    )
    for secret in (TOKEN, HEADER):
        assert secret.encode() not in everything
        assert secret not in repr(remote)


def test_a_clones_own_way_to_its_remote_is_borrowed(repository: Repository, tmp_path: Path) -> None:
    with git_server(repository.bare.parent, HEADER) as (server, seen):
        repository.branch_git("config", "http.receivepack", "true")
        repository.git("remote", "set-url", "origin", f"{server}/remote.git")
        # As actions/checkout leaves it.
        repository.git("config", f"http.{server}/.extraheader", f"AUTHORIZATION: {HEADER}")
        with open_store("git:", Place(repository.clone, environ=GIT_ENVIRON)) as store:
            record(store, "core", COMMITS[0], make_suite())
            assert len(store.entries()) == 1
    assert set(seen) == {HEADER}


def test_the_environment_of_a_hook_leads_nowhere_and_its_configuration_is_kept(
    repository: Repository, tmp_path: Path
) -> None:
    environ = {**GIT_ENVIRON, "GIT_DIR": str(tmp_path), "GIT_INDEX_FILE": "x", "GIT_TRACE": "1"}
    environ |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "user.name"}
    environ["GIT_CONFIG_VALUE_0"] = "theirs"
    git = Git(repository.clone, Remote("", (("user.email", "ours"),), environ))
    code, printed, message = git.attempt("rev-parse", "--show-toplevel")
    assert (code, message) == (0, "")
    assert Path(printed.decode().strip()).samefile(repository.clone)
    assert git.text("config", "user.name") == "theirs"
    assert git.text("config", "user.email") == "ours"


def test_a_push_that_hangs_is_given_up_and_tried_again(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("steady.history.git_command.TIMEOUT_SECONDS", 5.0)
    hung = tmp_path / "hung"
    script = f'[ -e {hung} ] || {{ touch {hung}; sleep 100; }}; exec $GIT "$@"'
    remote = Remote(repository.url, (), fake_git(tmp_path / "bin", script))
    begun = time.monotonic()
    store = repository.store(remote=remote)
    record(store, "core", COMMITS[0], make_suite())
    assert hung.exists()
    assert time.monotonic() - begun < 60.0
    assert len(store.entries()) == 1


def test_git_that_cannot_run_is_a_failure_like_others(tmp_path: Path) -> None:
    absent = tmp_path / "absent"
    code, printed, message = Git(absent, Remote("", (), GIT_ENVIRON)).attempt("version")
    assert (code != 0, printed) == (True, b"")
    assert message == f"git cannot run in {absent} (No such file or directory)"
    with pytest.raises(MissingToolError, match="git is not installed"):
        Git(tmp_path, Remote("", (), {"PATH": str(tmp_path)}))


def test_without_a_clone_or_remote_one_sentence(repository: Repository, tmp_path: Path) -> None:
    for place, words in (
        (Place(tmp_path, environ=GIT_ENVIRON), "is not a clone of a Git repository"),
        (Place(repository.clone, "upstream", GIT_ENVIRON), "not have a remote 'upstream'"),
    ):
        with pytest.raises(InputError, match=words), open_store("git:", place):
            pass


@settings(max_examples=60)
@given(
    st.text(st.sampled_from("ab/.-@{~^:?*[\\ \t\x7flock"), max_size=8)
    | st.from_regex(r"[a-z.]{1,3}(/[a-z.@-]{1,3}){0,2}(\.lock)?", fullmatch=True)
)
def test_branch_names_are_those_of_git(name: str) -> None:
    done = subprocess.run(
        ["git", "check-ref-format", f"refs/heads/{name}"], env=GIT_ENVIRON, check=False
    )
    if is_branch_name(name):
        assert done.returncode == 0
    elif not name.startswith("-") and name != "@":
        assert done.returncode != 0


@looped(("code", "printed", "message", "outcome"), [
        (0, "", "", "done"),
        (1, "!\ta:b\t[rejected] (stale info)", "error: failed to push some refs", "overtaken"),
        (1, "!\ta:b\t[remote rejected] (cannot lock ref 'x': is at 1 but expected 2)", "",
         "overtaken"),
        (1, "!\ta:b\t[remote rejected] (failed to update ref)", "", "overtaken"),
        (1, "!\ta:b\t[remote rejected] (protected branch hook declined)", "", "refused"),
        (128, "", "fatal: unable to access 'u': The requested URL returned error: 403", "refused"),
        (128, "", "fatal: unable to access 'u': The requested URL returned error: 503",
         "unreachable"),
        (128, "", "fatal: unable to access 'u': Could not resolve host: x", "unreachable"),
        (128, "", "remote: Write access to repository not granted.", "refused"),
        (128, "", "fatal: something new", "refused"),
    ])  # fmt: skip
def test_what_became_of_a_push(code: int, printed: str, message: str, outcome: str) -> None:
    assert outcome_of_push(code, printed, message) == outcome


def test_no_password_of_an_address_is_repeated() -> None:
    message = "fatal: unable to access 'https://me:secret@host/x/': \x1b[31mno\nhint: x"
    assert quote(message) == "fatal: unable to access 'https://host/x/': ?[31mno"
