"""The output formats of a comparison: their names, their writers, and the files of a report.

A new format needs a function in a module of its own, and an entry in `OUTPUT_FORMATS`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from steady.registry import OnRequest, Registered, Registry

if TYPE_CHECKING:  # the parser of `steady compare` only needs the names
    from steady.report.content import ReportData

COMMENT = "comment.md"
SUMMARY = "summary.md"
PAGE = "report.html"
COMPARISON = "comparison.json"
JUNIT = "junit.xml"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputFormat:
    """An output format.

    Parameters
    ----------
    write : callable
        Function that returns the text of a comparison, deterministically.
    file : str
        File name in the folder of a report; empty if reports do not include the format.
    extra : bool
        Whether a report includes the file only on request.
    printed : bool
        Whether it is a value of ``--output``.
    show : callable, optional
        Function that prints a comparison; if None, the text itself is printed.
    is_json : bool
        Whether the text is JSON.
    """

    write: Callable[[ReportData], str]
    file: str = ""
    extra: bool = False
    printed: bool = False
    show: Callable[[ReportData], None] | None = None
    is_json: bool = False


_comment = OnRequest("steady.report.comment:comment")
_summary = OnRequest("steady.report.comment:job_summary")
_to_json = OnRequest("steady.compare.comparison_files:to_json")
_print_report = OnRequest("steady.report.terminal:print_report")


def _markdown(data: ReportData) -> str:
    text: str = _comment(data.document, accept=data.accept)
    return text


OUTPUT_FORMATS: Registry[OutputFormat] = Registry(
    "output format",
    Registered(
        "terminal",
        "tables fitted to the terminal; with `--out`, Markdown",
        "docs/outcomes.md",
        OutputFormat(
            write=_markdown,
            printed=True,
            show=lambda data: _print_report(data.document),
        ),
    ),
    Registered(
        "markdown",
        "the comment on a pull request",
        "docs/comment.md",
        OutputFormat(write=_markdown, file=COMMENT, printed=True),
    ),
    Registered(
        "summary",
        "the comment with more rows, for the summary of a job on GitHub",
        "docs/comment.md",
        OutputFormat(write=lambda data: _summary(data.document), file=SUMMARY),
    ),
    Registered(
        "html",
        "an HTML page with every fork",
        "docs/report.md",
        OutputFormat(write=OnRequest("steady.report.html:html"), file=PAGE),
    ),
    Registered(
        "json",
        "the complete comparison, for programs",
        "docs/json.md",
        OutputFormat(
            write=lambda data: _to_json(data.comparison),
            file=COMPARISON,
            printed=True,
            is_json=True,
        ),
    ),
    Registered(
        "csv",
        "a row for each benchmark, for spreadsheets",
        "docs/json.md",
        OutputFormat(write=lambda data: data.comparison.to_csv(), printed=True),
    ),
    Registered(
        "junit",
        "JUnit XML: a test case for each benchmark",
        "docs/other-ci.md",
        OutputFormat(write=OnRequest("steady.report.ci:junit"), file=JUNIT, extra=True),
    ),
)
"""The output formats by name, in the order of the files of a report."""


def _printed() -> Iterator[Registered[OutputFormat]]:
    return (entry for entry in OUTPUT_FORMATS.values() if entry.value.printed)


PRINTED: Registry[OutputFormat] = Registry("output format", further=_printed)
"""The formats of ``steady compare --output``."""

FILES = tuple(e.value.file for e in OUTPUT_FORMATS.values() if e.value.file and not e.value.extra)
"""The files of a report."""


def report_files(
    data: ReportData, made: Mapping[str, str] | None = None, *, names: Collection[str] = FILES
) -> dict[str, str]:
    """Return the texts of a report by the names of its files.

    Parameters
    ----------
    data : ReportData
        The data of the report.
    made : mapping of str to str, optional
        Existing texts by file name, such as a comment, which depends on where it is posted.
    names : collection of str
        Names of the files.
    """
    made = made or {}
    outputs = (entry.value for entry in OUTPUT_FORMATS.values() if entry.value.file in names)
    return {one.file: made.get(one.file) or one.write(data) for one in outputs}


def write_report(folder: str | Path, data: ReportData) -> list[Path]:
    """Write the files of a report atomically, and return their paths.

    Parameters
    ----------
    folder : path-like
        The folder, created if it does not exist.
    data : ReportData
        The data of the report.

    Raises
    ------
    InputError
        If a file cannot be written.
    """
    from steady.files import write_text  # imports the JSON reader, which is slow

    return [write_text(Path(folder) / name, text) for name, text in report_files(data).items()]
