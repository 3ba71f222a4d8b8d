"""Git commands, entries, objects and retention of the history."""

import gzip
import json
import subprocess
import time
from pathlib import Path

import pytest
from git_scenario import (
    COMMITS,
    GIT_ENVIRON,
    Repository,
    fake_git,
    git_server,
    make_entry,
    make_suite,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.errors import InputError, MissingToolError
from steady.history import (
    Fingerprint,
    HistoryEntry,
    Place,
    Remote,
    Retention,
    load_run,
    open_store,
    record,
)
from steady.history.entry import (
    Object,
    decode,
    digest_of,
    encode,
    entry_path,
    object_path,
    pack,
    unpack,
)
from steady.history.git_command import Git, is_branch_name, outcome_of_push, quote
from tests.looped import looped

# Git commands: configuration, tokens, and interpretation of messages.


TOKEN = "ghs_the-token-nobody-may-see"
HEADER = "basic eC1hY2Nlc3MtdG9rZW46Z2hzX3RoZS10b2tlbi1ub2JvZHktbWF5LXNlZQ=="


def test_the_token_is_sent_to_its_server_only(repository: Repository, tmp_path: Path) -> None:
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


def test_the_clones_configuration_for_its_remote_is_used(
    repository: Repository, tmp_path: Path
) -> None:
    with git_server(repository.bare.parent, HEADER) as (server, seen):
        repository.branch_git("config", "http.receivepack", "true")
        repository.git("remote", "set-url", "origin", f"{server}/remote.git")
        # As configured by actions/checkout.
        repository.git("config", f"http.{server}/.extraheader", f"AUTHORIZATION: {HEADER}")
        with open_store("git:", Place(repository.clone, environ=GIT_ENVIRON)) as store:
            record(store, "core", COMMITS[0], make_suite())
            assert len(store.entries()) == 1
    assert set(seen) == {HEADER}


def test_variables_of_a_hook_are_dropped_and_its_configuration_is_kept(
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


def test_a_hanging_push_times_out_and_is_retried(
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


def test_git_that_cannot_start_is_reported(tmp_path: Path) -> None:
    absent = tmp_path / "absent"
    code, printed, message = Git(absent, Remote("", (), GIT_ENVIRON)).attempt("version")
    assert (code != 0, printed) == (True, b"")
    assert message == f"git cannot run in {absent} (No such file or directory)"
    with pytest.raises(MissingToolError, match="git is not installed"):
        Git(tmp_path, Remote("", (), {"PATH": str(tmp_path)}))


def test_a_missing_clone_or_remote_is_reported_in_one_sentence(
    repository: Repository, tmp_path: Path
) -> None:
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
def test_branch_names_are_valid_as_in_git(name: str) -> None:
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
def test_outcomes_of_pushes_are_classified(
    code: int, printed: str, message: str, outcome: str
) -> None:
    assert outcome_of_push(code, printed, message) == outcome


def test_passwords_in_addresses_are_not_quoted() -> None:
    message = "fatal: unable to access 'https://me:secret@host/x/': \x1b[31mno\nhint: x"
    assert quote(message) == "fatal: unable to access 'https://host/x/': ?[31mno"


# Entries, objects and retention.


HEX = "0123456789abcdef"
names = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._]{0,20}", fullmatch=True)
texts = st.lists(st.text(st.characters(codec="utf-8"), max_size=20), max_size=3).map(tuple)
objects = st.builds(Object, st.text(HEX, min_size=64, max_size=64), st.integers(0, 2**40))
entries = st.builds(
    HistoryEntry,
    suite=names,
    commit=st.text(HEX, min_size=40, max_size=40),
    run=names,
    time=st.integers(0, 2**33),
    results=objects,
    plan=st.none() | objects,
    environment=st.builds(Fingerprint, texts, texts, texts, texts),
    benchmarks=st.integers(0, 5000),
)


@given(entries, st.binary(max_size=2000))
def test_entries_and_objects_survive_a_round_trip(entry: HistoryEntry, data: bytes) -> None:
    assert decode(encode(entry), "x") == entry
    packed = pack(data)
    assert pack(data) == packed
    assert packed[4:8] == bytes(4), "packed objects contain no time"
    assert unpack(packed, digest_of(data), "x") == data


@given(st.binary(max_size=300))
def test_invalid_entries_are_reported_in_one_sentence(data: bytes) -> None:
    with pytest.raises(InputError, match=r"^entry\.json.*delete that file"):
        decode(data, "entry.json")


@looped(
    ("change", "words"),
    [
        ({"steady_history": 2}, r"\$\.steady_history: .* not allowed here: 2"),
        ({"commit": "../../etc/passwd"}, "expected a full hash"),
        ({"commit": f"{'a' * 40}\n"}, "expected a full hash"),
        ({"suite": "a--b"}, "expected at most 64 letters, digits"),
        ({"results": {"sha256": f"{'a' * 64}\n", "bytes": 1}}, "64 hexadecimal digits"),
        ({"results": {"sha256": "../x", "bytes": 1}}, "expected 64 hexadecimal digits"),
        ({"time": -1}, "expected a whole number of at least 0"),
        ({"more": 1}, "contains an unknown field, `more`"),
    ],
)
def test_invalid_fields_of_entries_are_rejected(change: dict[str, object], words: str) -> None:
    data = {**json.loads(encode(make_entry())), **change}
    with pytest.raises(InputError, match=words):
        decode(json.dumps(data).encode(), "entry.json")


def test_paths_consist_of_hexadecimal_digits() -> None:
    for path in (object_path, entry_path):
        with pytest.raises(ValueError, match="not a SHA-256"):
            path("../../outside")


def test_too_large_results_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steady.history.entry.LARGEST", 2**20)
    assert pack(bytes(2**20))
    with pytest.raises(InputError, match="results of 2 MiB exceed the limit of 1 MiB"):
        pack(bytes(2**21))


@looped(
    "packed",
    [
        b"",
        b"no gzip",
        pack(b"something else"),
        pack(b"results")[:-3],
        pack(b"results" * 1000),
        gzip.compress(bytes(10**7)),
    ],
)
def test_damaged_objects_are_reported(packed: bytes) -> None:
    with pytest.raises(InputError, match=r"objects/\w\w/\w+\.gz is damaged; delete it there"):
        unpack(packed, digest_of(b"results"), "branch steady-data", limit=5000)


def test_the_newest_runs_of_every_suite_are_kept() -> None:
    core = [make_entry(number) for number in range(10)]
    other = [make_entry(number, "other") for number in range(2)]
    assert Retention(runs=3).dropped([*core, *other]) == tuple(core[:7])
    # The run being recorded stays, independently of the clock.
    assert core[0] not in Retention(runs=2).dropped(core, [core[0].identity])


def test_the_oldest_runs_are_dropped_beyond_the_size_limit() -> None:
    sizes = [400_000, 300_000, 300_000, 300_000]
    entries = [make_entry(number, "core", size) for number, size in enumerate(sizes)]
    only = make_entry(99, "huge", 900_000)
    assert Retention(megabytes=1.5).dropped([*entries, only]) == tuple(entries[:2])
    # With any size limit, each suite keeps its newest run; the run being recorded is the newest.
    assert Retention(megabytes=0.1).dropped([*entries, only]) == tuple(entries[:3])
    late = Retention(megabytes=0.1).dropped([*entries, only], [entries[0].identity])
    assert late == tuple(entries[1:])


def test_shared_objects_are_counted_once() -> None:
    plan = Object("f" * 64, 900_000)
    entries = [make_entry(number, size=10_000, plan=plan) for number in range(10)]
    assert Retention(megabytes=1.0).dropped(entries) == ()


@looped(("runs", "megabytes"), [(0, 1.0), (1, 0.0), (1, float("nan"))])
def test_invalid_retention_limits_are_errors(runs: int, megabytes: float) -> None:
    with pytest.raises(InputError, match="expected"):
        Retention(runs, megabytes)


def test_fingerprints_differ_only_in_values_that_both_have() -> None:
    known = Fingerprint(cpu=("AMD EPYC 7763",), jdk=("21.0.5",))
    assert known.differences(Fingerprint(jdk=("21.0.5",))) == ()
    assert known.differences(Fingerprint(cpu=("Intel Xeon",), os=("Linux",))) == (
        "CPU: AMD EPYC 7763 there, Intel Xeon here",
    )
    assert known.digest != Fingerprint().digest
