"""Shared by the tests of programs: listing benchmarks, running them alone and interleaved."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from steady.errors import InputError
from steady.harness.runs import DEFAULTS, HarnessSettings, Runs, Turn
from steady.harness.trial import Trial, TrialError, Version
from steady.model import ExecutionConfiguration, Identity, Suite
from steady.plan.suite_plan import BenchmarkPlan, Plan
from steady.readers import load

Make = Callable[[HarnessSettings], Runs]

PYTEST = f'#!/bin/sh\nexec {sys.executable} -m pytest "$@"\n'
"""What the environment of a check-out has as ``pytest``."""

SHORT = ExecutionConfiguration(1, 1, 4, 0.02, 0.02)
SLICED = ExecutionConfiguration(1, 1, 5, 0.06, 0.06)
"""Several turns in each iteration."""


def written(folder: Path, files: Mapping[str, str]) -> Path:
    """Write files that may be executed, and return their folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
    return folder


def program(name: str) -> str:
    """Return a program of the folder ``programs``; shell scripts stand in for a harness."""
    return (Path(__file__).with_name("programs") / name).read_text(encoding="utf-8")


def plan_of(
    harness: str, how: ExecutionConfiguration, *benchmarks: Identity | str, seconds: float = 1.0
) -> Plan:
    """Return a plan that runs all benchmarks in the same way."""
    identities = (Identity(one) if isinstance(one, str) else one for one in benchmarks)
    entries = (BenchmarkPlan(one, how, how, seconds, 300.0, "reduced", "") for one in identities)
    return Plan(tuple(entries), "uoptime", harness=harness)


def made(make: Make, *command: str) -> Runs:
    return make(replace(DEFAULTS, command=command))


def listed(make: Make, target: Path, *command: str) -> list[str]:
    runs, version = made(make, *command), Version("results", target)
    runs.check([version])
    return [one.name for one in runs.benchmarks(version)]


def measured(runs: Runs, target: Path, name: str, folder: Path, *, timeout: float = 60.0) -> Suite:
    """Run one benchmark once, and read the one file that it leaves."""
    scratch, result = folder / "scratch", folder / "result.json"
    scratch.mkdir(exist_ok=True)
    trial = Trial(0, 0, "results", Identity(name), SHORT, 1.0, timeout)
    try:
        with runs.open([Version("results", target)], scratch) as session:
            session.measure(trial, result)
    except TrialError:
        assert not result.exists()
        raise
    return load(result)


def refused(make: Make, target: Path, *command: str) -> str:
    """Return the one sentence that says why nothing can be listed."""
    with pytest.raises(InputError) as error:
        listed(make, target, *command)
    assert "\n" not in str(error.value)
    return str(error.value)


def expect_no_results(runs: Runs, target: Path, folder: Path, reasons: Mapping[str, str]) -> None:
    """Check why benchmarks leave no result; one that hangs has 1.5 seconds."""
    for name, why in reasons.items():
        with pytest.raises(TrialError, match=why):
            measured(runs, target, name, folder, timeout=1.5 if "hangs" in name else 60.0)


def in_turn(
    runs: Runs, sides: Sequence[Path], name: str, folder: Path, *, timeout: float = 60.0
) -> tuple[Sequence[Turn | TrialError], str, float]:
    """Run one benchmark of base and head in turn.

    Returns what became of each, what was in the way, and how much longer head took.
    """
    versions = [Version(name, side) for name, side in zip(("base", "head"), sides, strict=True)]
    trials = [
        Trial(number, 0, version.name, Identity(name), SLICED, 1.0, timeout)
        for number, version in enumerate(versions)
    ]
    paths = [folder / "base.json", folder / "head.json"]
    for version in versions:
        runs.benchmarks(version)
    with runs.open(versions, folder) as session:
        outcomes = session.measure_in_turn(trials, paths)
        obstacle = session.obstacle(trials)
    medians = [
        float(np.nanmedian(load(path)[Identity(name)].measured)) if path.exists() else np.nan
        for path in paths
    ]
    return outcomes, obstacle, medians[1] / medians[0]


def at_once(
    runs: Runs, sides: Sequence[Path], names: Sequence[str], folder: Path
) -> tuple[Sequence[Turn | TrialError], Sequence[Path]]:
    """Run a pair of each of several benchmarks simultaneously; return outcomes and results."""
    versions = [Version(name, side) for name, side in zip(("base", "head"), sides, strict=True)]
    pairs = [(name, version) for name in names for version in versions]
    trials = [
        Trial(number, 0, version.name, Identity(name), SLICED, 1.0, 60.0)
        for number, (name, version) in enumerate(pairs)
    ]
    paths = [folder / f"{trial.number}.json" for trial in trials]
    for version in versions:
        runs.benchmarks(version)
    with runs.open(versions, folder) as session:
        return session.measure_in_turn(trials, paths), paths


def took_turns(outcomes: Sequence[Turn | TrialError]) -> bool:
    return all(isinstance(one, Turn) and one.in_turn for one in outcomes)
