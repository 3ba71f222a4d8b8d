"""List the benchmarks of a pyperf script, and run one of them in a worker process."""

import json
import math
import re
from collections.abc import Sequence
from pathlib import Path

from steady.errors import InputError
from steady.harness.fields import quoted
from steady.harness.pyperf import results
from steady.harness.runs import ForkResult, HarnessSettings, RunFacts
from steady.harness.trial import Trial, TrialError
from steady.model import ExecutionConfiguration, Identity
from steady.programs.entries_format import noted
from steady.programs.option_file import OptionFile
from steady.programs.process import Program, program_in, run_folder, written_list
from steady.programs.program_kind import Place, ProgramKind
from steady.programs.program_runs import ProgramRuns, refuse_foreign
from steady.readers import open_document
from steady.safe_open import read_regular

_VALUE_SECONDS = 0.005
"""Minimum duration of a value, and half of the maximum, so that each turn has several."""
_GLIMPSE = 40
"""Number of values for observing the files that a benchmark reads."""
_IMPORTS = re.compile(rb"^[ \t]*+(?:import|from)\b[^\n#]*\bpyperf\b", re.MULTILINE)
_LONGEST_SCRIPT = 2**20
_OURS = frozenset(
    {
        *("-o", "--output", "--append", "--pipe", "--worker", "--worker-task", "--compare-to"),
        *("--fast", "--rigorous", "--debug-single-value", "--calibrate-loops", "--profile"),
    }
)
"""Options of pyperf that set its duration or its output."""

_NEARLY = 1.2

_Calibrated = dict[str, tuple[int, float]]
"""Loops of a value, and their duration in seconds, by benchmark name."""


class Pyperf(ProgramKind):
    """pyperf, in a folder whose own environment may contain Python."""

    title = "pyperf"
    format = results.FORMAT
    runner = "the script"
    command_missing = "give the command that runs in both folders after --, such as python bench.py"
    scripts = ("pyperf",)
    names_only = ""
    asks = "/pyperf/_collect_metadata.py"

    def __init__(self) -> None:
        self.calibrated: dict[Place, _Calibrated] = {}

    def listed(self, place: Place) -> Sequence[Identity]:
        """List the benchmarks of a script, and calibrate the number of loops of each.

        One process calibrates all of them, in the same way as pyperf.
        """
        once = ("--calibrate-loops", f"--min-time={_VALUE_SECONDS}", "--values=2", "--warmups=0")
        with written_list(
            lambda file: _program(place, *once, f"--output={file}"),
            place.target,
            cannot=f"{quoted(' '.join(place.command))} cannot list its benchmarks",
            install="Python and pyperf there",
            reason=_why_nothing,
        ) as file:
            self.calibrated[place] = results.calibrated(open_document(file))
        return tuple(map(Identity, self.calibrated[place]))

    def program(self, place: Place, trial: Trial, result: Path) -> Program:
        """Return the program that runs one benchmark for the duration of all its iterations."""
        how = trial.configuration
        option, loops, seconds = self._task(place, trial.identity.name)
        result.unlink(missing_ok=True)  # pyperf does not overwrite a file
        each = max(round(how.iteration_seconds / seconds), 1) if seconds else 1
        return _program(
            place,
            option,
            f"--loops={loops}",
            f"--warmups={how.warmup_iterations * each}",
            f"--values={how.iterations * each}",
            f"--output={result.resolve()}",
        )

    def glimpse(self, place: Place, identity: Identity) -> Program:
        """Return the program that runs one benchmark for a short time without results."""
        option, loops, _ = self._task(place, identity.name)
        return _program(place, option, f"--loops={loops}", "--warmups=0", f"--values={_GLIMPSE}")

    def counting(self, place: Place, identity: Identity, file: Path, library: str) -> Program:  # noqa: ARG002
        """Return the program that runs one benchmark once and traces its allocations."""
        option, *_ = self._task(place, identity.name)
        once = ("--loops=1", "--warmups=0", "--values=1")
        return _program(place, option, "--tracemalloc", *once, f"--output={file}")

    def counted(self, file: Path) -> float:
        """Return the peak of allocated bytes."""
        return float(json.loads(read_regular(file))[results.KEY][0]["runs"][0]["values"][0])

    def _task(self, place: Place, name: str) -> tuple[str, int, float]:
        """Return the option for one benchmark, its loops, and their duration in seconds."""
        if place not in self.calibrated:
            self.listed(place)
        known = self.calibrated[place]
        if name not in known:
            raise TrialError("its script no longer contains it")
        option = f"--worker-task={list(known).index(name)}"
        return (option, *self._like_the_other(name, known[name]))

    def _like_the_other(self, name: str, own: tuple[int, float]) -> tuple[int, float]:
        """Return the same loops for both versions if they hardly differ, for pyperf's t-test."""
        found = (one[name] for one in self.calibrated.values() if name in one)
        least, most = _per_loop(own) / _NEARLY, _per_loop(own) * _NEARLY
        return min((one for one in found if least <= _per_loop(one) <= most), key=_per_loop)

    def reason(self, output: str) -> str:  # noqa: ARG002
        """Return an empty text: the last line is the reason, as Python writes errors."""
        return ""


class PyperfRuns(ProgramRuns):
    """The runs of pyperf's scripts; see `steady.harness.runs.Runs`."""

    kind: Pyperf

    def operation_seconds(self, identity: Identity) -> float:
        """Return the duration of one loop in the slower version; NaN if unknown."""
        known = [
            one[identity.name] for one in self.kind.calibrated.values() if identity.name in one
        ]
        return max((seconds / loops for loops, seconds in known), default=math.nan)

    def merge(self, results_of: Sequence[ForkResult], facts: RunFacts) -> bytes:
        """Join the forks of one version into one file, with one entry for each benchmark."""
        return results.written(
            run | noted(fork, facts, document)
            for fork in results_of
            for document in [json.loads(fork.path.read_bytes())]
            for run in results.plain_runs(document)
        )

    def join(self, merged: Sequence[Path]) -> bytes:
        """Join merged files into one."""
        documents = (json.loads(path.read_bytes()) for path in merged)
        return results.written(run for one in documents for run in results.plain_runs(one))


def takes(command: Sequence[str], folder: Path) -> bool:
    """Return whether a command runs pyperf, or a script that imports it."""
    words = command[:4]
    return any(Path(word).name == "pyperf" for word in words) or any(
        _imports(run_folder(folder) / word) for word in words if word.endswith(".py")
    )


def make_runs(settings: HarnessSettings) -> PyperfRuns:
    """Return the runs of pyperf; raise InputError for options that steady sets itself."""
    refuse_foreign(settings, Pyperf.title)
    words = settings.command
    given = next((word for word in words if word.partition("=")[0] in _OURS), None)
    if given is not None:
        raise InputError(f"leave out {given}: steady sets how long pyperf runs and where it writes")
    if "command" in words[1:4] and any(Path(word).name == "pyperf" for word in words[:3]):
        raise InputError("leave out `pyperf command`: steady runs any command itself")
    return PyperfRuns(Pyperf(), settings)


def _words(_: Identity, how: ExecutionConfiguration) -> list[str]:
    """Return the options that make a script run all processes of its benchmarks."""
    return [
        f"--processes={how.forks}",
        f"--warmups={how.warmup_iterations}",
        f"--values={how.iterations}",
        f"--min-time={how.iteration_seconds:g}",
    ]


_HEAD = """\
# Options of the plan for pyperf, one line for each benchmark. A script takes one line for all its
# benchmarks: use the longest. `steady run --plan` runs each benchmark by itself, and interleaves
# base and head.
"""

OPTIONS = OptionFile("pyperf", "pyperf.txt", _HEAD, _words, "{name}")
"""A plan as options of pyperf."""


def _why_nothing(output: str) -> str:
    """Return the last line of the output of a script that listed no benchmarks."""
    said = next(reversed(output.split("\n")[-2:-1]), "").strip()
    return said or "it ends without results; is it a pyperf script?"


def _imports(script: Path) -> bool:
    try:
        with script.open("rb") as file:
            return _IMPORTS.search(file.read(_LONGEST_SCRIPT)) is not None
    except (OSError, ValueError):
        return False


def _per_loop(one: tuple[int, float]) -> float:
    loops, seconds = one
    return seconds / loops


def _program(place: Place, *options: str) -> Program:
    return program_in(place.target, (*place.command, "--worker", *options))
