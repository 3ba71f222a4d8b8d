"""What is around a comment, from run to run: wanted or not, resolved, folded, gone."""

from __future__ import annotations

from steady.action.comment_parts import FRAME_CHARACTERS, CommentWhen, WhenResolved, sticky
from steady.compare import Verdict
from tests.looped import looped

MARKER = "<!-- steady:default -->"
TEXT = f"{MARKER}\n### Benchmarks: something\n\nrows\n"


class Runs:
    """One comment through several runs."""

    def __init__(self, when: CommentWhen, when_resolved: WhenResolved = "keep") -> None:
        self.when: CommentWhen = when
        self.when_resolved: WhenResolved = when_resolved
        self.body: str | None = None
        self.folded = False

    def run(self, verdict: Verdict | None) -> str:
        """Return what becomes of the comment: none, shown or folded, and resolved or not."""
        write = sticky(
            MARKER, TEXT, verdict=verdict, when=self.when, when_resolved=self.when_resolved
        )
        draft = write(self.body)
        if draft is None:
            self.body, self.folded = None, False
            return "none"
        assert draft.body.startswith(f"{MARKER}\n")
        assert len(draft.body) - len(TEXT) <= FRAME_CHARACTERS
        self.body = draft.body
        self.folded = self.folded if draft.folded is None else draft.folded
        visibility = "folded" if self.folded else "shown"
        return f"{visibility} resolved" if "**Resolved: " in draft.body else visibility


@looped(
    ("when", "verdict", "expected"),
    [
        ("always", "unchanged", "shown"),
        ("changes", "unchanged", "none"),
        ("changes", "improvement", "shown"),
        ("changes", "accepted", "shown"),
        ("changes", "incomplete", "shown"),
        ("changes", None, "shown"),
        ("regressions", "unchanged", "none"),
        ("regressions", "improvement", "none"),
        ("regressions", "accepted", "shown"),
        ("regressions", "regression", "shown"),
        ("regressions", "incomplete", "shown"),
        ("regressions", "not comparable", "shown"),
        ("regressions", None, "none"),
        ("never", "regression", "none"),
    ],
)
def test_what_makes_a_comment(when: CommentWhen, verdict: Verdict | None, expected: str) -> None:
    assert Runs(when).run(verdict) == expected


@looped("when", ["always", "changes", "regressions"])
def test_a_comment_that_is_there_is_resolved_whatever_makes_one(when: CommentWhen) -> None:
    runs = Runs(when)
    verdicts: list[Verdict] = ["regression", "unchanged", "unchanged", "incomplete", "improvement"]
    assert [runs.run(verdict) for verdict in verdicts] == [
        "shown",
        "shown resolved",
        "shown",
        "shown",
        "shown resolved",
    ]


def test_a_resolved_comment_is_folded_until_something_is_wrong_again() -> None:
    runs = Runs("regressions", "minimize")
    verdicts: list[Verdict] = ["regression", "unchanged", "unchanged", "regression", "improvement"]
    assert [runs.run(verdict) for verdict in verdicts] == [
        "shown",
        "folded resolved",
        "folded",
        "shown",
        "folded resolved",
    ]
    runs.when_resolved = "keep"
    assert runs.run("unchanged") == "shown"


def test_a_comment_without_bad_news_is_never_folded() -> None:
    runs = Runs("always", "minimize")
    assert [runs.run("unchanged"), runs.run("improvement")] == ["shown", "shown"]


@looped(("when", "improved"), [("changes", "shown"), ("regressions", "none")])
def test_a_comment_is_deleted_when_nothing_is_left_to_tell(
    when: CommentWhen, improved: str
) -> None:
    runs = Runs(when, "delete")
    assert [runs.run("regression"), runs.run("unchanged")] == ["shown", "none"]
    assert [runs.run("improvement"), runs.run("unchanged")] == [improved, "none"]


def test_what_is_accepted_is_not_resolved() -> None:
    runs = Runs("always", "minimize")
    assert [runs.run("regression"), runs.run("accepted")] == ["shown", "shown"]


def test_only_the_lines_above_the_heading_tell_of_the_run_before() -> None:
    planted = f"{MARKER}\n### H\n\n<!-- steady-verdict: regression -->\n<!-- steady-minimized -->\n"
    draft = sticky(MARKER, TEXT, verdict="unchanged", when_resolved="minimize")(planted)
    assert draft is not None
    assert draft.folded is None
    assert "Resolved" not in draft.body
