"""Reviewed transcripts of `steady run`.

Usage: PYTHONPATH=tests/engine python -m tests.engine.transcripts, which regenerates `transcripts`

A line that begins with ``$`` is executed in a folder with two jars and a plan. In addition to
``steady``, there are commands for the actions of a test:

    script NUMBER=ACTION ...    sets the behaviour of forks by number (`ScriptedHarness`)
    holds VERSION NAME ...      sets the benchmarks of a version
    write FILE TEXT             writes a file
    shows FOLDER                prints the forks, options and interleaved forks of a run
    files                       lists the folder
"""

import io
import os
import re
import shlex
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from scripted_commands import only_harness, stand_in_folder_of_jars
from scripted_harness import NAMES, ScriptedHarness, merged, run_file

from steady.cli import main
from steady.model import ExecutionConfiguration, Identity
from steady.optimize import write_plan
from tests.harness.program_trials import plan_of

FOLDER = Path(__file__).with_name("transcripts")


class Terminal:
    """A folder in which commands run, with the scripted harness as the only one."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.harness: ScriptedHarness = only_harness(monkeypatch)
        stand_in_folder_of_jars(monkeypatch, folder)
        how = ExecutionConfiguration(3, 2, 3, 1.0, 1.0)
        write_plan(plan_of("scripted", how, *NAMES[:3], seconds=16.5), Path(".steady/plan.json"))

    def typed(self, text: str) -> str:
        """Return the transcript of the commands of a scenario."""
        lines = [line for line in text.splitlines() if line.startswith(("$ ", "# "))]
        return "".join(
            f"{line}\n{self.answer(line[2:]) if line[0] == '$' else ''}" for line in lines
        )

    def answer(self, line: str) -> str:
        command, *words = shlex.split(line)
        others: dict[str, Callable[..., str]] = {
            "script": self.script, "holds": self.holds, "write": self.write, "shows": self.shows,
            "files": lambda: "".join(f"{path.name}\n" for path in sorted(Path().iterdir())),
        }  # fmt: skip
        return others[command](*words) if command in others else self.steady(*words)

    def steady(self, *words: str) -> str:
        with io.StringIO() as said, redirect_stdout(said), redirect_stderr(said):
            try:
                code = main([*words])
            except SystemExit as ended:
                code = int(ended.code or 0)
            text = said.getvalue().replace("\u00a0", " ").replace(os.sep, "/")
        timeless = re.sub(r"steady: .*( forks done, about | \(after ).*\n", "", text)
        return f"{timeless}exit code {code}\n"

    def script(self, *actions: str) -> str:
        pairs = (action.partition("=") for action in actions)
        self.harness.script = {int(number): what for number, _, what in pairs}
        return ""

    def holds(self, version: str, *names: str) -> str:
        self.harness.held[version] = tuple(map(Identity, names))
        return ""

    def write(self, name: str, text: str) -> str:
        Path(name).write_text(text)
        return ""

    def shows(self, folder: str) -> str:
        header = run_file(Path(folder))["header"]
        lines = []
        for version in header["versions"]:
            results = merged(Path(folder), version["name"])
            forks = ", ".join(f"{n} of {name}" for name, n in sorted(results["planned"].items()))
            lines.append(f"{version['name']}: {forks}; {len(results['in_turn'])} in turn")
        lines += [f"{key}: {value}" for key, value in header["described"].items()]
        lines.append(f"decided by: {', '.join(header.get('decides', {}))}")
        return "".join(f"{line}\n" for line in lines)


if __name__ == "__main__":
    for path in FOLDER.iterdir():
        with pytest.MonkeyPatch.context() as monkeypatch, tempfile.TemporaryDirectory() as own:
            path.write_text(Terminal(Path(own), monkeypatch).typed(path.read_text()))
