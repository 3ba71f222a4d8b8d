"""Quotations of the recorded demo for the pages: figures, tables and output."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from statistics import median
from typing import NamedTuple
from unittest.mock import patch

from docs.planted_changes import PLANTED, RENAMED, false_alarms, finds_renamed, is_found, seen
from evaluation import demo_plans
from steady.cli import main
from steady.demo import Facts, learnt_plan, recording
from steady.demo.library import HeldOut, Library, distances
from steady.demo.shorter_suite import ShorterSuite
from steady.model import Suite
from steady.report.figures import change_interval, change_percent
from steady.report.plan_picture import draw_plan
from steady.report.plan_receipt import ReceiptContext, error_sentences, headline, receipt
from steady.text.numbers import count, duration, percent, share

_COLUMNS = "96"
_NEAR = 0.03
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@cache
def facts() -> Facts:
    """Return the recorded facts."""
    with recording() as recorded:
        return Facts.of(recorded)


def quoted_comment() -> str:
    """Return the demo's comment as a quotation, without its hidden first line."""
    _, _, text = ran().comment.partition("\n")
    return _quoted(text)


@cache
def held_out() -> tuple[Library, HeldOut]:
    """Return the recorded library, and its plans with their true errors."""
    with recording() as recorded:
        return recorded.library, HeldOut.of(recorded.library.halves)


def quoted_receipt() -> str:
    """Return the savings of the plan of the library's first run, as a quotation."""
    _, judged = held_out()
    return _quoted(receipt(judged.plans[0], ReceiptContext()))


def plan_picture(scheme: str, _: str) -> str:
    """Return the picture of that plan in a colour scheme, ``light`` or ``dark``."""
    plan = held_out()[1].plans[0]
    return draw_plan(plan, scheme)


def plans_table() -> str:
    """Return the savings of the library's plans, and the errors of their results."""
    library, _ = held_out()
    return f"{demo_plans.table(library.halves)}\n"


def quietness_sentence() -> str:
    """Return how much the library's forks differ, in two items."""
    library, _ = held_out()
    return "".join(
        f"- {name}: {_quietness(half)}\n"
        for name, half in zip(("Forks 1 to 5", "Forks 6 to 10"), library.halves, strict=True)
    )


def _quietness(half: Suite) -> str:
    found = distances((half,)).values()
    largest = sorted(float(one.max()) for one in found)
    near = sum(one <= _NEAR for one in largest)
    return (
        f"the largest distance is {percent(largest[0])} to {percent(largest[-1])}, median "
        f"{percent(median(largest))}, and at most {share(_NEAR)} for {near} of {len(largest)} "
        f"benchmarks; half of the forks are within "
        f"{percent(median(float(fork) for one in found for fork in one))}."
    )


def noisy_plan() -> str:
    """Return the savings of the plan of the noisy full run, in two sentences."""
    plan = facts().full
    return _quoted(f"{headline(plan)}\n\n{error_sentences(plan)}")


def savings(base: str) -> str:
    """Return the README's paragraph on the library's plan; links begin with `base`."""
    library, judged = held_out()
    name, plan = library.about.name, judged.plans[0]
    errors = ShorterSuite(library.about, judged).median_errors
    _, true_error, full_run = map(percent, errors)
    return (
        f"This is the real plan of {count(len(plan), 'benchmark')} of "
        f"[{name}](https://github.com/{name}), a Java library: one run takes "
        f"{duration(plan.seconds)} instead of {duration(plan.former_seconds)} today. Its median "
        f"result differs by {true_error} from that of a full run in five other forks; two full "
        f"runs differ by {full_run} ([how this was measured]({base}/docs/savings.md)). On 581 "
        "benchmarks of 30 projects, planned runs of 8 s a benchmark are off by 2.3 %, and the runs "
        "of 100 s that their developers configured by 2.6 %, both compared with the steady state "
        f"in other forks ([table 4]({base}/docs/evaluation-quality.md#4-result-quality)).\n"
    )


def introduction(base: str) -> str:
    """Return the README's paragraph on the comment; links begin with `base`."""
    told = facts()
    found = sum(is_found(*each) for each in seen(told.comparison))
    alarms = false_alarms(told.comparison)
    others = "nothing else" if not alarms else count(len(alarms), "false alarm")
    renamed = ", the renamed benchmark," if finds_renamed(told.comparison) else ""
    return (
        f"This is the real comment of the bundled demo, on two versions of a suite that steady "
        f"had never seen. Without a plan, the run took {duration(told.command.seconds)} of "
        f"wall-clock time; a full run of both versions takes {duration(told.full_seconds)}. "
        f"It found {_number(found)} of the {_number(len(PLANTED))} planted changes{renamed} and "
        f"[{others}]({base}/docs/demo-run.md).\n"
    )


def seconds_table() -> str:
    """Return the duration of the recorded run, and of alternatives."""
    told = facts()
    with recording() as recorded:
        plan = learnt_plan(recorded)
    rows = (
        ("full run of both versions, as its plan estimates it", told.full_seconds),
        ("the recorded run of both versions, by the clock", told.command.seconds),
        (f"base and head of its {len(plan):,} benchmarks by the learnt plan", plan.pair_seconds),
    )
    return "| | seconds |\n|---|--:|\n" + "".join(f"| {t} | {s:,.0f} |\n" for t, s in rows)


def found_table() -> str:
    """Return the changes planted in head, and the run's result for each."""
    return "".join(_found_lines())


def _found_lines() -> Iterator[str]:
    comparison = facts().comparison
    yield "| planted in head | found | |\n|---|---|---|\n"
    for planted, change in seen(comparison):
        said = "not measured"
        if change is not None:
            forks = f"{change.base.forks} rounds"
            said = f"{change_percent(change)} ({change_interval(change)}), {forks}"
        found = "yes" if is_found(planted, change) else "no"
        yield f"| `{planted.name}` {planted.size} | {found} | {said} |\n"
    old, new = (name.rpartition(".")[2] for name in RENAMED)
    guessed = "yes" if finds_renamed(comparison) else "no"
    yield f"| `{old}` renamed to `{new}` | {guessed} | not compared; the new name is a guess |\n"
    alarms = false_alarms(comparison)
    names = ", ".join(f"`{change.identity.name}`" for change in alarms)
    others = len(comparison.ledger.identities) - len(PLANTED) - len(RENAMED)
    names = names or f"{others} benchmarks, the same in the sources"
    found = "nothing else" if not alarms else count(len(alarms), "false alarm")
    yield f"| nothing else | {found} | {names} |\n"


class Ran(NamedTuple):
    """Output of ``steady demo``, and the comment that it writes."""

    printed: str
    comment: str


@cache
def ran() -> Ran:
    """Run the demo."""
    printed = io.StringIO()
    with (
        tempfile.TemporaryDirectory() as folder,
        chdir(folder),
        patch.dict(os.environ, {"COLUMNS": _COLUMNS}),
        redirect_stdout(printed),
        redirect_stderr(io.StringIO()),
    ):
        main(["demo"])
        comment = Path("build/demo/comment.md").read_text(encoding="utf-8")
    return Ran(printed.getvalue(), comment)


def transcript() -> str:
    """Return the output of ``steady demo`` as a block of text."""
    lines = (line.rstrip() for line in ran().printed.splitlines())
    return "```text\n$ steady demo\n" + "\n".join(lines) + "\n```\n"


def _quoted(text: str) -> str:
    return "".join(f"{f'> {line}'.rstrip()}\n" for line in text.strip().splitlines())


def _number(value: int) -> str:
    return _NUMBERS[value] if value < len(_NUMBERS) else f"{value:,}"
