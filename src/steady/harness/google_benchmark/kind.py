"""List the benchmarks of a Google Benchmark program, and run one of them."""

import re
from collections.abc import Sequence
from pathlib import Path

from steady.errors import InputError
from steady.harness.google_benchmark.results import FORMAT
from steady.harness.trial import Trial
from steady.model import ExecutionConfiguration, Identity
from steady.programs.elf import is_program_with
from steady.programs.option_file import OptionFile
from steady.programs.process import Program, printed_list
from steady.programs.program_kind import Place, ProgramKind
from steady.programs.program_runs import runs_of

_MARKS = (b"benchmark_list_tests", b"_ZN9benchmark")
"""The name of an option if the library is linked statically; otherwise names of its functions."""
_SPECIAL = re.compile(r"([\\^$.|?*+()\[{])")
"""Special characters of POSIX extended regular expressions. Others may not be escaped: ``\\]``."""
_THROWN = re.compile(r"^ *what\(\): *(?P<text>\S.*)", re.MULTILINE)
_NO_REASON = re.compile(
    r"\d{4}-\d\d-\d\d|Running |Run on \(|CPU Caches|  L\d |Load Average"
    r"|\*\*\*WARNING"
)
"""Beginnings of the lines that every program prints before its results."""


class GoogleBenchmark(ProgramKind):
    """A program that is linked with Google Benchmark."""

    title = "Google Benchmark"
    format = FORMAT
    native = True

    def check(self, place: Place) -> None:
        """Raise InputError if the version is not such a program."""
        if place.command and not place.target.is_dir():
            raise InputError("is not a folder in which a program runs", source=place.target)
        if not place.command and not holds(place.target):
            raise InputError(
                "is not a Google Benchmark program; give the program, or the folder in which the "
                "command after -- runs it",
                source=place.target,
            )

    def listed(self, place: Place) -> Sequence[Identity]:
        """List the benchmarks that the program prints."""
        lines = printed_list(_program(place, "--benchmark_list_tests=true"), place.target)
        return [Identity(line) for line in lines if line.strip()]

    def program(self, place: Place, trial: Trial, result: Path) -> Program:
        """Return the program that runs one benchmark, with a repetition for each iteration."""
        return _program(
            place,
            *benchmark_options(trial.identity, trial.configuration),
            "--benchmark_format=console",
            "--benchmark_out_format=json",
            f"--benchmark_out={result.resolve()}",
        )

    def reason(self, output: str) -> str:
        """Return the message of an exception, or else the last line that not every program prints.

        Lines in or after the final table of results are not reasons.
        """
        thrown = _THROWN.search(output)
        if thrown:
            return thrown["text"]
        lines = [one for one in output.partition("\n-----")[0].splitlines() if one.strip()]
        return next((one.strip() for one in reversed(lines) if not _NO_REASON.match(one)), "")


def holds(target: Path) -> bool:
    """Return whether a file is a program that is linked with Google Benchmark."""
    return is_program_with(target, _MARKS)


def takes(command: Sequence[str], folder: Path) -> bool:
    """Return whether a command has an option of Google Benchmark, or runs such a program."""
    options = any(word.startswith("--benchmark_") for word in command)
    return options or (bool(command) and holds(folder / command[0]))


make_runs = runs_of(GoogleBenchmark)


_HEAD = """\
# Options of the plan for Google Benchmark, one line for each benchmark. A line runs one process.
# The line above it has the number of processes, and the number of warm-up repetitions that each
# process begins with: drop them. `steady run --plan` does all of this, and interleaves base and
# head.
"""


def benchmark_options(identity: Identity, how: ExecutionConfiguration) -> list[str]:
    """Return the options that make a program run one process of one benchmark.

    Parameters
    ----------
    identity : Identity
        The benchmark.
    how : ExecutionConfiguration
        Configuration; `forks` is the number of processes.
    """
    name = _SPECIAL.sub(r"\\\1", identity.name)
    return [
        f"--benchmark_filter=^{name}$",
        f"--benchmark_repetitions={how.warmup_iterations + how.iterations}",
        f"--benchmark_min_time={how.iteration_seconds:g}",
        "--benchmark_report_aggregates_only=false",
    ]


OPTIONS = OptionFile(
    "Google Benchmark",
    "google-benchmark.txt",
    _HEAD,
    benchmark_options,
    "processes: {how.forks}; warm-up: {how.warmup_iterations} of {count} repetitions",
)
"""A plan as options of Google Benchmark."""


def _program(place: Place, *options: str) -> Program:
    if place.command:
        return Program((*place.command, *options), place.target)
    return Program((str(place.target.absolute()), *options))
