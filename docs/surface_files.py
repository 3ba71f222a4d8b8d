"""The list of files written by a run, a plan, a report or a history."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from steady.action.inputs import DEFAULT_PLAN
from steady.action.measured_elsewhere import FILES as IN_ARTIFACT
from steady.cli.settings import KINDS
from steady.emit import PATCH, configuration_files
from steady.engine.request import RunRequest
from steady.engine.run_folder import RunFolder
from steady.harnesses import RUNNABLE
from steady.history.entry import ENTRY_PATH, OBJECT_PATH
from steady.options.shared_options import DEFAULT_SETTINGS
from steady.registry import OnRequest
from steady.report.output_formats import FILES as OF_REPORT
from steady.report.output_formats import JUNIT, PAGE
from steady.report.plan_files import FILES as OF_PLAN
from steady.report.plan_files import RECEIPT


def files() -> Iterator[str]:
    """Yield a line for each file, which begins with its writer."""
    for harness, entry in RUNNABLE.items():
        yield from (f"run of {harness}: {name}" for name in run_files(_suffix(entry.value.make)))
    of_plan = (*OF_PLAN, PAGE, PATCH, *configuration_files())
    yield from (f"plan: {name}" for name in of_plan)
    yield from (f"report: {name}" for name in OF_REPORT)
    yield from (f"action: {name}" for name in (JUNIT, RECEIPT, DEFAULT_PLAN))
    yield from (f"artifact that the action reads: {name}" for name in IN_ARTIFACT)
    yield from (f"history: {form.pattern}" for form in (ENTRY_PATH, OBJECT_PATH))
    yield from (f"schema: docs/schemas/{name}.schema.json" for name in KINDS)
    yield f"settings: {DEFAULT_SETTINGS}"


def run_files(suffix: str) -> Iterator[str]:
    """Yield the files of a run's folder, for a harness's suffix of results."""
    folder = RunFolder(Path(), suffix)
    named = (path for name, path in vars(folder).items() if not name.startswith("_"))
    kept = (path for path in named if path.suffix)  # neither folders nor the lock
    two = RunRequest.of(base="base", head="head", list=True).versions
    one = RunRequest.of(jar="jar", list=True).versions
    merged = [folder.merged(version.name) for version in (*two, *one)]
    series = folder.series(two[0].name)
    forks = (folder.result(0), folder.log(0))
    yield from (path.as_posix() for path in (*kept, *merged, series, *forks))


def _suffix(make: Any) -> str:
    """Return the declared suffix of the results that a harness writes."""
    made = make.load() if isinstance(make, OnRequest) else make
    if not inspect.isclass(made):
        named = inspect.signature(made).return_annotation
        made = made.__globals__[named] if isinstance(named, str) else named
    suffix: str = made.suffix
    return suffix
