"""How a program of Google Benchmark lists its benchmarks, and runs one of them."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from steady.errors import InputError
from steady.harness.google_benchmark import results
from steady.harness.runs import HarnessSettings
from steady.harness.trial import Trial
from steady.model import Identity
from steady.programs.process import Program, run_alone
from steady.programs.program_runs import Place, ProgramKind, ProgramRuns, refuse_foreign

_LISTING_SECONDS = 60.0
_MARKS = (b"benchmark_list_tests", b"_ZN9benchmark")
"""The name of an option, if the library is linked statically; else the names of its functions."""
_SPECIAL = re.compile(r"([\\^$.|?*+()\[\]{}])")
_MOST_READ = 2**30


class GoogleBenchmark(ProgramKind):
    """A program that is linked with Google Benchmark."""

    name = results.NAME
    key = results.KEY
    read = staticmethod(results.read)

    def check(self, place: Place) -> None:
        """Raise InputError if the version is no such program."""
        if not place.command and not holds(place.target):
            raise InputError(
                "is not a program of Google Benchmark; name the program, or the folder in which "
                "the words behind -- run it",
                source=place.target,
            )

    def listed(self, place: Place) -> Sequence[Identity]:
        """List the benchmarks as the program does."""
        program = _program(place, "--benchmark_list_tests=true")
        try:
            ended = run_alone(program, _LISTING_SECONDS)
        except OSError as error:
            raise InputError(f"cannot be run ({error.strerror})", source=place.target) from None
        if ended.code != 0:
            raise InputError(
                f"cannot list its benchmarks: exit code {ended.code}", source=place.target
            )
        return [Identity(line) for line in ended.output.splitlines() if line and line[0] != " "]

    def program(self, place: Place, trial: Trial, result: Path) -> Program:
        """Return what runs one benchmark, with a repetition for each iteration."""
        how = trial.configuration
        name = _SPECIAL.sub(r"\\\1", trial.identity.name)
        return _program(
            place,
            f"--benchmark_filter=^{name}$",
            f"--benchmark_repetitions={how.warmup_iterations + how.iterations}",
            f"--benchmark_min_time={how.iteration_seconds:g}",
            "--benchmark_report_aggregates_only=false",
            "--benchmark_out_format=json",
            f"--benchmark_out={result.resolve()}",
        )

    def reason(self, output: str) -> str:  # noqa: ARG002
        """Return nothing: its last line says why."""
        return ""


def holds(target: Path) -> bool:
    """Tell whether a file is a program that is linked with Google Benchmark."""
    if not target.is_file() or not os.access(target, os.X_OK):
        return False
    with target.open("rb") as file:
        if file.read(4) != b"\x7fELF":
            return False
        data = file.read(_MOST_READ)
    return any(mark in data for mark in _MARKS)


def takes(command: Sequence[str]) -> bool:
    """Tell whether a command has an option of Google Benchmark."""
    return any(word.startswith("--benchmark_") for word in command)


def google_runs(settings: HarnessSettings) -> ProgramRuns:
    """Return what runs its benchmarks; raise InputError for options that are for JMH."""
    refuse_foreign(settings, "Google Benchmark")
    return ProgramRuns(GoogleBenchmark(), settings)


def _program(place: Place, *options: str) -> Program:
    if place.command:
        return Program((*place.command, *options), place.target)
    return Program((str(place.target.absolute()), *options))
