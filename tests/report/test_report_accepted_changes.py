"""Accepted changes, ignored benchmarks and remarks; ``situations`` has their reports."""

import re
from dataclasses import replace
from datetime import date

from steady.compare import Comparison, Ignored
from steady.compare.summary import Summary
from steady.model import Identity
from steady.report.comment import COMMENT_LIMIT
from steady.report.sentences import method_sentences
from steady.report.verdict import verdict_words
from steady.settings.repo_settings import Acceptance
from tests.looped import looped
from tests.report.from_comparison import comment, html, summary, terminal
from tests.report.made import HOSTILE, change, of

ENTRY = Acceptance(
    "Bench.*", "checks its input", bound=0.2, expires=date(2027, 1, 31), author="Ada",
    source=".github/steady.yml:3",
)  # fmt: skip
OUTPUTS = {
    "comment": comment,
    "summary": summary,
    "terminal": lambda comparison: terminal(comparison, width=500),
    "html": html,
}


def accepted(*entries: Acceptance, why_ignored: str = "the disk decides") -> Comparison:
    """Return a comparison with a regression for each entry, and an unchanged benchmark."""
    slower = (
        replace(change(f"org.B.slow{i}", 0.1 + i / 100, "regression"), accepted=entry)
        for i, entry in enumerate(entries)
    )
    ignored = (Ignored(Identity("org.B.disk"), why_ignored),)
    return of(*slower, change("org.B.same", 0.0, "unchanged"), ignored=ignored)


def test_the_verdict_counts_accepted_and_ignored_benchmarks() -> None:
    one = accepted(ENTRY)
    many = "1 change is accepted"
    words = verdict_words(Summary.of(one))
    assert words.first == f"{many}, and nothing else became worse"
    assert words.others == ("1 benchmark is ignored",)
    more = replace(one, changes=(*one.changes, change("org.B.bad", 0.5, "regression")))
    words = verdict_words(Summary.of(more))
    assert words.first == "1 of 3 benchmarks became slower, by 50.0\u00a0%"
    assert many in words.others


def test_benchmarks_with_their_own_minimum_change_are_counted() -> None:
    bare = accepted()
    assert "in the settings" not in " ".join(method_sentences(Summary.of(bare)))
    own = replace(bare, changes=tuple(replace(c, min_change=0.2) for c in bare.changes))
    said = "1 benchmark has its own smallest change in the settings."
    assert said in method_sentences(Summary.of(own))
    # Each benchmark has its own band of changes that do not count.
    changed = (change("org.B.slow", 0.4, "regression"), *own.changes)
    bands = re.findall(r'<rect class="noise"[^>]*>', html(replace(own, changes=changed)))
    assert len(set(bands)) == 2


@looped("output", OUTPUTS)
def test_hostile_reasons_are_escaped(output: str) -> None:
    entry = Acceptance(HOSTILE, HOSTILE, author=HOSTILE, source=HOSTILE)
    text = OUTPUTS[output](replace(accepted(entry, why_ignored=HOSTILE), remarks=(HOSTILE,)))
    assert "\u202e" not in text
    assert "\n::error" not in text
    if output in ("comment", "summary"):
        assert "https://evil" not in text
        assert "@everyone" not in text.replace("\u2060@\u2060everyone", "")
    if output != "terminal":
        assert not re.search(r"(?<!\\)<img", text)
        assert not re.search(r"(?<!\\)<!-- steady:x", text)


def test_many_accepted_changes_fit() -> None:
    text = comment(accepted(*[replace(ENTRY, reason="x" * 500)] * 300))
    assert len(text) <= COMMENT_LIMIT
    assert "more accepted in the job summary." in text
    assert text.index("Accepted") < text.index("unchanged in the job summary")
