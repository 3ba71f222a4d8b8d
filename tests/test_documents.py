"""The documents match the code: the README and the demo, links, the site, and schemas."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from docs.project import REPOSITORY, SITE, SOURCE
from docs.recorded_demo import held_out as library_plans
from docs.recorded_demo import quietness_sentence, ran
from docs.site_hooks import absolute, as_table, github_anchor
from steady.cli.methods import REGISTRIES
from steady.cli.settings import KINDS, schema, schema_text
from steady.demo import Facts, recording
from steady.report.comment import accept_lines
from steady.report.plan_receipt import ReceiptContext, error_sentences, headline, receipt
from tests.looped import looped

# Links in the documents.


ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("examples/**/*.md"),
        *ROOT.glob("tests/*.md"),
        *ROOT.glob(".github/*.md"),
    ]
)
OWN = re.compile(rf"{re.escape(SOURCE)}/(?:blob|raw|tree)/main/")
"""Beginning of absolute links to files of this repository."""
SCHEMES = frozenset({"gh-light-mode-only", "gh-dark-mode-only"})
"""Fragments of addresses of pictures that are shown in one colour scheme only."""


def without_code(text: str) -> str:
    """Return a text without fenced blocks, and with links in code spans disabled."""
    text = re.sub(r"(?ms)^(```+)[^\n]*\n.*?^\1$", "", text)
    return re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", lambda span: span[0].replace("](", "] ("), text)


@cache
def anchors(document: Path) -> frozenset[str]:
    """Return the anchors of a document's headings on GitHub, or those supported for a picture."""
    if document.suffix in (".png", ".svg"):
        return SCHEMES
    text = re.sub(r"(?ms)^(```+)[^\n]*\n.*?^\1$", "", document.read_text(encoding="utf-8"))
    names: list[str] = []
    for heading in re.findall(r"(?m)^#{1,6} +(.+?) *$", text):
        name = github_anchor(heading)
        earlier = sum(re.sub(r"-\d+$", "", other) == name for other in names)
        names.append(f"{name}-{earlier}" if earlier else name)
    return frozenset(names)


@looped("document", DOCUMENTS)
def test_links_are_valid(document: Path) -> None:
    text = without_code(document.read_text(encoding="utf-8"))
    for found in re.findall(r"\]\(([^)\s]+)\)|srcset=\"([^\"]+)\"|src=\"([^\"]+)\"", text):
        target = "".join(found)
        path, _, anchor = target.partition("#")
        if own := OWN.match(path):
            led = ROOT / path[own.end() :]
        elif path.startswith(("http:", "https:")):
            continue
        else:
            led = (document.parent / path).resolve() if path else document
        assert led.exists(), f"{document.name}: {target}"
        if anchor:
            assert anchor in anchors(led), f"{document.name}: {target}"


def test_files_named_in_documents_exist() -> None:
    named = re.compile(r"\b(?:tests|evaluation|benchmarks|examples|src/steady)/[\w./-]+\.(?:py|md)")
    for document in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("tests/*.md")]:
        for path in set(named.findall(document.read_text())) - {"tests/test_x.py"}:  # an example
            assert (ROOT / path).exists(), f"{document.name} names {path}"


def test_headings_become_anchors_as_on_github(tmp_path: Path) -> None:
    document = tmp_path / "page.md"
    document.write_text(
        "# When it can't: `a-b`, c\n## Twice\n## Twice\n```\n# no heading\n```\n# A / B\n"
    )
    assert anchors(document) == {"when-it-cant-a-b-c", "twice", "twice-1", "a--b"}


# The site: its pages and links.


CONFIG: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))


def pages(navigation: list[Any]) -> Iterator[str]:
    """Yield the pages of a navigation, in order."""
    for entry in navigation:
        named = entry.values() if isinstance(entry, dict) else [entry]
        for value in named:
            yield from pages(value) if isinstance(value, list) else [value]


def test_the_navigation_lists_every_page_once() -> None:
    named = list(pages(CONFIG["nav"]))
    present = [path.relative_to(ROOT / "docs").as_posix() for path in ROOT.glob("docs/**/*.md")]
    assert sorted(named) == sorted(present), "every page must be listed in `nav` of mkdocs.yml"


def test_the_site_configuration_is_strict_and_links_this_repository() -> None:
    assert CONFIG["strict"] is True
    assert {"absolute_links", "anchors", "not_found", "omitted_files"} <= {
        check for check, level in CONFIG["validation"].items() if level == "warn"
    }
    assert (CONFIG["repo_url"], CONFIG["repo_name"]) == (SOURCE, REPOSITORY)
    assert CONFIG["site_url"] == SITE


@looped(
    ("page", "link", "expected"),
    [
        ("workflows.md", "../SECURITY.md", f"{SOURCE}/blob/main/SECURITY.md"),
        ("howto/go.md", "../../examples/go-demo", f"{SOURCE}/tree/main/examples/go-demo"),
        ("forks.md", "../SECURITY.md#a-b", f"{SOURCE}/blob/main/SECURITY.md#a-b"),
        ("howto/go.md", "../go.md#a-full-run", "../go.md#a-full-run"),
        ("go.md", "methods.md", "methods.md"),
    ],
)
def test_links_to_other_files_become_links_to_the_repository(
    page: str, link: str, expected: str
) -> None:
    assert absolute(f"See [it]({link}).", page, SOURCE) == f"See [it]({expected})."


def test_mermaid_flowcharts_become_tables() -> None:
    table = as_table("flowchart TD\n    a & b --> c & d\n    a --> e\n")
    assert table == "| from | to |\n|---|---|\n| a | c, d, e |\n| b | c, d |\n"


def test_handwritten_pages_have_a_limited_length() -> None:
    generated = {"api.md", "commands.md"}
    for path in ROOT.glob("docs/**/*.md"):
        words = re.findall(r"\S*\w\S*", path.read_text(encoding="utf-8"))
        assert len(words) <= 2500 or path.name in generated, path.name


# The README, and the pages that quote the demo.


README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(page: str, name: str) -> str:
    """Return the text between a pair of markers."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.search(rf"<!-- {name} -->\n(.*?)\n<!-- /{name} -->", text, re.DOTALL)
    assert found is not None, f"{page} has lost its markers of {name}"
    return found[1]


def quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.strip().splitlines())


@pytest.fixture(scope="module")
def demo() -> Facts:
    with recording() as recorded:
        return Facts.of(recorded)


def test_the_quoted_comment_and_receipt_are_the_demos(demo: Facts) -> None:
    _, _, text = ran().comment.partition("\n")
    assert block("docs/demo-comment.md", "comment") == quoted(text)
    assert accept_lines(demo.comparison)[0] in text
    _, held_out = library_plans()
    assert block("docs/savings.md", "receipt") == quoted(
        receipt(held_out.plans[0], ReceiptContext())
    )
    assert block("docs/savings.md", "quietness") == quietness_sentence().strip()
    noisy = f"{headline(demo.full)}\n\n{error_sentences(demo.full)}"
    assert block("docs/savings.md", "noisy-plan") == quoted(noisy)


def test_the_table_lists_every_method() -> None:
    table = (ROOT / "docs/names.md").read_text(encoding="utf-8")
    shown = {"jmh": "JMH", "jmh-log": "text log", "series": "series JSON"}
    for name in chain.from_iterable(REGISTRIES.values()):
        assert f"`{name}`" in table or shown.get(name, "\0") in table


def test_the_readme_is_short_and_valid_on_the_package_index() -> None:
    assert len(README.encode()) <= 13_000
    assert "[!" not in README.replace("[![", ""), "only GitHub draws alerts"
    targets = re.findall(r"\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"", README)
    assert all(target.startswith("https://") for pair in targets for target in pair if target)


@looped("name", ["steady-compare", "steady-compare-gradle", "steady-compare-go"])
def test_the_short_workflow_matches_the_example(name: str) -> None:
    shown = block("README.md", f"short {name}").removeprefix("```yaml\n").removesuffix("```")
    assert 5 <= len(shown.splitlines()) <= 15
    short = yaml.safe_load(shown)
    example = yaml.safe_load((ROOT / f"examples/workflows/{name}.yml").read_text(encoding="utf-8"))
    assert [short[True]] == list(example[True])
    for job, written in short["jobs"].items():
        assert written == {key: example["jobs"][job][key] for key in written}
        assert set(example["jobs"][job]) - set(written) == {"name"}


def test_quoted_times_match_their_source(demo: Facts) -> None:
    costs = README.partition("## What it costs")[2].partition("\n## ")[0]
    measured = (ROOT / "docs/measured.md").read_text(encoding="utf-8")
    taken = re.findall(r"([\d.]+) minutes \((\d+) s\)", costs)
    assert len(taken) == 4
    for minutes, seconds in taken:
        assert re.search(rf"\b{seconds}\b", measured)
        assert minutes == f"{int(seconds) / 60:.1f}"
    # Of a full run.
    [four] = re.findall(r"--only '(fingerprint\|[\w|]+)'", measured)[:1]
    [of_go] = re.findall(
        r"full run, wall-clock time: 60 forks, predicted 75 s \| (\d+) \|", measured
    )
    chosen = [e for e in demo.full.benchmarks if re.search(four, e.identity.name)]
    of_four = 2 * sum(entry.full_seconds for entry in chosen)
    full = (demo.full_seconds, demo.full_seconds, of_four, 2 * int(of_go))
    table = costs.partition("\n\nA full run")[0]
    assert re.findall(r"\| ([\d.]+) minutes \| [\d.]+ minutes \(", table) == [
        f"{one / 60:.1f}" for one in full
    ]


# The published JSON schemas.


def test_published_schemas_are_valid_and_up_to_date() -> None:
    folder = ROOT / "docs" / "schemas"
    published = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    assert published == {f"{name}.schema.json": schema_text(name) for name in KINDS}, "make docs"
    for name in KINDS:
        jsonschema.Draft202012Validator.check_schema(schema(name))
