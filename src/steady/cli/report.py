"""``steady report``: write all reports of two runs to one folder."""

from pathlib import Path, PurePath

from steady.cli.common import load
from steady.cli.compare import exit_code, gather, write_for_ci
from steady.cli.printing import line
from steady.engine.run_file import RunFile, read_run
from steady.errors import InputError
from steady.judging import judge
from steady.model import Suite
from steady.options.compare_options import ReportCommand
from steady.report.content import ReportData
from steady.report.output_formats import write_report
from steady.report.provenance import Fact, Runs
from steady.text.numbers import count, duration

_DIGITS = 12  # characters of a digest, sufficient to distinguish two builds


def run(arguments: ReportCommand) -> int:
    """Compare, and write all reports."""
    evidence, fail_on = gather(arguments)
    comparison = judge(evidence)
    full = load(list(arguments.full), arguments.format) if arguments.full else None
    data = ReportData(
        comparison=comparison,
        plan=evidence.plan,
        runs=Runs(evidence.base, evidence.head, full),
        known=[*_of_run(_run_of(evidence.base, evidence.head)), Fact("Command", arguments.line)],
        fail_on=fail_on,
    )
    paths = write_report(arguments.out, data)
    write_for_ci(arguments, data)
    for path in paths:
        line(f"wrote {path}")
    return exit_code(data.document.summary, fail_on)


def _run_of(base: Suite, head: Suite) -> RunFile | None:
    """Return the run of two results; None unless both are in one folder with a run file."""
    folders = {Path(source).parent for suite in (base, head) for source in suite.sources}
    if len(folders) != 1:
        return None
    try:
        return read_run(folders.pop() / "run.json")
    except InputError:  # most results have no run file
        return None


def _of_run(run: RunFile | None) -> list[Fact]:
    """Return the measured builds and the duration of the run."""
    if run is None:
        return []
    versions = {
        target.name: f"{PurePath(target.path).name} ({target.sha256[:_DIGITS]})"
        for target in run.header.versions
    }
    facts = []
    if versions.keys() >= {"base", "head"}:
        facts.append(Fact("Measured", versions["base"], versions["head"]))
    ended = [s.end - s.start for s in run.sessions if s.end is not None]
    if run.outcome is not None and ended:
        forks = count(run.outcome.measured, "fork")
        facts.append(Fact("Run", f"{duration(sum(ended))} from start to end, {forks}"))
    return facts
