"""``steady optimize``: plan the smallest stable configuration from a full run."""

from dataclasses import replace

from steady.cli.common import load, progress
from steady.cli.history import earlier_runs
from steady.cli.printing import line, note
from steady.emit import check_annotations, emit
from steady.engine.narrowing import only_of_run
from steady.errors import InputError
from steady.harnesses import harness_named
from steady.model import Suite
from steady.optimize import (
    DEFAULT_STRATEGY,
    OverTimeError,
    Plan,
    optimize,
    plan_at,
    updated_plan,
)
from steady.optimize.plan_changes import plan_changes
from steady.options.plan_options import OptimizeCommand
from steady.report.plan_files import last_plan, write_plan_files
from steady.report.plan_page import write_plan_page
from steady.report.plan_text import print_changes, print_plan
from steady.settings import chosen_settings
from steady.suggestions.for_results import suggest_for_rotation, suggest_for_unplanned
from steady.suggestions.missing import require_results


def run(arguments: OptimizeCommand) -> int:
    """Make the plan, write it with the harness's configuration, and print it."""
    require_results(arguments)
    suite = load(arguments.results, arguments.format)
    declaring = harness_named(suite.harness).declaring
    if arguments.jar is not None and declaring is not None:
        suite = declaring.add(suite, arguments.jar)
    if arguments.annotations is not None:
        check_annotations(suite.harness, arguments.annotations)
    earlier = plan_at(arguments.out) if arguments.update else None
    last, problem = last_plan(arguments.out)
    plan = replace(make_plan(suite, arguments), only="|".join(o.text for o in only_of_run(suite)))
    if earlier is not None:
        plan = updated_plan(earlier, plan)
    emitted = emit(plan, arguments.out, jar=arguments.jar, annotations=arguments.annotations)
    own = write_plan_files(plan, arguments.out)
    page = write_plan_page(arguments.out, plan, suite, arguments.jobs)
    written = [own.files[0], *emitted.files, *own.files[1:], page]
    for text in (*emitted.notes, *own.notes, *filter(None, [problem])):
        note(text)
    print_plan(plan)
    if last is not None:
        print_changes(plan_changes(last, plan))
    for path in written:
        line(f"wrote {path}")
    for suggest in (suggest_for_unplanned, suggest_for_rotation):
        for text in suggest(suite, plan, arguments):
            line(text)
    return 0


def make_plan(suite: Suite, arguments: OptimizeCommand) -> Plan:
    """Make the plan with the arguments' options; the strategy provides defaults for the others."""
    options = {n: v for n in _STRATEGY_OPTIONS if (v := getattr(arguments, n)) is not None}
    settings = chosen_settings(arguments.settings)
    with progress("optimize") as report:
        try:
            return optimize(
                suite,
                arguments.strategy or ("detect" if arguments.detect else DEFAULT_STRATEGY),
                detector=arguments.detector,
                similarity=arguments.similarity,
                min_forks=arguments.min_forks,
                startup_seconds=arguments.startup_seconds,
                unsteady=arguments.unsteady,
                earlier=earlier_runs(arguments, suite),
                important=None if settings is None else settings.is_important,
                jobs=arguments.jobs,
                progress=report,
                **options,
            )
        except OverTimeError as error:
            longer = replace(arguments, time_budget=error.enough).line
            raise InputError(f"{error.complaint}; use `{longer}`") from None


_STRATEGY_OPTIONS = (
    "metric", "threshold", "budget", "time_budget", "detect", "power", "confidence", "min_change"
)  # fmt: skip
