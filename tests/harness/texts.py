"""Recorded results and configurations of plans as reviewed texts.

Usage: python -m tests.harness.texts, which writes `texts` anew
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import numpy as np

from steady.emit import EMITTERS
from steady.model import ExecutionConfiguration, FloatArray, Identity, Suite
from steady.readers import load
from tests.harness.program_trials import plan_of

FOLDER = Path(__file__).with_name("texts")
RECORDED = Path(__file__).parents[1] / "readers" / "recorded" / "programs"

PLANNED = {
    "asv": (Identity("b.S.time_x(1.5, 'a b')"),),
    "benchmarkdotnet": (Identity('Shop.Prices.Total(Text: "a b")'),),
    "criterion": (Identity("-a b"),),
    "google-benchmark": (Identity("BM_typed<int>/64"),),
    "kotlinx-benchmark": (
        Identity("shop.Prices.get"),
        Identity("shop.Prices.put"),
        Identity("shop.Prices.total", "thrpt", (("text", 'a"$b'),)),
    ),
    "pyperf": (Identity("a b"),),
}
"""Benchmarks of harnesses that take a plan as options."""


def numbers(values: FloatArray) -> str:
    return " ".join(f"{value:.5g}" for value in values if not np.isnan(value))


def told(how: ExecutionConfiguration) -> str:
    own = f"{how.forks} forks of {how.warmup_iterations} + {how.iterations} iterations"
    return f"{own} of {how.warmup_seconds:.5g} and {how.iteration_seconds:.5g} s"


def read(path: Path) -> str:
    """Return all that is read of a file."""
    suite: Suite = load(path)
    lines = [f"harness {suite.harness}"]
    for one in suite.values():
        lines += [
            *("", f"{one.identity.label} in {one.unit}, {one.environment.cpu or 'no processor'}"),
            *([] if one.configuration is None else [f"  {told(one.configuration)}"]),
            *(f"  {numbers(row)}, warm-up {one.warmup}" for row in one.measurements),
            *(
                f"  {name} in {metric.unit}, {metric.direction} is better: {numbers(row)}"
                for name, metric in one.metrics.items()
                for row in metric.values
            ),
        ]
    lines += [f"\n{failure.identity.label}: {failure.reason}" for failure in suite.failures]
    return "\n".join(lines) + "\n"


def planned(harness: str) -> str:
    """Return the file that tells a harness what a plan says."""
    how = ExecutionConfiguration(3, 4, 5, 0.05, 0.25)
    plan = plan_of(harness, how, *PLANNED[harness])
    [content] = EMITTERS[harness].value(plan, None).files.values()
    return content.decode()


FILES = [path for path in RECORDED.glob("*.json") if path.stem != "pytest-benchmark-means"]
TEXTS: Mapping[str, Callable[[], str]] = {
    **{f"results-{path.stem}": partial(read, path) for path in FILES},
    **{f"plan-{harness}": partial(planned, harness) for harness in PLANNED},
}

if __name__ == "__main__":
    for name, text in TEXTS.items():
        (FOLDER / f"{name}.txt").write_text(text(), encoding="utf-8")
