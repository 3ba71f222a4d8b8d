"""What is around a comment, from run to run: wanted or not, resolved or not."""

from __future__ import annotations

from steady.action.comment_parts import FRAME_CHARACTERS, CommentWhen, sticky
from steady.compare import Verdict
from tests.looped import looped

MARKER = "<!-- steady:default -->"
TEXT = f"{MARKER}\n### Benchmarks: something\n\nrows\n"


class Runs:
    """One comment through several runs."""

    def __init__(self, when: CommentWhen) -> None:
        self.when: CommentWhen = when
        self.body: str | None = None

    def run(self, verdict: Verdict | None) -> str:
        """Return what becomes of the comment: none, shown, or resolved."""
        body = sticky(MARKER, TEXT, verdict=verdict, when=self.when)(self.body)
        if body is None:
            return "none"
        assert body.startswith(f"{MARKER}\n")
        assert len(body) - len(TEXT) <= FRAME_CHARACTERS
        self.body = body
        return "resolved" if "**Resolved: " in body else "shown"


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
        "resolved",
        "shown",
        "shown",
        "resolved",
    ]


def test_what_is_accepted_is_not_resolved() -> None:
    runs = Runs("always")
    assert [runs.run("regression"), runs.run("accepted")] == ["shown", "shown"]


def test_only_the_lines_above_the_heading_tell_of_the_run_before() -> None:
    planted = f"{MARKER}\n### H\n\n<!-- steady-verdict: regression -->\n"
    body = sticky(MARKER, TEXT, verdict="unchanged")(planted)
    assert body is not None
    assert "Resolved" not in body
