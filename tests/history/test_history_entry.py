"""Entries, objects and retention: what is written, what is read, what goes."""

from __future__ import annotations

import gzip
import json

import pytest
from git_scenario import make_entry
from hypothesis import given
from hypothesis import strategies as st

from steady.errors import InputError
from steady.history import Fingerprint, HistoryEntry, Retention
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
from tests.looped import looped

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


@given(entries)
def test_an_entry_comes_back(entry: HistoryEntry) -> None:
    assert decode(encode(entry), "x") == entry


@given(st.binary(max_size=300))
def test_whatever_stands_in_an_entrys_file_is_one_sentence(data: bytes) -> None:
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
        ({"more": 1}, "holds an unknown field, `more`"),
    ],
)
def test_what_an_entry_may_not_hold(change: dict[str, object], words: str) -> None:
    data = {**json.loads(encode(make_entry())), **change}
    with pytest.raises(InputError, match=words):
        decode(json.dumps(data).encode(), "entry.json")


def test_paths_are_made_of_hexadecimal_digits_alone() -> None:
    for path in (object_path, entry_path):
        with pytest.raises(ValueError, match="not a SHA-256"):
            path("../../outside")


@given(st.binary(max_size=2000))
def test_an_object_comes_back(data: bytes) -> None:
    packed = pack(data)
    assert pack(data) == packed
    assert packed[4:8] == bytes(4), "the time is not in it"
    assert unpack(packed, digest_of(data), "x") == data


def test_results_that_are_too_large_are_not_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steady.history.entry.LARGEST", 2**20)
    assert pack(bytes(2**20))
    with pytest.raises(InputError, match="results of 2 MiB are more than the 1 MiB"):
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
def test_a_damaged_object_is_told(packed: bytes) -> None:
    with pytest.raises(InputError, match=r"objects/\w\w/\w+\.gz is damaged; delete it there"):
        unpack(packed, digest_of(b"results"), "branch steady-data", limit=5000)


def test_the_newest_runs_of_every_suite_stay() -> None:
    core = [make_entry(number) for number in range(10)]
    other = [make_entry(number, "other") for number in range(2)]
    assert Retention(runs=3).dropped([*core, *other]) == tuple(core[:7])
    # What is recorded now stays, whatever the clock says.
    assert core[0] not in Retention(runs=2).dropped(core, [core[0].identity])


def test_the_oldest_goes_first_where_there_is_no_room() -> None:
    sizes = [400_000, 300_000, 300_000, 300_000]
    entries = [make_entry(number, "core", size) for number, size in enumerate(sizes)]
    only = make_entry(99, "huge", 900_000)
    assert Retention(megabytes=1.5).dropped([*entries, only]) == tuple(entries[:2])
    # However small the room, each suite keeps its newest run; what is recorded now is the newest.
    assert Retention(megabytes=0.1).dropped([*entries, only]) == tuple(entries[:3])
    late = Retention(megabytes=0.1).dropped([*entries, only], [entries[0].identity])
    assert late == tuple(entries[1:])


def test_an_object_that_several_share_counts_once() -> None:
    plan = Object("f" * 64, 900_000)
    entries = [make_entry(number, size=10_000, plan=plan) for number in range(10)]
    assert Retention(megabytes=1.0).dropped(entries) == ()


@looped(("runs", "megabytes"), [(0, 1.0), (1, 0.0), (1, float("nan"))])
def test_retention_that_keeps_nothing_is_a_mistake(runs: int, megabytes: float) -> None:
    with pytest.raises(InputError, match="expected"):
        Retention(runs, megabytes)


def test_fingerprints_differ_only_in_what_both_say() -> None:
    known = Fingerprint(cpu=("AMD EPYC 7763",), jdk=("21.0.5",))
    assert known.differences(Fingerprint(jdk=("21.0.5",))) == ()
    assert known.differences(Fingerprint(cpu=("Intel Xeon",), os=("Linux",))) == (
        "CPU: AMD EPYC 7763 there, Intel Xeon here",
    )
    assert known.digest != Fingerprint().digest
