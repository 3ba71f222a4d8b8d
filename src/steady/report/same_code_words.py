"""Sentences and a section on benchmarks that run the same code in base and in head."""

from steady.compare import Change, Comparison
from steady.compare.ledger import IN_DOUBT
from steady.report import figures
from steady.report.document import BENCHMARK, Cell, Column, Row, Section
from steady.report.names import ShortNames
from steady.text.numbers import count


def same_code_words(comparison: Comparison) -> str:
    """Say how many benchmarks of all were not measured; empty where none was left out."""
    same, controls = len(comparison.ledger.same_code), len(comparison.controls)
    if not same:
        return ""
    of = f"{same + controls:,} of {count(len(comparison.ledger.identities), 'benchmark')}"
    verb = "runs" if same + controls == 1 else "run"
    were = "was" if same == 1 else "were"
    what = "" if not controls else f" {same:,} of them"
    return f"{of} {verb} the same code, and{what} {were} not measured"


def control_sentence(comparison: Comparison) -> str:
    """Say what became of the benchmarks that were measured as a control; empty without any."""
    controls, alarms = comparison.controls, control_alarms(comparison)
    if not controls:
        return ""
    were = "was" if len(controls) == 1 else "were"
    return (
        f"As a check, {count(len(controls), 'benchmark')} with unchanged code {were} measured: "
        f"{count(len(alarms), 'false alarm') if alarms else 'no false alarm'}."
    )


def control_warning(comparison: Comparison) -> str:
    """Say what a false alarm means for the other benchmarks; empty where there was none."""
    if not (alarms := control_alarms(comparison)):
        return ""
    largest = max(alarms, key=lambda change: abs(change.ratio))
    doubted = sum(entry.reason == IN_DOUBT for entry in comparison.ledger.not_run)
    counted = count(doubted, "skipped benchmark counts", "skipped benchmarks count")
    counted = f" {counted} as not looked at." if doubted else ""
    return (
        f"{count(len(alarms), 'control seems', 'controls seem')} to have changed (up to "
        f"{figures.change_percent(largest)}) with the same code in base and head. Either the "
        "machine is noisy, and other changes of this size may be false alarms too, or the decision "
        f"that the code is the same is wrong: run again with --same-code run.{counted}"
    )


def control_alarms(comparison: Comparison) -> list[Change]:
    """Return the controls that seem to have changed."""
    changed = ("regression", "improvement")
    return [change for change in comparison.controls if change.outcome in changed]


def same_code_section(comparison: Comparison, names: ShortNames) -> Section:
    """List what was not measured, and the controls."""
    left_out = comparison.ledger.same_code
    rows = [
        Row((Cell(names.named(change.identity)), Cell(_of_control(change))))
        for change in comparison.controls
    ]
    if left_out:
        cells = Cell(names.named(*left_out)), Cell("not measured")
        rows.append(Row(cells, identities=tuple(left_out), muted=True))
    total = len(left_out) + len(comparison.controls)
    title = f"{total:,} with the same code in base and head"
    columns = BENCHMARK, Column("What was done")
    return Section(title, "entry", "entries", tuple(rows), columns, folded=True)


def _of_control(change: Change) -> str:
    alarm = change.outcome in ("regression", "improvement")
    became = "false alarm" if alarm else change.outcome
    return f"measured as a control: {became}, {figures.change_percent(change)}"
