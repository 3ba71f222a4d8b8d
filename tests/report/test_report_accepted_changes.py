"""Accepted changes, ignored benchmarks and remarks in every output."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date

import pytest

from steady.action.annotations import workflow_commands
from steady.compare import Acceptance, Change, Comparison, Ignored, Ledger
from steady.model import Identity
from steady.report.markdown import COMMENT_LIMIT
from steady.report.terminal import terminal
from steady.report.verdict import VerdictWords, verdict_words
from steady.report.wording import method_sentences
from tests.report.from_comparison import comment, html, summary

MakeChange = Callable[..., Change]
ENTRY = Acceptance(
    "Bench.*",
    "checks its input",
    bound=0.2,
    expires=date(2027, 1, 31),
    author="Ada",
    source=".github/steady.yml:3",
)
FOR_NOW = replace(ENTRY, bound=None, expires=None, author="octocat", source="a comment here")
OUTPUTS = {
    "comment": comment,
    "summary": summary,
    "terminal": lambda comparison: terminal(comparison, width=500),
    "html": html,
}


def accepted(make_change: MakeChange, *entries: Acceptance, **more: object) -> Comparison:
    """Return a comparison with a regression for each entry, and an unchanged benchmark."""
    changes = (
        *(
            replace(make_change(f"org.B.slow{i}", 0.1 + i / 100, "regression"), accepted=entry)
            for i, entry in enumerate(entries)
        ),
        make_change("org.B.same", 0.0, "unchanged"),
    )
    ledger = Ledger(
        tuple(change.identity for change in changes),
        ignored=(Ignored(Identity("org.B.disk"), "the disk decides"),),
    )
    options = {"min_change": 0.03, "confidence": 0.99}
    return Comparison(changes, ledger, options=options, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("output", OUTPUTS)
def test_every_output_tells_all(output: str, make_change: MakeChange) -> None:
    remark = "no benchmark matches nothing"
    text = OUTPUTS[output](accepted(make_change, ENTRY, FOR_NOW, remarks=(remark,)))
    text = text.replace("\u00a0", " ").replace("<wbr>", "").replace("\\", "")
    assert "ccepted" in text
    for told in (
        *("B.slow0", "up to 20 %", "2027-01-31", "Ada", "checks its input"),
        *("B.slow1", "of any size", "this pull request", "octocat", "a comment here"),
        *("B.disk", "the disk decides", "1 benchmark is ignored", remark),
    ):
        assert told in text, told
    assert "Regressions" not in text
    assert "1 regression" not in text


def test_the_verdict_says_what_it_leaves_out(make_change: MakeChange) -> None:
    one, two = accepted(make_change, ENTRY), accepted(make_change, ENTRY, FOR_NOW)
    many = "1 change is accepted"
    assert verdict_words(one) == VerdictWords(
        f"{many}, and nothing else became worse", ("1 benchmark is ignored",)
    )
    assert verdict_words(two).first.startswith("2 changes are accepted")
    assert comment(one).splitlines()[1] == f"### ☑️ {many}, and nothing else became worse"
    more = replace(one, changes=(*one.changes, make_change("org.B.bad", 0.5, "regression")))
    words = verdict_words(more)
    assert words.first == "1 of 3 benchmarks became slower, by 50.0\u00a0%"
    assert many in words.others


def test_smallest_changes_of_their_own_are_told(make_change: MakeChange) -> None:
    bare = accepted(make_change)
    assert "By the settings" not in " ".join(method_sentences(bare))
    own = replace(bare, changes=tuple(replace(c, min_change=0.2) for c in bare.changes))
    assert "By the settings 1 benchmark has a smallest change of its own." in method_sentences(own)
    # The band of changes that do not count is each benchmark's own.
    changed = (make_change("org.B.slow", 0.4, "regression"), *own.changes)
    bands = re.findall(r'<rect class="noise"[^>]*>', html(replace(own, changes=changed)))
    assert len(set(bands)) == 2


def test_annotations_are_notices(make_change: MakeChange) -> None:
    (line,) = workflow_commands(accepted(make_change, ENTRY))
    assert line == (
        "::notice title=Benchmark change accepted::org.B.slow0: +10.0\u00a0%25\u00a0(slower), "
        "accepted up to 20\u00a0%25 until 2027-01-31 by Ada (.github/steady.yml:3): checks its "
        "input"
    ).replace("\u00a0", " ")
    would_be = accepted(make_change, ENTRY, comparable=False)
    assert not any("accepted" in line for line in workflow_commands(would_be))


@pytest.mark.parametrize("output", OUTPUTS)
def test_hostile_words_stay_words(output: str, make_change: MakeChange) -> None:
    nasty = (
        "`|@everyone https://evil.example <img src=x onerror=alert(1)> <!-- steady:x -->\n"
        "::error::\u202e"
    )
    entry = Acceptance(nasty, nasty, author=nasty, source=nasty)
    found = accepted(make_change, entry, remarks=(nasty,))
    ledger = replace(found.ledger, ignored=(Ignored(Identity("org.B.disk"), nasty),))
    text = OUTPUTS[output](replace(found, ledger=ledger))
    assert "\u202e" not in text
    assert "\n::error" not in text
    if output in ("comment", "summary"):
        assert "https://evil" not in text
        assert "@everyone" not in text.replace("\u2060@\u2060everyone", "")
    if output != "terminal":
        assert not re.search(r"(?<!\\)<img", text)
        assert not re.search(r"(?<!\\)<!-- steady:x", text)


def test_many_of_them_fit(make_change: MakeChange) -> None:
    entry = replace(ENTRY, reason="x" * 500)
    found = accepted(make_change, *[entry] * 300)
    assert len(comment(found)) <= COMMENT_LIMIT
    assert "more accepted in the job summary." in comment(found)
    assert comment(found).index("Accepted") < comment(found).index("unchanged in the job summary")
