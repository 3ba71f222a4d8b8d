"""The comment and the job summary: verdict first, worst first, all rows somewhere, no injection."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from steady.compare import Change, Comparison, Estimate, Ledger, Missing
from steady.errors import InputError
from steady.github.accepts import commands
from steady.model import Environment, Identity
from steady.optimize.suite_plan import Plan
from steady.report.markdown import COMMENT_LIMIT, characters, marker
from steady.report.provenance import Measured
from steady.report.report_files import SUMMARY_LIMIT
from steady.report.terminal import terminal
from tests.looped import looped
from tests.report.from_comparison import comment, summary

MakeComparison = Callable[..., Comparison]
MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")
OUR_HTML = {"<br>", "<sub>", "</sub>", "<details>", "</details>", "<summary>", "</summary>"}


def rows(markdown: str, heading: str = "| Base → head |") -> list[str]:
    """Return the benchmarks named first in the rows of the table below a heading."""
    part = markdown.partition(heading)[2]
    found: list[str] = []
    for line in part.splitlines()[1:]:
        if found and not line.startswith("|"):
            break
        if match := re.match(r"\|(?: [^|`]+ \|)? (`[^|]+`)[^|]* \|", line):
            found.append(match[1].replace("`<br>`", "").strip("`"))
    return found


def html_in(markdown: str) -> set[str]:
    """Return every piece of HTML that a reader's browser would get to see as such."""
    pieces: list[str] = []

    def walk(tokens: list[Token]) -> None:
        for token in tokens:
            if token.type in ("html_inline", "html_block"):
                pieces.append(token.content)
            walk(token.children or [])

    walk(MARKDOWN.parse(markdown))
    return {tag for piece in pieces for tag in re.findall(r"<!--.*?-->|<[^>]*>", piece)}


def test_marker_and_verdict_come_first(eventful: Comparison) -> None:
    first, heading, *_ = comment(eventful, key="nightly").splitlines()
    assert first == "<!-- steady:nightly -->"
    assert heading.replace("\u00a0", " ") == (
        "### 🔴 2 of 4 benchmarks became slower, by up to 42.0 %; 4 have no result to compare"
    )
    named = comment(eventful, title="Benchmarks: nightly").splitlines()[1]
    assert named.startswith("### 🔴 Benchmarks: nightly · 2 of 4 benchmarks")


def test_one_table_holds_what_changed_the_worst_first(eventful: Comparison) -> None:
    text = comment(eventful).replace("\u00a0", " ")
    assert rows(text) == ["A.slow", "A.throughput", "A.fast"]
    assert "| Change | Benchmark | Base → head |" in text
    [row] = [line for line in text.splitlines() if "| `A.slow`" in line]
    assert row == (
        "| 🔴 +42.0 % slower<br><sub>+40.0 % to +44.0 %</sub> | `A.slow` | 100.0 → 142.0 ns/op |"
    )
    assert "99.0 to 101.0" not in text  # two intervals that overlap invite disbelief
    assert "−20.0\u00a0%\u00a0slower" in comment(eventful)  # throughput that drops; never broken
    assert "| 🟢 −30.0 % faster<br><sub>−32.0 % to −28.0 %</sub> | `A.fast` |" in text


def test_a_name_that_is_too_long_for_a_telephone_has_two_lines(
    make_change: Callable[..., Change],
) -> None:
    parsed = Identity("org.LongishBenchmark.parse", params=(("orders", "400"),))
    other = make_change("org.B.c", 0.3, "regression")
    changes = (make_change(parsed, 0.2, "regression"), other)
    text = comment(Comparison(changes, Ledger(tuple(c.identity for c in changes))))
    assert "| `org.LongishBenchmark.`<br>`parse [orders=400]` |" in text
    assert "| `org.B.c` |" in text


def test_the_change_is_the_first_column_of_every_table(eventful: Comparison) -> None:
    """Of a table that is too wide for a telephone, the end is cut off."""
    tables = re.findall(r"^(\| .* \|)\n\|[:-]", comment(eventful), re.MULTILINE)
    with_change = [line.split(" | ") for line in tables if "Change" in line]
    assert len(with_change) >= 2
    assert {titles[0] for titles in with_change} == {"| Change"}


def test_what_was_compared_stands_below_the_heading(make_comparison: MakeComparison) -> None:
    base = Environment("EPYC 7763", "Linux", "21.0.5")
    head = replace(base, jdk="22.0.1")
    found = make_comparison(1, base_environments=(base,), head_environments=(head,))
    text = comment(
        found,
        measured=Measured("a" * 40, "b" * 40, 321.0),
        report_url="https://ci.example/run/1#artifacts",
    ).replace("\u00a0", " ")
    assert text.splitlines()[3] == (
        "Base aaaaaaa, head bbbbbbb · JDK 21.0.5, 22.0.1 · EPYC 7763 · 5 min 21 s of measuring · "
        "[report](https://ci.example/run/1#artifacts)"
    )


def test_the_way_out_can_be_pasted(make_comparison: MakeComparison) -> None:
    lines = tuple(f'/steady accept "Bench.method{i}" REASON' for i in range(2))
    one, two = (comment(make_comparison(2), accept=lines[:many]) for many in (1, 2))
    assert f"**Meant? Accept it with this comment, and run the job again:** `{lines[0]}`\n" in one
    assert "~~~~~~" not in one
    assert f"~~~~~~\n{lines[0]}\n{lines[1]}\n~~~~~~" in two
    # Our own text gives no orders, whoever's token wrote it.
    assert all(obstacle for _, obstacle in commands(two))
    for text in (one, two):  # first what changed, then how to accept it, and nothing in between
        assert re.search(r"\n\| :?.* \|\n\n(\*\*Meant|<details><summary>Meant)", text)
        assert "--bound" not in text


def test_a_bound_is_explained_where_a_line_has_one(make_comparison: MakeComparison) -> None:
    plain, bound = (
        f'/steady accept "Bench.method{i}"{more} REASON'
        for i, more in enumerate(("", " --bound 35%"))
    )
    for accept in ((bound,), (plain, bound)):
        text = comment(make_comparison(2), accept=accept)
        assert text.count("`--bound`: the largest change you accept") == 1


def test_whatever_is_not_compared_is_said(eventful: Comparison) -> None:
    text = comment(eventful)
    listed = text.partition(" have no result to compare")[2].partition("\n\n")[2]
    assert re.findall(r"^- .*?\(`(.*?)`\)", listed, re.MULTILINE)[:5] == [
        "B.broken", "B.unit", "B.lost", "B.oldName", "B.newName",
    ]  # fmt: skip
    assert "- failed in head: `OutOfMemoryError | x` (`B.broken`)\n" in text
    assert "- removed or renamed: only in base (`B.oldName`); renamed to `B.newName`?\n" in text
    assert "- CPU: `EPYC 7763` in base, `Xeon 8370C` in head, in 4 benchmarks" in text
    assert "- JVM arguments: `-Xmx1g` in base, none in head, in 4 benchmarks" in text
    assert "- 1 benchmark: only 2 of 3 forks of head left a result (`A.slow`)" in text
    assert "- 1 benchmark: not in the plan (`B.same`)" in text


@pytest.mark.parametrize("write", [comment, terminal])
def test_a_reason_that_many_share_is_told_once(write: Callable[..., str]) -> None:
    reason = "base ran iterations of 1 s without warm-up, head iterations of 2 s without warm-up"
    lost = tuple(
        Missing(Identity(f"org.example.B.b{i}"), "both", reason, "incomparable") for i in range(40)
    )
    text = write(Comparison((), Ledger((), incomparable=lost)))
    assert " ".join(text.split()).count(reason) == 1
    assert "and 37 more" in text
    assert "40 of 40 benchmarks cannot be compared, so this is not a pass" in text


def test_the_plan_has_its_receipt(eventful: Comparison, plan: Plan) -> None:
    text = comment(eventful, plan).replace("\u00a0", " ")
    assert "Planned run: 23 min 00 s instead of 40 min 00 s, 42.5 % less." in text
    assert (
        "Expected error of a result: median 1.2 %, largest 1.2 %; another day may add to it."
        in text
    )
    assert "Planned run" not in comment(eventful)


def test_the_last_line_names_the_rule_and_where_more_is_said(eventful: Comparison) -> None:
    *_, end, last = filter(None, comment(eventful).replace("\u00a0", " ").splitlines())
    assert last == "</details>"
    assert "Rule moderated-t, confidence 99 %. Changes under 3 % are ignored." in end
    assert "docs/methods-compare.md" in end
    assert "Measured with the defaults" not in comment(eventful)


def test_a_rule_that_nobody_knows_any_more_is_still_named(make_comparison: MakeComparison) -> None:
    assert "Rule homegrown, confidence" in comment(make_comparison(unchanged=1, rule="homegrown"))


@pytest.mark.parametrize(
    ("counts", "heading"),
    [
        ((0, 0, 3), "✅ No change found in 3 benchmarks"),
        ((0, 1, 1), "🟢 1 of 2 benchmarks became faster, by 10.0 %"),
        ((0, 2, 1), "🟢 2 of 3 benchmarks became faster, by up to 10.0 %"),
        ((0, 0, 0), "⚠️ Nothing was compared, so this is not a pass"),
    ],
)
def test_verdicts_without_regression(
    make_comparison: MakeComparison, counts: tuple[int, int, int], heading: str
) -> None:
    text = comment(make_comparison(*counts)).replace("\u00a0", " ")
    assert f"### {heading}\n" in text


def test_one_line_is_enough_where_nothing_changed(
    make_comparison: MakeComparison, plan: Plan
) -> None:
    text = comment(make_comparison(unchanged=3), plan, report_url="https://ci.example/run/1")
    _, heading, blank, fold, *_ = text.splitlines()
    assert (heading, blank) == ("### ✅ No change found in 3 benchmarks", "")
    assert fold == "<details><summary>Details</summary>"
    assert text.rstrip().endswith("</details>")
    assert rows(text, "3 unchanged") == ["Bench.method0", "Bench.method1", "Bench.method2"]


@pytest.mark.parametrize(
    ("excluded", "proposed"), [(0.04, "5%"), (0.099, "10%"), (0.1, ""), (0.101, ""), (0.9, "")]
)
def test_a_threshold_is_proposed_up_to_ten_per_cent(
    make_comparison: MakeComparison, excluded: float, proposed: str
) -> None:
    """Above, it would hide what users want to see: the machine was too noisy."""
    comparison = make_comparison(unclear=1)
    [unclear] = comparison.changes
    text = comment(replace(comparison, changes=(replace(unclear, excluded=excluded),)))
    assert (f"`--min-change {proposed}` decides it" in text) is bool(proposed)
    assert ("this one was too noisy for small changes" in text) is (not proposed)


def test_what_cannot_be_told_is_in_the_headline_with_what_is_excluded(
    make_comparison: MakeComparison, plan: Plan
) -> None:
    """Blind was green: "No change found" where a change must reach 40 % or 133 % to be seen."""
    text = comment(make_comparison(unchanged=5, unclear=14), plan).replace("\u00a0", " ")
    top = text.partition("<details>")[0]
    assert "### ⚪ No change found, but 14 of 19 benchmarks were too noisy to tell\n" in top
    assert "Half of these 14 cannot have changed by more than 67.0 %, and none by more" in top
    assert (
        "`steady optimize full/results.json --time-budget 92m`. So would a quieter machine" in top
    )
    assert "--min-change" not in top
    assert text.index("14 too noisy to tell</summary>") < text.index("5 unchanged</summary>")
    assert len(rows(text, "14 too noisy to tell")) == 14
    assert len(rows(text, "5 unchanged")) == 5


def test_one_size_is_said_once(make_comparison: MakeComparison) -> None:
    """Half of these 3 cannot have changed by more than 50 %, and 2 of them not by more than 50 %"""
    comparison = make_comparison(unclear=3)
    sizes = (0.2, 0.5, math.inf)
    changes = zip(comparison.changes, sizes, strict=True)
    text = comment(replace(comparison, changes=tuple(replace(c, excluded=e) for c, e in changes)))
    assert "2 of these 3 cannot have changed by more than 50.0" in text
    assert "Half of" not in text


def test_no_more_is_asked_for_than_min_change_takes(
    make_comparison: MakeComparison, plan: Plan
) -> None:
    text = comment(make_comparison(unclear=24), plan)
    assert "A plan with twice the time finds smaller changes" in text
    assert "--min-change" not in text


def test_an_improvement_keeps_its_name_and_says_what_could_not_be_told(
    make_comparison: MakeComparison,
) -> None:
    text = comment(make_comparison(0, 1, 0, 2))
    heading = "### 🟢 1 of 3 benchmarks became faster, by 10.0 %, but 2 were too noisy to tell"
    assert f"{heading}\n" in text
    assert "--min-change" not in text.partition("<details>")[0]
    worse = comment(make_comparison(1, 1, 0, 2)).splitlines()[1]
    assert worse == "### 🔴 1 of 4 benchmarks became slower, by 10.0 %"


@pytest.mark.parametrize(
    ("few", "words"),
    [(2, "had too few runs to tell"), (1, "are unclear (1 too noisy, 1 with too few runs)")],
)
def test_too_few_runs_are_called_so(make_comparison: MakeComparison, few: int, words: str) -> None:
    comparison = make_comparison(unclear=2)
    lacking = "too few forks: 1 on either side; give 2 or more"
    changes = tuple(
        replace(c, lacking=lacking, interval=None, excluded=float("inf")) if i < few else c
        for i, c in enumerate(comparison.changes)
    )
    text = comment(replace(comparison, changes=changes))
    assert f"No change found, but 2 of 2 benchmarks {words}\n" in text
    assert text.count("| too few runs |") == few
    assert f"- {few} benchmark{'s' * (few > 1)}: {lacking} (" in text


def test_nothing_compared_is_no_pass(make_comparison: MakeComparison) -> None:
    assert "Nothing was compared, so this is not a pass\n" in comment(make_comparison())
    assert "not a pass" not in comment(make_comparison(unchanged=1))


def test_without_a_verdict_nothing_is_called_a_regression(eventful: Comparison) -> None:
    text = comment(replace(eventful, comparable=False))
    heading = "No verdict: base and head ran in different surroundings (CPU, JVM arguments)"
    assert f"### ⚠️ {heading}\n" in text
    assert "🔴" not in text
    assert "<summary>3 that would have changed</summary>" in text
    assert "Run base and head on one machine" in text


def test_nothing_stands_between_the_verdict_and_what_became_worse(
    eventful: Comparison, plan: Plan
) -> None:
    text = comment(eventful, plan, report_url="https://ci.example/run/1").replace("\u00a0", " ")
    parts = (
        "### 🔴 2 of 4 benchmarks became slower", "\n[report](https://ci.example/run/1)\n",
        " | `A.slow`", " | `A.fast`", "#### Not compared", "#### Different surroundings",
        "1 became faster, by 30.0 %.", "1 unchanged</summary>",
        "None of these changed by a size that counts",
        "The unchanged benchmark cannot have changed by more than 2.1 %.",
        "2 notes on single benchmarks</summary>", "How this was measured</summary>",
        "Planned run", "All names begin with org.example", "<sub>Rule moderated-t",
    )  # fmt: skip
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert "[report]" not in comment(eventful, plan)


def test_words_fit_what_is_measured(make_change: Callable[..., Change]) -> None:
    changes = (
        make_change("a.B.c", 0.2, "regression"),
        make_change("a.B.d", 0.3, "regression", unit="B/op"),
    )
    ledger = Ledger(tuple(c.identity for c in changes))
    text = comment(Comparison(changes, ledger, options={"min_change": 0.03}))
    assert "2 of 2 benchmarks became worse, by up to 30.0 %\n" in text
    assert "\u00a0slower" in text
    assert "\u00a0worse" in text


def test_a_change_from_zero_has_no_size(make_change: Callable[..., Change]) -> None:
    change = replace(make_change("a.B.c", 0.2, "regression"), base=Estimate(0, 0, 0, 1, 1))
    text = comment(Comparison((change,), Ledger((change.identity,))))
    assert "### 🔴 1 of 1 benchmark became slower\n" in text


def test_five_thousand_benchmarks_fit_and_every_row_is_somewhere(
    make_comparison: MakeComparison,
) -> None:
    comparison = make_comparison(700, 300, 4000, name="org.example.package.LongBenchmark.method{}")
    text = comment(comparison, report_url="https://ci.example/run/1")
    assert characters(text) <= COMMENT_LIMIT
    shown = [*rows(text), *rows(text, "980 more changes")]
    assert len(shown) > 200
    worst_first = [*range(699, -1, -1), *range(999, 699, -1)]
    assert shown == [f"LongBenchmark.method{i}" for i in worst_first[: len(shown)]]
    left = 1000 - len(shown)
    assert f"{left} more changes in the [report](https://ci.example/run/1)." in text
    assert "4,000 more unchanged in" in text

    everything = summary(comparison)
    assert len(everything.encode()) <= SUMMARY_LIMIT
    assert len(rows(everything)) == 20
    assert len(rows(everything, "980 more changes")) == 980
    assert len(rows(everything, "4,000 unchanged")) == 4000
    assert not re.search(r"\d more .* in ", everything)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25
)
@given(st.integers(0, 60), st.integers(0, 30), st.integers(0, 60), st.integers(6_000, 30_000))
def test_whatever_the_size_rows_are_whole_and_counted(
    make_comparison: MakeComparison, worse: int, better: int, same: int, limit: int
) -> None:
    text = comment(make_comparison(worse, better, same), limit=limit)
    assert characters(text) <= limit
    assert html_in(text) - OUR_HTML == {"<!-- steady:default -->"}
    for tag in ("details", "sub", "summary"):
        assert text.count(f"<{tag}>") == text.count(f"</{tag}>")
    table_rows = re.findall(r"^\|(?: [^|`]+ \|)? `.*", text, re.MULTILINE)
    assert all(line.endswith(" |") for line in table_rows)
    left = sum(
        int(match[1].replace(",", ""))
        for match in re.finditer(
            r"^([\d,]+) more (?:change|unchanged|too noisy)", text, re.MULTILINE
        )
    )
    assert len(table_rows) + left == worse + better + same


def test_long_names_cannot_push_the_verdict_out(make_comparison: MakeComparison) -> None:
    comparison = make_comparison(50, 0, 50, name="x" * 70_000 + "{}")
    text = comment(comparison)
    assert characters(text) <= COMMENT_LIMIT
    assert len(re.findall(r"^\| 🔴[^|]+ \| `x", text, re.MULTILINE)) > 40


@pytest.mark.parametrize("write", [comment, summary])
def test_hostile_text_adds_nothing_of_its_own(
    hostile: Comparison, write: Callable[..., str]
) -> None:
    text = write(hostile, title="<h1>@all</h1> | #1")
    html = html_in(text)
    assert {tag for tag in html if not tag.startswith("<!--")} <= OUR_HTML
    assert [tag for tag in html if tag.startswith("<!--")] == (
        ["<!-- steady:default -->"] if write is comment else []
    )
    tokens = MARKDOWN.parse(text)
    inline = [child for token in tokens for child in token.children or []]
    assert not {t.type for t in inline} & {"link_open", "image", "em_open"}
    outside = "".join(t.content for t in inline if t.type != "code_inline")
    assert not re.search(r"@\w|#\d|\w://", outside)
    assert text.count("\n::") == 0
    columns = [line.replace(r"\|", "").count("|") for line in text.splitlines() if line[:1] == "|"]
    assert set(columns) <= {3, 4, 5}


def test_the_same_comparison_gives_the_same_text(eventful: Comparison, plan: Plan) -> None:
    assert comment(eventful, plan) == comment(eventful, plan)
    assert summary(eventful, plan) == summary(eventful, plan)


@looped("key", ["", "a--b", "a>b", "-a", "a b", "x" * 65, "a\n"])
def test_a_key_that_could_end_the_marker_is_refused(key: str) -> None:
    with pytest.raises(InputError, match="cannot name a comment"):
        marker(key)


@pytest.mark.parametrize("url", ["javascript:alert(1)", "https://x.example/a)b", "https://x y"])
def test_an_address_that_could_end_the_link_is_refused(eventful: Comparison, url: str) -> None:
    with pytest.raises(InputError, match="not the address of a web page"):
        comment(eventful, report_url=url)
