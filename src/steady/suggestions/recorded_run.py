"""Commands that repeat a run, as the ``run.json`` beside its results records it."""

import math
import shlex
from contextlib import suppress
from pathlib import Path

from steady.engine.run_file import COMMAND, Header, read_run
from steady.engine.run_folder import header_beside
from steady.errors import InputError
from steady.harness.only import ONLY
from steady.model import Suite
from steady.options.kinds import target_of
from steady.options.plan_options import PLAN_FOLDER
from steady.options.run_options import RunCommand
from steady.suggestions.rendering import BENCHMARKS


def run_of(suite: Suite) -> RunCommand:
    """Return the run of one version that results come from: its benchmarks, and the words."""
    for source in suite.sources:
        with suppress(InputError):  # most results have none
            header = read_run(header_beside(Path(source))).header
            build = next((version.path for version in header.versions), BENCHMARKS)
            return RunCommand(jar=Path(build), command=_words(header))
    return RunCommand(jar=Path(BENCHMARKS))


def longer_run(results: Path, plan: Path | None) -> RunCommand | None:
    """Return the run of two versions that results come from, in twice the time; None without one.

    Parameters
    ----------
    results : Path
        The results of head.
    plan : Path, optional
        The plan that was followed. The run's own file does not name it.
    """
    try:
        run = read_run(header_beside(results))
    except InputError:
        return None
    targets = {target.name: target.path for target in run.header.versions}
    spent = sum((stretch.end or stretch.start) - stretch.start for stretch in run.sessions)
    if targets.keys() != {"base", "head"} or spent <= 0:
        return None
    plan = plan or (PLAN_FOLDER if PLAN_FOLDER.exists() else None)
    return RunCommand(
        plan=plan if run.header.plan else None,
        base=target_of(targets["base"]),
        head=target_of(targets["head"]),
        command=_words(run.header),
        only=run.header.described.get(ONLY) or None,
        time_budget=60.0 * max(math.ceil(2 * spent / 60), 1),
        out=Path(f"{results.parent}-longer"),
    )


def _words(header: Header) -> tuple[str, ...]:
    """Return the words behind ``--`` of a run."""
    return tuple(shlex.split(header.described.get(COMMAND, "")))
