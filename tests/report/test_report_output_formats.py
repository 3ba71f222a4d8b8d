"""The registry of output formats."""

import json
from pathlib import Path

from steady.options.compare_options import OUTPUT
from steady.report.content import ReportData
from steady.report.output_formats import FILES, OUTPUT_FORMATS, PRINTED, report_files
from tests.report.made import eventful, plan

ROOT = Path(__file__).resolve().parents[2]
DATA = ReportData(comparison=eventful(), plan=plan(), fail_on={"regression"})


def test_each_format_writes_a_comparison_and_has_a_page() -> None:
    texts = {name: entry.value.write(DATA) for name, entry in OUTPUT_FORMATS.items()}
    assert all(texts.values())
    assert texts["terminal"] == texts["markdown"], "a file has no width"
    assert len(set(texts.values())) == len(texts) - 1
    assert all((ROOT / entry.source).is_file() for entry in OUTPUT_FORMATS.values())
    for name, entry in OUTPUT_FORMATS.items():
        if entry.value.is_json:
            assert json.loads(texts[name])["verdict"] == "regression"


def test_users_choose_the_printed_format_by_name() -> None:
    assert list(PRINTED) == list(OUTPUT.kind.names) == ["terminal", "markdown", "json", "csv"]
    assert set(OUTPUT.short) <= set(PRINTED)


def test_a_report_has_a_file_of_each_format_and_others_on_request() -> None:
    named = [entry.value.file for entry in OUTPUT_FORMATS.values() if entry.value.file]
    assert len(named) == len(set(named))
    assert list(report_files(DATA)) == list(FILES)
    assert set(named) - set(FILES) == {"junit.xml"}
    some = report_files(DATA, {"comment.md": "made"}, names=["junit.xml", "comment.md"])
    assert list(some) == ["comment.md", "junit.xml"]
    assert some["comment.md"] == "made"
    assert "<failure" in some["junit.xml"]
