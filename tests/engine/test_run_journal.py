from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_harness import workloads

from steady.engine import Trial, schedule
from steady.engine.journal import Decision, Journal, JournalEntry
from steady.errors import InputError
from steady.files import plain
from steady.harness.trial import digest
from steady.model import ExecutionConfiguration, Identity

TRIALS = schedule(workloads(), seed=1)


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """Return a journal of two trials, one of which failed."""
    journal = Journal.open(tmp_path / "journal.jsonl")
    journal.add(JournalEntry.of(TRIALS[0], "id:0", 10.0, 12.5))
    journal.add(JournalEntry.of(TRIALS[1], "id:0", 12.5, 13.0, reason="it threw \ud800"))
    return journal


def test_what_was_written_is_read(journal: Journal) -> None:
    again = Journal.open(journal.path)
    assert again == journal
    assert list(again.records) == [0, 1]
    assert again.records[0].seconds == 2.5
    assert again.decisions == []


def test_a_line_is_written_as_always(journal: Journal) -> None:
    first, second = journal.path.read_text().splitlines()
    assert first == (
        '{"kind": "planned", "number": 0, "round": 0, "block": "id:0", "version": '
        f'"{TRIALS[0].version}", "benchmark": "{TRIALS[0].identity.label}", "status": "ok", '
        '"reason": "", "start": 10.0, "end": 12.5, "seconds": 2.5, "iteration_seconds": null, '
        '"promised": 5.5, "sha256": "", "beside": null, "in_turn": false, "cold": false}'
    )
    assert '"reason": "it threw \\ud800"' in second


def test_a_line_of_an_earlier_release_is_read(journal: Journal) -> None:
    lines = journal.path.read_text().replace('"iteration_seconds": null, ', "")
    new = ', "sha256": "", "beside": null, "in_turn": false'
    assert lines.count(new) == 2
    journal.path.write_text(lines.replace(new, ""))
    assert Journal.open(journal.path) == journal


def test_a_decision_is_kept_even_if_it_is_for_nothing(journal: Journal) -> None:
    journal.add(Decision(TRIALS[2:4]))
    assert Journal.open(journal.path).schedule(()) == TRIALS[2:4]
    journal.add(Decision(TRIALS[4:6]))
    journal.add(Decision(()))
    assert Journal.open(journal.path).schedule(()) == TRIALS[2:6]
    assert Journal.open(journal.path).decisions == [TRIALS[2:4], TRIALS[4:6], ()]


def test_it_may_be_cut_off_anywhere(journal: Journal) -> None:
    whole = journal.path.read_bytes()
    for size in range(len(whole)):
        journal.path.write_bytes(whole[:size])
        left = Journal.open(journal.path)
        assert len(left.records) == whole[:size].count(b"\n")
        left.add(Decision(()))
        assert Journal.open(journal.path).schedule(()) == ()


def half_pairs(number: int) -> list[JournalEntry]:
    """Return lines of trials each of which names another one, whose line is not there."""
    return [
        JournalEntry.of(TRIALS[n], "id:0", 1.0, 2.0, beside=TRIALS[n].number + 20)
        for n in range(number)
    ]


@pytest.mark.parametrize("end", [b"", b'{"kind": "pla', b'{"kind": "decision", "trials": []}\r'])
def test_a_second_opening_finds_what_the_first_one_left(journal: Journal, end: bytes) -> None:
    journal.add(Decision(()), *half_pairs(3))
    with journal.path.open("ab") as file:
        file.write(end)
    left = Journal.open(journal.path)
    assert list(left.records) == [0, 1]
    assert left.decisions == [()]
    content = journal.path.read_bytes()
    assert Journal.open(journal.path) == left
    assert journal.path.read_bytes() == content


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}",
        b"\xff",
        b'{"kind": "decision"}',
        b'{"kind": "decision", "trials": [{}]}',
        b'{"kind": "planned", "number": 1e999, "status": "ok"}',
        b"[" * 50_000,
    ],
)
def test_a_broken_line_within_is_a_fault(line: bytes, journal: Journal) -> None:
    with journal.path.open("ab") as file:
        file.write(line + b"\n")
    with pytest.raises(InputError, match="line 3: is not a line of a journal"):
        Journal.open(journal.path)


@given(
    st.builds(
        Trial,
        st.integers(0),
        st.integers(0),
        st.text(),
        st.builds(
            Identity,
            st.text(),
            st.text(),
            st.lists(st.tuples(st.text(), st.text())).map(tuple),
            st.integers(1),
        ),
        st.builds(
            ExecutionConfiguration,
            st.just(1),
            st.integers(0),
            st.integers(1),
            st.floats(0, 1e6),
            st.floats(0, 1e6),
        ),
        st.floats(0, 1e6),
        st.floats(0, 1e6),
    )
)
def test_trials_survive_json(trial: Trial) -> None:
    assert msgspec.convert(json.loads(json.dumps(plain(trial))), Trial) == trial


def test_the_digest_tells_schedules_apart_but_not_patience() -> None:
    assert digest(TRIALS) == digest(schedule(workloads(), seed=1))
    assert digest(TRIALS) != digest(schedule(workloads(), seed=2))
    assert digest(TRIALS) != digest(TRIALS[:-1])
    patient = [
        Trial(t.number, t.round, t.version, t.identity, t.configuration, 1.0, 1e6) for t in TRIALS
    ]
    assert digest(TRIALS) == digest(patient)
