"""List the benchmarks of tinybench and vitest, and run one of them."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path

from steady.harness.tinybench.results import FORMAT
from steady.harness.trial import Trial
from steady.model import Identity
from steady.programs.process import Program, written_list
from steady.programs.program_kind import Place, ProgramKind
from steady.programs.program_runs import runs_of

_PLUGIN = Path(__file__).resolve().parent / "plugin" / "steady_tinybench.mjs"
_REASON = re.compile(
    r"^(?:\w*Error(?: \[\w+\])?: \S.*|No (?:benchmark|test) files found.*|.*: bad option: .*)$",
    re.MULTILINE,
)
_OF_VITEST = ("--run", "--pool=forks", "--testTimeout=0", "--coverage.enabled=false")
"""One process, without time limit and coverage."""


class Tinybench(ProgramKind):
    """A command that runs tinybench in a Node process, with or without vitest."""

    title = "tinybench"
    format = FORMAT
    runner = "node"
    command_missing = (
        "tinybench has no command of its own; give yours after --, such as "
        "-- npx vitest bench, or -- node bench.mjs"
    )

    def listed(self, place: Place) -> Sequence[Identity]:
        """List the tasks of tinybench; each runs once for this."""

        def program(file: Path) -> Program:
            file.touch()  # each task adds a line to it
            return _program(place, {"STEADY_LISTING": str(file)})

        with written_list(
            program,
            place.target,
            cannot="cannot list its benchmarks",
            install="node, and what the benchmarks need (npm ci)",
            reason=self.reason,
        ) as file:
            lines = file.read_text(encoding="utf-8").splitlines()
        return tuple(Identity(json.loads(line)) for line in dict.fromkeys(lines))

    def program(self, place: Place, trial: Trial, result: Path) -> Program:
        """Return the program that runs one benchmark: a run of tinybench for each iteration."""
        how, name = trial.configuration, trial.identity.name
        variables = {
            "STEADY_BENCHMARK": name,
            "STEADY_RESULT": str(result.resolve()),
            "STEADY_RUNS": str(how.warmup_iterations + how.iterations),
            "STEADY_MILLISECONDS": f"{how.iteration_seconds * 1000:g}",
        }
        return _program(place, variables, file=name.partition(" > ")[0])

    def reason(self, output: str) -> str:
        """Return the first error that Node or vitest shows; empty if there is none."""
        found = _REASON.search(output)
        return found[0].strip() if found else ""


def takes(command: Sequence[str], folder: Path) -> bool:  # noqa: ARG001
    """Return whether a command runs ``vitest bench``, or names tinybench."""
    names = [Path(word).name for word in command]
    return ("vitest" in names and "bench" in names) or any("tinybench" in one for one in names)


make_runs = runs_of(Tinybench)


def _program(place: Place, variables: Mapping[str, str], file: str = "") -> Program:
    words = list(place.command)
    if words[0] == "npx" and _installed(place.target, words[1:2]):
        del words[0]  # npx would find the same program, but takes half a second
    if own := _installed(place.target, words[:1]):
        words[0] = own
    if takes(words, place.target) and "bench" in words:
        at = words.index("bench") + 1
        if file:  # so that no other file is loaded
            filters = list(takewhile(lambda word: not word.startswith("-"), words[at:]))
            words[at : at + len(filters)] = [str((place.target / file).absolute())]
        words += _OF_VITEST
    options = (os.environ.get("NODE_OPTIONS", ""), f"--import={_PLUGIN.as_uri()}")
    return Program(
        tuple(words),
        place.target,
        {"NODE_OPTIONS": " ".join(filter(None, options)), "NO_COLOR": "1", **variables},
    )


def _installed(folder: Path, words: Sequence[str]) -> str:
    """Return the program that npm installed for a word; empty if there is none."""
    own = folder / "node_modules" / ".bin" / "".join(words)
    return str(own.absolute()) if words and own.is_file() else ""
