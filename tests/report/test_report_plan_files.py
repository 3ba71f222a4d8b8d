"""The files of a plan for readers: a page, pictures, and Git attributes."""

import re
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt
from rich.cells import cell_len

from steady.emit import emit
from steady.errors import InputError
from steady.model import ExecutionConfiguration, Identity
from steady.optimize import BenchmarkPlan, Plan, read_plan
from steady.optimize.plan_changes import plan_changes
from steady.report import plan_files
from steady.report.plan_files import (
    FILES,
    FIRST_LINE,
    RECEIPT,
    attributes,
    last_plan,
    plan_table,
    write_plan_files,
)
from steady.report.plan_picture import COLORS, MOST_ROWS, PICTURES, draw_plan, measured_seconds
from steady.report.plan_receipt import LIMIT, ReceiptContext, grouped_by_reason, receipt
from steady.text.escape import visible
from tests.looped import looped
from tests.report import made
from tests.report.situations import ENTRY, KEPT, PLAN, TODAY

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = (
    made.HOSTILE,
    "a|b`c\n@everyone <script>alert(1)</script> ::error::x [l](http://x) ../../etc <!--",
    "]]><svg onload='x()'>&#0; \x00\x1b[31m\u202e\ufeff",
    "* !x\\ [attr]x linguist-generated",
)


def hostile_plan() -> Plan:
    """Return a plan in which every text is untrusted."""
    entries = [
        replace(entry, identity=Identity(f"{name}{index}", params=((name, name),)), reason=name)
        for index, name in enumerate(HOSTILE)
        for entry in (ENTRY if index % 2 else KEPT,)
    ]
    return Plan(tuple(entries), HOSTILE[0], harness="jmh")


def rows_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("| `")]


def many(number: int) -> Plan:
    return Plan(
        tuple(
            replace(ENTRY, identity=Identity(f"org.example.B{i}.m"), seconds=6 + i / number)
            for i in range(number)
        ),
        "error-budget",
    )


# The files


def test_the_files_depend_only_on_the_plan(tmp_path: Path) -> None:
    first = write_plan_files(PLAN, tmp_path)
    assert [path.name for path in first.files] == [*FILES]
    assert first.notes == ()
    held = {path: path.read_bytes() for path in first.files}
    other = replace(PLAN, benchmarks=PLAN.benchmarks[:1])
    assert write_plan_files(other, tmp_path).files == first.files
    assert {path.name for path in tmp_path.iterdir()} == {*FILES}
    assert write_plan_files(PLAN, tmp_path).files == first.files
    assert {path: path.read_bytes() for path in first.files} == held
    assert read_plan(first.files[0]).benchmarks == PLAN.benchmarks


@pytest.mark.parametrize("theirs", ["*.json text\n", "", "\xff\n"])
def test_a_user_s_attributes_file_is_kept(tmp_path: Path, theirs: str) -> None:
    own = tmp_path / ".gitattributes"
    own.write_bytes(theirs.encode("latin-1"))
    written = write_plan_files(PLAN, tmp_path)
    assert own not in written.files
    assert own.read_bytes() == theirs.encode("latin-1")
    [note] = written.notes
    assert "/plan.json linguist-generated" in note


def test_attributes_behind_a_symbolic_link_are_kept(tmp_path: Path) -> None:
    (tmp_path / "plan").mkdir()
    (tmp_path / "plan/.gitattributes").symlink_to(tmp_path / "absent")
    assert len(write_plan_files(PLAN, tmp_path / "plan").notes) == 1
    assert not (tmp_path / "absent").exists()


def test_git_folds_generated_files_except_the_page(tmp_path: Path) -> None:
    """Git itself reads the patterns, which contain no benchmark names."""
    folder = tmp_path / ".steady"
    emitted = emit(PLAN, folder)
    own = write_plan_files(PLAN, folder)
    assert attributes(hostile_plan()) == attributes(PLAN)
    read = ("plan.md", ".gitattributes")
    paths = [path.relative_to(tmp_path) for path in (*own.files, *emitted.files)]
    paths += [Path(".steady", RECEIPT), Path(".steady/deep/plan.json"), Path("plan.json")]
    git = ["git", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "--quiet"], check=True)
    command = [*git, "check-attr", "linguist-generated", "--", *map(str, paths)]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    found = dict(line.split(": linguist-generated: ") for line in said.stdout.splitlines())
    assert emitted.files, "JMH's configuration is among them"
    assert {Path(p).as_posix() for p, value in found.items() if value == "unspecified"} == {
        *(f".steady/{name}" for name in read),
        ".steady/deep/plan.json",
        "plan.json",
    }
    assert said.stderr == ""


@looped(
    ("content", "problem"),
    [
        (None, ""),
        ("{", "The last plan cannot be compared: "),
        ('{"steady_plan": 2}', "The last plan cannot be compared: "),
    ],
)
def test_an_unreadable_previous_plan_is_not_an_error(
    tmp_path: Path, content: str | None, problem: str
) -> None:
    (tmp_path / "plan.json").unlink(missing_ok=True)
    if content is not None:
        (tmp_path / "plan.json").write_text(content)
    plan, said = last_plan(tmp_path)
    assert plan is None
    assert said.startswith(problem)
    assert bool(said) == bool(problem)
    text = receipt(PLAN, ReceiptContext(problem=said))
    assert ("**What changed:** The last plan cannot" in text) == bool(problem)
    write_plan_files(PLAN, tmp_path)
    assert last_plan(tmp_path)[0] is not None


def test_an_unwritable_folder_gives_a_one_line_error(tmp_path: Path) -> None:
    (tmp_path / "plan.md").mkdir()
    with pytest.raises(InputError, match=r"plan\.md"):
        write_plan_files(PLAN, tmp_path)


# The page


def test_one_more_benchmark_changes_one_line_of_the_page() -> None:
    """Names are complete and sorted, whatever they have in common."""
    plan = replace(PLAN, benchmarks=(KEPT, ENTRY))
    more = replace(ENTRY, identity=Identity("com.other.Longer.nameThanAnyOther"))
    before, after = (
        rows_of(plan_table(p)) for p in (plan, replace(plan, benchmarks=(ENTRY, more, KEPT)))
    )
    assert [row for row in after if row not in before] == [after[0]]
    assert [row for row in after if row in before] == before
    text = plan_table(plan)
    assert text.startswith(f"{FIRST_LINE}\n# Benchmark plan\n\nGenerated by steady from ")
    assert 'srcset="plan-dark.svg"' in text
    assert 'src="plan-light.svg"' in text
    drift, parse = (row.replace("\xa0", " ") for row in before)
    assert drift.startswith("| `org.example.Bench.drift` | 5 × (0 + 60) | 32 s | 5 × (0 + 60) |")
    assert drift.endswith("| – | not reduced: never steady in 5 of 5 |")
    assert parse.endswith(
        "| 3 × (12 + 5) | 6.6 s | 5 × (0 + 60) | 32 s | 1.2 % | steady after 12 |"
    )


def rendered(text: str) -> str:
    return str(MarkdownIt("gfm-like", {"linkify": False, "html": False}).render(text))


@pytest.mark.parametrize("render", [plan_table, receipt])
def test_hostile_names_stay_in_their_cells(render: object) -> None:
    plan = hostile_plan()
    text = plan_table(plan) if render is plan_table else receipt(plan)
    other = replace(plan, benchmarks=tuple(map(renamed, plan.benchmarks)))
    around = ReceiptContext(plan_changes(other, plan), problem=HOSTILE[1])
    text += receipt(plan, around) if render is receipt else ""
    page = rendered(text)
    assert "<a " not in page
    assert "<script" not in page
    assert all(ord(c) >= 0x20 or c == "\n" for c in text)
    columns = {len(re.findall("<t[hd]", row)) for row in page.split("<tr>")[1:]}
    assert len(columns) <= 2, "a plan's table has seven columns, and others six or seven"
    assert columns <= {6, 7}
    if render is plan_table:
        assert len(rows_of(text)) == len(plan)


def renamed(entry: BenchmarkPlan) -> BenchmarkPlan:
    return replace(entry, identity=replace(entry.identity, name=f"{entry.identity.name}~"))


# The picture


def texts_of(svg: str) -> list[str]:
    return [str(text.text) for text in ET.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize("theme", PICTURES)
def test_a_picture_is_a_passive_svg_document(theme: str) -> None:
    svg = draw_plan(hostile_plan(), theme)
    root = ET.fromstring(svg)
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags == {"svg", "title", "rect", "g", "text", "path"}
    named = {name for element in root.iter() for name in element.attrib}
    assert not {name for name in named if name.startswith("on") or "href" in name}
    assert COLORS[theme].page in svg
    assert {c for c in svg if not c.isprintable()} == {"\n", "\xa0"}
    titles = [str(t.text) for t in root.iter(f"{SVG}title")]
    assert any(visible(HOSTILE[1])[:40] in title for title in titles)


def bars(svg: str) -> list[tuple[float, float, str]]:
    """Return left edge, width and fill of the bars of benchmarks."""
    return [
        (float(bar.attrib["x"]), float(bar.attrib["width"]), bar.attrib["fill"])
        for group in ET.fromstring(svg).iter(f"{SVG}g")
        for bar in group.iter(f"{SVG}rect")
    ]


def test_bar_lengths_are_proportional_to_start_up_warm_up_and_measurement() -> None:
    svg = draw_plan(PLAN, "light")
    colors = COLORS["light"]
    parse, drift = bars(svg)[:4], bars(svg)[4:]
    # 32.5 s are the longest bar, of 300 units; 3 x (12 + 5) iterations took 6.6 s, of which
    # (32.5 / 5 - 6.6 / 3) / 43 s = 0.1 s each are 1.5 s measured.
    warm, measured = round(300 * 5.1 / 32.5, 1), round(300 * 1.5 / 32.5, 1)
    assert parse[1:] == [
        (304.0, 300.0, "none"),
        (304.0, warm, colors.warmup),
        (304.0 + warm, measured, colors.measured),
    ]
    assert [round(bar[1], 1) for bar in drift] == [23.1, 300.0, 23.1, 276.9]
    shown = [text.replace("\xa0", " ") for text in texts_of(svg)]
    assert "1 min 05 s → 39 s (39.8 % saved)" in shown
    assert shown[-4:] == ["Bench.parse", "32 s → 6.6 s", "Bench.drift", "32 s · full run"]


def test_iterations_longer_than_configured_are_shown_with_their_real_length() -> None:
    """An operation of 3 s exceeds an iteration of 1 s; 5 forks start in 0.5 s each."""
    full = ExecutionConfiguration(5, 0, 60, 1.0, 1.0)
    short = ExecutionConfiguration(5, 2, 8, 1.0, 1.0)
    entry = replace(ENTRY, configuration=short, full=full, seconds=5 * 30.5, full_seconds=5 * 180.5)
    assert measured_seconds(entry, full, entry.full_seconds) == pytest.approx(900)
    assert measured_seconds(entry, short, entry.seconds) == pytest.approx(120)
    # If iterations have no fixed length, as in Python, none is required.
    none = replace(
        entry,
        configuration=replace(short, warmup_seconds=0.0, iteration_seconds=0.0),
        full=replace(full, warmup_seconds=0.0, iteration_seconds=0.0),
    )
    assert measured_seconds(none, none.configuration, none.seconds) == pytest.approx(120)
    same = replace(none, configuration=none.full, seconds=60.0)
    assert measured_seconds(same, same.full, 60.0) == pytest.approx(60)


def test_only_the_largest_savings_are_drawn_and_the_others_counted() -> None:
    svg = draw_plan(many(300), "dark")
    shown = [text.replace("\xa0", " ") for text in texts_of(svg)]
    assert sum(text.startswith("B") for text in shown) == MOST_ROWS
    assert "B0.m" in shown
    assert "B299.m" not in shown
    assert shown[-1] == "260 more benchmarks: 2 h 21 min → 28 min 27 s"
    assert len(svg) < 40_000


def test_long_names_are_shortened_by_their_displayed_width() -> None:
    names = ("x" * 200, "\u540d" * 200, "a.B")  # wide letters take two columns
    entries = (replace(ENTRY, identity=Identity(f"{name}.m")) for name in names)
    shown = texts_of(draw_plan(Plan(tuple(entries), "error-budget"), "light"))
    widths = [cell_len(text) for text in shown if "…" in text]
    assert len(widths) == 2
    assert all(30 < width <= 37 for width in widths)


def test_an_empty_plan_and_one_without_seconds_are_drawn() -> None:
    free = replace(ENTRY, seconds=0.0, full_seconds=0.0)
    for entries in ((), (free,)):
        plan = Plan(entries, "error-budget")
        assert ET.fromstring(draw_plan(plan, "light")).attrib["width"] == "800"
        assert plan_table(plan).startswith(FIRST_LINE)


def test_pictures_compare_with_today_if_it_is_known() -> None:
    shown = [text.replace("\xa0", " ") for text in texts_of(draw_plan(TODAY, "light"))]
    assert "today: measured" in shown
    assert "8 min 22 s → 6.6 s" in shown
    assert "5 min" in shown, "of the axis"


# Benchmarks that keep their full run


def reasons(*texts: str) -> Sequence[str]:
    entries = [
        replace(KEPT, identity=Identity(f"b{i}"), reason=text) for i, text in enumerate(texts)
    ]
    return [
        f"{reason}: {', '.join(e.identity.name for e in group)}"
        for reason, group in grouped_by_reason(entries).items()
    ]


def test_a_reason_is_given_once_with_the_range_of_its_numbers() -> None:
    assert reasons(
        "never steady in 5 of 5 forks",
        "still drifting by 301.0% after iteration 6",
        "never steady in 5 of 5 forks",
        "still drifting by 12.5% after iteration 6",
        "never steady in 4 of 5 forks",
        "other",
    ) == [
        "never steady in 4–5 of 5 forks: b0, b2, b4",
        "still drifting by 12.5–301.0% after iteration 6: b1, b3",
        "other: b5",
    ]


def test_very_many_kept_benchmarks_and_changes_stay_within_the_limit() -> None:
    entries = tuple(
        replace(KEPT, identity=Identity(f"org.example.B{i}.m"), reason=f"{'x' * (i % 997)} {i}")
        for i in range(3000)
    )
    plan = Plan(entries, "error-budget")
    text = receipt(plan, ReceiptContext(plan_changes(many(3000), plan), address=str))
    assert len(text) <= LIMIT
    assert re.search(r"\n[\d,]+ more reasons in `plan\.md`\.", text)
    assert "more benchmarks that changed in `plan.md`." in text


def test_the_documented_file_names_match_the_folder() -> None:
    assert plan_files.FILES == (
        "plan.json", "plan.md", "plan-light.svg", "plan-dark.svg", ".gitattributes",
    )  # fmt: skip
