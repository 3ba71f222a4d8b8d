"""``steady plot``: draw the forks of one benchmark, with marks from its analysis."""

import re
from pathlib import Path

from steady.cli.common import chosen_plan, load
from steady.cli.printing import line, say
from steady.errors import InputError
from steady.files import write_bytes
from steady.model import Benchmark, Suite
from steady.optimize import analyze
from steady.options.other_options import PlotCommand
from steady.report.fork_pictures import planned_window
from steady.text.escape import shorten

_OTHER_LETTERS = re.compile(r"[^A-Za-z0-9._]+")
_LONGEST_NAME = 100


def run(arguments: PlotCommand) -> int:
    """Draw the forks, and write the picture."""
    from steady.plots.canvas import checked_kind, render  # requires an optional dependency

    kind = "png" if arguments.out is None else checked_kind(arguments.out.suffix)
    suite = load([arguments.results], arguments.format)
    benchmark = suite.drawable(arguments.name)
    [analysis] = analyze(Suite((benchmark,)), detector=arguments.detector)
    if not analysis.states:
        say(f"{benchmark.identity.label}: warm-up not detected: {analysis.reason}")
    axes = suite.plot(
        benchmark.identity,
        starts=analysis.starts or None,
        odd_forks=() if analysis.similarity is None else analysis.similarity.odd_forks,
        window=_window(arguments.plan, benchmark),
    )
    content = render(axes, kind)
    line(f"wrote {write_bytes(arguments.out or Path(file_name(benchmark, kind)), content)}")
    return 0


def file_name(benchmark: Benchmark, kind: str) -> str:
    """Return a file name of letters, digits, dots, hyphens and underscores for any name."""
    plain = _OTHER_LETTERS.sub("-", shorten(benchmark.identity.label, _LONGEST_NAME))
    return f"plot-{plain.strip('-.')}.{kind}".replace("-.", ".")


def _window(path: Path | None, benchmark: Benchmark) -> tuple[int, int] | None:
    plan = chosen_plan(path)
    if plan is None:
        return None
    entry = plan.get(benchmark.identity)
    if entry is None:
        raise InputError(
            f"does not contain {benchmark.identity.label}; name another plan with "
            "--plan, or make a new one with steady optimize",
            source=path,
        )
    window = planned_window(entry, benchmark)
    if window is None:
        say(
            f"{path}: its iterations differ from those of the results, so none are marked as "
            "planned"
        )
    return window
