"""How pytest lists the benchmarks of pytest-benchmark, and runs one of them."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from steady.errors import InputError
from steady.harness.pytest_benchmark import results
from steady.harness.runs import HarnessSettings
from steady.harness.trial import Trial
from steady.model import Identity
from steady.programs.process import Program, own_program, run_alone
from steady.programs.program_runs import Place, ProgramKind, ProgramRuns, refuse_foreign

_PLUGIN = "steady_pytest"
_LISTING_SECONDS = 300.0
_ERROR = re.compile(r"(?:E {2,}|ERROR:? (?!usage)|[^:]*: error: )(?P<text>\S.*)")
_QUIET = ("-q", "-p", "no:cacheprovider", "-p", _PLUGIN)


class PytestBenchmark(ProgramKind):
    """pytest-benchmark, in a folder whose own environment may hold pytest."""

    name = results.NAME
    key = results.KEY
    read = staticmethod(results.read)

    def check(self, place: Place) -> None:
        """Raise InputError if the version is no folder."""
        if not place.target.is_dir():
            raise InputError(
                "is not a folder; give the check-out in which pytest runs", source=place.target
            )

    def listed(self, place: Place) -> Sequence[Identity]:
        """List the tests that use the fixture ``benchmark``."""
        with tempfile.TemporaryDirectory() as folder:
            listing = Path(folder, "listing.json")
            program = _program(place, ("--collect-only",), {"STEADY_LISTING": str(listing)})
            try:
                ended = run_alone(program, _LISTING_SECONDS)
            except OSError as error:
                raise InputError(
                    f"holds no {program.command[0]} that can be run ({error.strerror}); install "
                    "pytest and pytest-benchmark there",
                    source=place.target,
                ) from None
            if not listing.is_file():
                why = self.reason(ended.output) or f"exit code {ended.code}"
                raise InputError(f"pytest cannot list its tests: {why}", source=place.target)
            return tuple(map(Identity, json.loads(listing.read_text(encoding="utf-8"))))

    def program(self, place: Place, trial: Trial, result: Path) -> Program:
        """Return what runs one benchmark for the seconds of all its iterations."""
        how = trial.configuration
        count = how.warmup_iterations + how.iterations
        options = (
            f"--benchmark-json={result.resolve()}",
            f"--benchmark-max-time={count * how.iteration_seconds:g}",
            f"--benchmark-min-rounds={count}",
            "--benchmark-warmup=off",
        )
        return _program(place, options, {"STEADY_BENCHMARK": trial.identity.name})

    def reason(self, output: str) -> str:
        """Return the first line that pytest marks as an error; empty if none is."""
        marked = map(_ERROR.match, output.splitlines())
        return next((found[1] for found in marked if found), "")


def takes(command: Sequence[str]) -> bool:
    """Tell whether a command runs pytest."""
    return any(Path(word).name in ("pytest", "py.test") for word in command[:4])


def pytest_runs(settings: HarnessSettings) -> ProgramRuns:
    """Return what runs benchmarks of pytest; raise InputError for options that are for JMH."""
    refuse_foreign(settings, "pytest-benchmark")
    return ProgramRuns(PytestBenchmark(), settings)


def _program(place: Place, options: Sequence[str], variables: dict[str, str]) -> Program:
    words = place.command or ("pytest",)
    paths = (str(Path(__file__).parent), os.environ.get("PYTHONPATH", ""))
    return Program(
        (own_program(place.target, words[0]), *words[1:], *_QUIET, *options),
        place.target,
        {"PYTHONPATH": os.pathsep.join(filter(None, paths)), **variables},
    )
