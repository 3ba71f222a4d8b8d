"""List the benchmarks of pytest-benchmark, and run one of them."""

import json
import os
import re
import tempfile
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from steady.harness.pytest_benchmark.results import FORMAT
from steady.harness.trial import Trial
from steady.model import ExecutionConfiguration, Identity
from steady.programs.process import Program, program_in, written_list
from steady.programs.program_kind import Place, ProgramKind
from steady.programs.program_runs import runs_of
from steady.programs.shared_process import Member

_PLUGIN = "steady_pytest"
_PLUGIN_FOLDER = Path(__file__).resolve().parent / "plugin"
"""Contains nothing else, because the benchmarks can import every file in it."""
_LISTED = (0, 5)
"""Exit codes of pytest: tests found, none found."""
_EXCEPTION = re.compile(r"E +(?P<text>[\w.]+(?:: .*)?)$")
_MARKED = re.compile(
    r"(?:E {2,}|ERROR:? (?!usage)|[^:]*: error: |SKIPPED \[1\] |XFAIL |"
    r".*BenchmarkWarning: (?!Not saving))(?P<text>\S.*)"
)
_ROUND_SECONDS = 0.001
"""Minimum duration of a round. The default of 5 us would write megabytes each second."""
_ROUNDS = 20
"""Rounds of a short iteration, so that iterations can have about equal durations."""
_GLIMPSE_SECONDS = 0.2
_STORAGE = f"--benchmark-storage=file://{tempfile.gettempdir()}"
"""Without it, pytest-benchmark creates a folder."""
_NO_WARM_UP = "--benchmark-warmup=off"
_QUIET = ("-q", "-rfEsx", "-p", "no:cacheprovider", "-p", _PLUGIN)


class PytestBenchmark(ProgramKind):
    """pytest-benchmark, in a folder whose own environment may contain pytest."""

    title = "pytest-benchmark"
    format = FORMAT
    runner = "pytest"
    scripts = ("pytest", "py.test")
    names_only = "/_pytest/pathlib.py"
    asks = "/pytest_benchmark/utils.py"

    def listed(self, place: Place) -> Sequence[Identity]:
        """List the tests that use the fixture ``benchmark``."""
        with written_list(
            lambda file: _program(place, ("--collect-only",), {"STEADY_LISTING": str(file)}),
            place.target,
            cannot="pytest cannot list its tests",
            install="pytest and pytest-benchmark there",
            reason=self.reason,
            fine=_LISTED,
        ) as file:
            return tuple(map(Identity, json.loads(file.read_text(encoding="utf-8"))))

    def program(self, place: Place, trial: Trial, result: Path) -> Program:
        """Return the program that runs one benchmark for the duration of all its iterations."""
        durations = _durations(trial.configuration).items()
        options = (
            f"--benchmark-json={result.resolve()}",
            *(f"--benchmark-{name.replace('_', '-')}={value:g}" for name, value in durations),
            _NO_WARM_UP,
        )
        return _program(place, options, {"STEADY_BENCHMARK": trial.identity.name})

    def shared_process(self, identity: Identity) -> str:
        """Return the file of a benchmark, whose benchmarks can share a process."""
        file, _, own = identity.name.partition("::")
        return file if own else ""

    def together(self, place: Place, members: Sequence[Member], file: Path) -> Program:
        """Return the program that runs several benchmarks of a file."""
        entries = [
            {
                "name": trial.identity.name,
                "result": str(result.resolve()),
                "options": _durations(trial.configuration),
            }
            for trial, result in members
        ]
        file.write_text(json.dumps(entries), encoding="utf-8")
        return _program(place, (_NO_WARM_UP,), {"STEADY_BENCHMARKS": str(file.resolve())})

    def glimpse(self, place: Place, identity: Identity) -> Program:
        """Return the program that runs one benchmark for a short time without results."""
        options = (f"--benchmark-max-time={_GLIMPSE_SECONDS}", "--benchmark-min-rounds=5", _STORAGE)
        return _program(place, options, {"STEADY_BENCHMARK": identity.name})

    def loading(self, place: Place, identity: Identity) -> Program:
        """Return the program that only loads the file of a benchmark."""
        options = ("--collect-only", _STORAGE)
        return _program(place, options, {"STEADY_BENCHMARK": identity.name})

    def counting(self, place: Place, identity: Identity, file: Path, library: str) -> Program:
        """Return the program that runs one benchmark once and counts its function's call."""
        variables = {"STEADY_BENCHMARK": identity.name, "STEADY_COUNT": library or str(file)}
        return _program(place, (), variables)

    def reason(self, output: str) -> str:
        """Return the exception that pytest shows, or another marked line; else an empty text."""
        lines = output.splitlines()
        found = chain(map(_EXCEPTION.match, lines), map(_MARKED.match, lines))
        return next((match["text"] for match in found if match), "")


def takes(command: Sequence[str], folder: Path) -> bool:  # noqa: ARG001
    """Return whether a command runs pytest."""
    return any(Path(word).name in ("pytest", "py.test") for word in command[:4])


make_runs = runs_of(PytestBenchmark)


def _durations(how: ExecutionConfiguration) -> dict[str, float]:
    """Return the options of pytest-benchmark for all iterations of a configuration."""
    count = how.warmup_iterations + how.iterations
    return {
        "max_time": count * how.iteration_seconds,
        "min_rounds": count,
        "min_time": min(_ROUND_SECONDS, how.iteration_seconds / _ROUNDS),
    }


def _program(place: Place, options: Sequence[str], variables: dict[str, str]) -> Program:
    words = place.command or ("pytest",)
    paths = (str(_PLUGIN_FOLDER), os.environ.get("PYTHONPATH", ""))
    own = {"PYTHONPATH": os.pathsep.join(filter(None, paths)), **variables}
    return program_in(place.target, (*words, *_QUIET, *options), own)
