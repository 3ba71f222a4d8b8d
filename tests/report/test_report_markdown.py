"""The comment and the job summary: order, completeness, limits and escaping."""

import math
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from steady.compare import Comparison, Estimate
from steady.errors import InputError
from steady.model import Environment, Identity
from steady.report.comment import COMMENT_LIMIT, SUMMARY_LIMIT, marker
from steady.report.markdown import RowBlock, characters, fit, utf8_bytes
from tests.looped import looped
from tests.report.from_comparison import comment, summary
from tests.report.made import change, counted, eventful, hostile, of, plan, unlike

MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")
OUR_HTML = {"<br>", "<sub>", "</sub>", "<details>", "</details>", "<summary>", "</summary>"}


def html_in(markdown: str) -> set[str]:
    """Return all HTML in the rendered Markdown."""
    pieces: list[str] = []

    def walk(tokens: list[Token]) -> None:
        for token in tokens:
            if token.type in ("html_inline", "html_block"):
                pieces.append(token.content)
            walk(token.children or [])

    walk(MARKDOWN.parse(markdown))
    return {tag for piece in pieces for tag in re.findall(r"<!--.*?-->|<[^>]*>", piece)}


def test_a_suite_has_a_key_and_a_title() -> None:
    first, heading, *_ = comment(eventful(), key="nightly", title="Nightly").splitlines()
    assert first == "<!-- steady:nightly -->"
    assert heading.startswith("### 🔴 Nightly · 2 of 4 benchmarks became slower")


def unclear(*excluded: float, few: int = 0) -> Comparison:
    """Return a comparison of unclear benchmarks by upper bound, `few` of them with too few runs."""
    changes = [replace(change("a.B.c", 0.05, "unclear"), excluded=size) for size in excluded]
    changes[:few] = [replace(c, lacking="too few forks", interval=None) for c in changes[:few]]
    named = (replace(c, identity=Identity(f"a.B.c{i}")) for i, c in enumerate(changes))
    return of(*named)


def worse(*units: str, base: Estimate | None = None) -> Comparison:
    changes = [
        change(f"a.B.c{i}", 0.2 + i / 10, "regression", unit=unit) for i, unit in enumerate(units)
    ]
    return of(*(c if base is None else replace(c, base=base) for c in changes))


@looped(
    ("comparison", "heading"),
    [
        (counted(0, 0, 3), "✅ No change found in 3 benchmarks"),
        (counted(0, 1, 1), "🟢 1 of 2 benchmarks became faster, by 10.0 %"),
        (counted(0, 2, 1), "🟢 2 of 3 benchmarks became faster, by up to 10.0 %"),
        (
            counted(0, 1, 0, 2),
            "🟢 1 of 3 benchmarks became faster, by 10.0 %, but 2 were too noisy to tell",
        ),
        (counted(1, 1, 0, 2), "🔴 1 of 4 benchmarks became slower, by 10.0 %"),
        (counted(), "⚠️ Nothing was compared, so this is not a pass"),
        (
            unclear(0.2, 0.2, few=2),
            "⚪ No change found, but 2 of 2 benchmarks had too few runs to tell",
        ),
        (
            unlike("measured otherwise"),
            "⚠️ 40 of 40 benchmarks cannot be compared, so this is not a pass",
        ),
        # The words depend on the unit, and a change from zero has no size.
        (worse("ns/op", "B/op"), "🔴 2 of 2 benchmarks became worse, by up to 30.0 %"),
        (worse("ns/op", base=Estimate(0, 0, 0, 1, 1)), "🔴 1 of 1 benchmark became slower"),
    ],
)
def test_the_heading_is_the_verdict(comparison: Comparison, heading: str) -> None:
    assert f"### {heading}\n" in comment(comparison).replace("\u00a0", " ")


@looped(
    ("excluded", "advice"),
    [
        ([0.04], "`--min-change 5%` gives it a clear outcome"),
        ([0.099], "`--min-change 10%` gives it a clear outcome"),
        # A larger minimum change would hide relevant changes.
        ([0.1], "this one is too noisy for small changes"),
        ([0.9], "this one is too noisy for small changes"),
        # Equal sizes are given once.
        ([0.2, 0.5, math.inf], "2 of the 3 unclear benchmarks: 50.0"),
        ([0.9, 0.9], "the 2 unclear benchmarks: 90.0"),
    ],
)
def test_the_advice_for_unclear_benchmarks(excluded: list[float], advice: str) -> None:
    text = comment(unclear(*excluded))
    assert advice in text
    assert ("`--min-change" in text) == (advice.startswith("`--min-change"))
    assert "Half of" not in text


def test_the_advised_minimum_change_is_limited() -> None:
    text = comment(counted(unclear=24), plan())
    assert "A plan with twice the time makes smaller changes detectable" in text
    assert "--min-change" not in text
    assert "--min-change" not in comment(counted(0, 1, 0, 2)).partition("<details>")[0]


def test_commits_and_environment_are_below_the_heading() -> None:
    base = Environment("EPYC 7763", "Linux", "21.0.5")
    head = replace(base, jdk="22.0.1")
    found = replace(counted(1), base_environments=(base,), head_environments=(head,))
    assert comment(found).splitlines()[3] == "JDK 21.0.5, 22.0.1 · EPYC 7763"


def test_an_unknown_rule_is_named() -> None:
    text = comment(replace(counted(unchanged=1), rule="homegrown"))
    assert "Rule homegrown, confidence" in text
    assert "Measured with the defaults" not in text


def shown_and_counted(text: str) -> tuple[list[int], dict[str, int]]:
    """Return the numbers of the benchmarks in a text's rows, and the number of omitted rows."""
    named = r"^\|(?: [^|`]+ \|)? `[^|]*method(\d+)` \|"
    rows = [int(n) for n in re.findall(named, text, re.MULTILINE)]
    left = re.findall(r"^([\d,]+) more (change|unchanged)s? in ", text, re.MULTILINE)
    return rows, {kind: int(number.replace(",", "")) for number, kind in left}


def test_no_row_of_five_thousand_is_lost_and_the_worst_come_first() -> None:
    long = counted(700, 300, 4000, name=f"org.example.Bench.{'veryLong' * 25}.method{{}}")
    short, full = comment(long), summary(long)
    assert characters(short) <= COMMENT_LIMIT
    assert len(full.encode()) <= SUMMARY_LIMIT
    for text in (short, full):
        rows, left = shown_and_counted(text)
        assert len(rows) + sum(left.values()) == 5000
        changed = [number for number in rows if number < 1000]
        assert changed == [*range(699, -1, -1), *range(999, 699, -1)][: len(changed)]
        assert rows[: len(changed)] == changed
        assert len(changed) + left.get("change", 0) == 1000
    assert set(range(700)) <= set(rows)
    assert set(left) == {"unchanged"}
    # With names of the usual length, all rows fit into the summary.
    assert shown_and_counted(summary(counted(700, 300, 4000)))[1] == {}


@settings(max_examples=25)
@given(st.integers(0, 60), st.integers(0, 30), st.integers(0, 60), st.integers(6_000, 30_000))
def test_rows_are_whole_and_counted_at_any_limit(
    worse: int, better: int, same: int, limit: int
) -> None:
    text = comment(counted(worse, better, same), limit=limit)
    assert characters(text) <= limit
    assert html_in(text) - OUR_HTML == {"<!-- steady:default -->"}
    for tag in ("details", "sub", "summary"):
        assert text.count(f"<{tag}>") == text.count(f"</{tag}>")
    table_rows = re.findall(r"^\|(?: [^|`]+ \|)? `.*", text, re.MULTILINE)
    assert all(line.endswith(" |") for line in table_rows)
    left = sum(shown_and_counted(text)[1].values())
    assert len(table_rows) + left == worse + better + same


def test_long_names_do_not_displace_the_verdict() -> None:
    text = comment(counted(50, 0, 50, name="x" * 70_000 + "{}"))
    assert characters(text) <= COMMENT_LIMIT
    assert len(re.findall(r"^\| 🔴[^|]+ \| `x", text, re.MULTILINE)) > 40


@pytest.mark.parametrize("write", [comment, summary])
def test_hostile_text_adds_no_markup(write: Callable[..., str]) -> None:
    text = write(hostile(), title="<h1>@all</h1> | #1")
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


@looped("key", ["", "a--b", "a>b", "-a", "a b", "x" * 65, "a\n"])
def test_a_key_that_could_end_the_marker_is_rejected(key: str) -> None:
    with pytest.raises(InputError, match="cannot name a comment"):
        marker(key)


@looped("url", ["javascript:alert(1)", "https://x.example/a)b", "https://x y"])
def test_a_url_that_could_end_the_link_is_rejected(url: str) -> None:
    with pytest.raises(InputError, match="not the address of a web page"):
        comment(eventful(), report_url=url)


def block(name: str, rows: tuple[str, ...]) -> RowBlock:
    return RowBlock(f"<{name}>", rows, lambda left: f"{left} more {name}", f"</{name}>")


ROWS = st.lists(st.text("aé😀", max_size=30).map(lambda t: f"row {t}"), max_size=30).map(tuple)


@given(ROWS, ROWS, st.integers(150, 2500), st.sampled_from([characters, utf8_bytes]))
def test_the_text_fits_and_no_row_is_lost_or_truncated(one, other, limit, size) -> None:  # type: ignore[no-untyped-def]
    text = fit(["verdict", block("x", one), block("y", other), "end"], limit, size)
    assert size(text) <= limit
    lines = text.splitlines()
    for name, rows in (("x", one), ("y", other)):
        start = lines.index(f"<{name}>") + 1 if f"<{name}>" in lines else 0
        counts = [int(m[1]) for m in re.finditer(rf"(\d+) more {name}\n", text)]
        kept = len(rows) - sum(counts)
        assert lines[start : start + kept] == list(rows[:kept]) or kept == 0
        assert len(counts) == (kept < len(rows))
        assert text.count(f"<{name}>") == text.count(f"</{name}>") == (kept > 0)
    if re.search(r"more x", text):
        assert not other or f"{len(other)} more y" in text


def test_only_rows_are_omitted_to_fit() -> None:
    with pytest.raises(ValueError, match="a limit of 20 leaves no room"):
        fit(["a verdict that is longer than that"], 20, characters)
    text = fit(["v", block("x", ("1", "2")), block("y", ()), ""], 1000, characters)
    assert text == "v\n\n<x>\n1\n2\n</x>\n"
    # Characters beyond the Basic Multilingual Plane count twice.
    assert (characters("a😀"), utf8_bytes("a😀")) == (3, 5)
