from dataclasses import replace
from pathlib import Path

import pytest
from scripted_harness import TRIALS, workloads

from steady.engine import schedule
from steady.engine.journal import Decision, Journal, JournalEntry
from steady.errors import InputError
from steady.harness.trial import digest


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """Return a journal of two trials, one of which failed."""
    journal = Journal.open(tmp_path / "journal.jsonl")
    journal.add(JournalEntry.of(TRIALS[0], "id:0", 10.0, 12.5))
    journal.add(JournalEntry.of(TRIALS[1], "id:0", 12.5, 13.0, reason="it threw \ud800"))
    return journal


def test_written_lines_are_read_back(journal: Journal) -> None:
    again = Journal.open(journal.path)
    assert again == journal
    assert list(again.records) == [0, 1]
    assert again.records[0].seconds == 2.5
    assert again.decisions == []
    text = journal.path.read_text()
    first, second = text.splitlines()
    assert first == (
        '{"kind": "planned", "number": 0, "round": 0, "block": "id:0", "version": '
        f'"{TRIALS[0].version}", "benchmark": "{TRIALS[0].identity.label}", "status": "ok", '
        '"reason": "", "start": 10.0, "end": 12.5, "seconds": 2.5, "iteration_seconds": null, '
        '"promised": 5.5, "sha256": "", "beside": null, "in_turn": false, '
        '"cold": false, "process": "", "layout": ""}'
    )
    assert '"reason": "it threw \\ud800"' in second
    # An earlier release wrote fewer fields.
    new = ', "sha256": "", "beside": null, "in_turn": false'
    assert text.count(new) == 2
    journal.path.write_text(text.replace('"iteration_seconds": null, ', "").replace(new, ""))
    assert Journal.open(journal.path) == journal


def test_an_empty_decision_is_recorded(journal: Journal) -> None:
    journal.add(Decision(TRIALS[2:4]))
    assert Journal.open(journal.path).schedule(()) == TRIALS[2:4]
    journal.add(Decision(TRIALS[4:6]))
    journal.add(Decision(()))
    assert Journal.open(journal.path).schedule(()) == TRIALS[2:6]
    assert Journal.open(journal.path).decisions == [TRIALS[2:4], TRIALS[4:6], ()]


def test_it_may_be_truncated_anywhere(journal: Journal) -> None:
    whole = journal.path.read_bytes()
    for size in range(len(whole)):
        journal.path.write_bytes(whole[:size])
        left = Journal.open(journal.path)
        assert len(left.records) == whole[:size].count(b"\n")
        left.add(Decision(()))
        assert Journal.open(journal.path).schedule(()) == ()


@pytest.mark.parametrize("end", [b"", b'{"kind": "pla', b'{"kind": "decision", "trials": []}\r'])
def test_opening_twice_gives_the_same_journal(journal: Journal, end: bytes) -> None:
    half_pairs = (  # the other line of each is not there
        JournalEntry.of(trial, "id:0", 1.0, 2.0, others=[trial.number + 20]) for trial in TRIALS[:3]
    )
    journal.add(Decision(()), *half_pairs)
    with journal.path.open("ab") as file:
        file.write(end)
    left = Journal.open(journal.path)
    assert list(left.records) == [0, 1]
    assert left.decisions == [()]
    content = journal.path.read_bytes()
    assert Journal.open(journal.path) == left
    assert journal.path.read_bytes() == content


def test_an_invalid_inner_line_is_an_error(journal: Journal) -> None:
    whole = journal.path.read_bytes()
    for line in (
        b"",
        b"{}",
        b"\xff",
        b'{"kind": "decision"}',
        b'{"kind": "decision", "trials": [{}]}',
        b'{"kind": "planned", "number": 1e999, "status": "ok"}',
        b"[" * 50_000,
    ):
        journal.path.write_bytes(whole + line + b"\n")
        with pytest.raises(InputError, match="line 3: is not a valid line of a"):
            Journal.open(journal.path)


def test_the_digest_depends_on_the_schedule_but_not_on_timeouts() -> None:
    assert digest(TRIALS) == digest(schedule(workloads(), seed=1))
    assert digest(TRIALS) != digest(schedule(workloads(), seed=2))
    assert digest(TRIALS) != digest(TRIALS[:-1])
    patient = [replace(trial, seconds=1.0, timeout=1e6) for trial in TRIALS]
    assert digest(TRIALS) == digest(patient)
