"""The lines that accept regressions: pasted unchanged, they accept exactly those."""

from dataclasses import replace
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from steady.compare import Change, Comparison, Estimate, Ledger
from steady.compare.comparison import MetricComparison
from steady.github.acceptances import commands
from steady.judging import apply_settings
from steady.model import Identity
from steady.report.comment import MOST_LINES, accept_lines
from steady.settings import RepoSettings
from steady.settings.repo_settings import parse_accept

TODAY = date(2026, 11, 22)


def worse(identity: Identity, ratio: float, metric: str = "") -> Change:
    """Return a regression whose interval ends 5 % above it."""
    base, head = Estimate(100, 99, 101, 5, 25), Estimate(100 * (1 + ratio), 0, 0, 5, 25)
    interval = (ratio - 0.05, ratio + 0.05)
    return Change(
        identity, "ns/op", "lower", base, head, "regression", 0.03, (), interval, metric=metric
    )


def of(*changes: Change) -> Comparison:
    main = tuple(change for change in changes if not change.metric)
    further = tuple(change for change in changes if change.metric)
    identities = dict.fromkeys(change.identity for change in changes)
    return Comparison(main, Ledger(tuple(identities)), metrics=MetricComparison(further))


def after(comparison: Comparison, lines: tuple[str, ...]) -> Comparison:
    """Return the comparison after a maintainer has pasted the lines."""
    pasted = commands("\n\n".join(lines).replace("REASON", "it checks its input"))
    entries = tuple(parse_accept(text, "ada") for text, obstacle in pasted if not obstacle)
    return apply_settings(comparison, RepoSettings(accepted=entries), TODAY)


def test_each_line_names_one_benchmark_and_a_sufficient_bound() -> None:
    small = worse(Identity("org.example.B.parse", params=(("n", "10"),)), 0.1)
    large = worse(Identity("org.example.B.parse", params=(("n", "400"),)), 0.283)
    more = worse(Identity("org.example.B.read"), 0.5, "gc.alloc.rate.norm")
    comparison = of(small, large, more)
    lines = accept_lines(comparison)
    assert lines == (
        '/steady accept "B.parse [n=400]" --bound 35% REASON',
        '/steady accept "B.parse [n=10]" REASON',
        '/steady accept "B.read" --metric gc.alloc.rate.norm --bound 55% REASON',
    )
    accepted = after(comparison, lines)
    assert not accepted.regressions
    assert not accepted.metrics.regressions
    assert len(after(comparison, lines[:1]).regressions) == 1


def test_no_lines_are_suggested_if_none_would_count() -> None:
    change = worse(Identity("a.B.c"), 0.1)
    from_zero = replace(change, base=Estimate(0.0, 0.0, 0.0, 5, 25), interval=None)
    assert accept_lines(of(from_zero)) == ()
    assert accept_lines(replace(of(change), comparable=False)) == ()
    assert accept_lines(of(replace(change, outcome="improvement"))) == ()
    for name in ("a.B.`x`", "a\nb", "~~~~~~", "a\"b'c", "<!-- steady:x -->", "*"):
        assert accept_lines(of(worse(Identity(name), 0.1))) == (), name
    many = of(*(worse(Identity(f"a.B.c{i}"), 0.1) for i in range(3 * MOST_LINES)))
    assert len(accept_lines(many)) == MOST_LINES  # more lines are never pasted


@given(st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=4, unique=True))
def test_a_line_accepts_only_its_own_benchmark_for_any_names(names: list[str]) -> None:
    comparison = of(*(worse(Identity(name), 0.1) for name in names))
    for line in accept_lines(comparison):
        assert line.isprintable()
        assert len(after(comparison, (line,)).regressions) == len(names) - 1
