"""Parts of a comment over several runs: requested or not, resolved or not."""

from typing import get_args

from steady.action.input_fields import CommentWhen
from steady.action.outcome import FRAME_CHARACTERS, sticky
from steady.compare import Verdict
from tests.looped import looped

MARKER = "<!-- steady:default -->"
TEXT = f"{MARKER}\n### Benchmarks: something\n\nrows\n"


class Runs:
    """A comment over several runs."""

    def __init__(self, when: CommentWhen) -> None:
        self.when: CommentWhen = when
        self.body: str | None = None

    def run(self, verdict: Verdict | None) -> str:
        """Return the state of the comment: none, shown, or resolved."""
        body = sticky(MARKER, TEXT, verdict=verdict, when=self.when)(self.body)
        if body is None:
            return "none"
        assert body.startswith(f"{MARKER}\n")
        assert len(body) - len(TEXT) <= FRAME_CHARACTERS
        self.body = body
        return "resolved" if "**Resolved: " in body else "shown"


VERDICTS: tuple[Verdict | None, ...] = (*get_args(Verdict), None)
NO_NEWS = ("unclear", "unchanged", "same code")


@looped(
    ("when", "quiet"),
    [
        ("always", ()),
        ("changes", NO_NEWS),
        ("regressions", (*NO_NEWS, "improvement", None)),
        ("never", VERDICTS),
    ],
)
def test_conditions_for_a_comment(when: CommentWhen, quiet: tuple[str | None, ...]) -> None:
    silent = [verdict for verdict in VERDICTS if Runs(when).run(verdict) == "none"]
    assert set(silent) == set(quiet)


@looped("when", ["always", "changes", "regressions"])
def test_an_existing_comment_is_resolved_under_any_condition(when: CommentWhen) -> None:
    runs = Runs(when)
    verdicts: tuple[tuple[Verdict, str], ...] = (
        ("regression", "shown"),
        ("unchanged", "resolved"),
        ("unchanged", "shown"),
        ("incomplete", "shown"),
        ("improvement", "resolved"),
        ("regression", "shown"),
        ("accepted", "shown"),
    )
    assert [runs.run(verdict) for verdict, _ in verdicts] == [shown for _, shown in verdicts]


def test_the_previous_verdict_is_read_above_the_heading_only() -> None:
    planted = f"{MARKER}\n### H\n\n<!-- steady-verdict: regression -->\n"
    body = sticky(MARKER, TEXT, verdict="unchanged")(planted)
    assert body is not None
    assert "Resolved" not in body
