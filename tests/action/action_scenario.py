"""A small workspace for the action: results of JMH, an event, command files."""

import io
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from github import Github
from standin import REPOSITORY, impatient
from written_runs import slower, write_full_run, write_run

from steady.action.confined import Confine, Work, ask_directly
from steady.action.one_run import run
from steady.github import connect
from steady.github.client import LONGEST_SECONDS, TIMEOUT_SECONDS, RetryBudget

TOKEN = "ghs_the-token-nobody-may-see"
EVENT_FILE = "event.json"


def here(work: Work, answers: Mapping[str, Callable[[], Any]]) -> Mapping[str, Any]:
    """Do the work in this process, without limits, with a JSON round trip of the result."""
    result: Mapping[str, Any] = json.loads(json.dumps(work(ask_directly(answers))))
    return result


def write_event(path: Path, *, fork: bool = False) -> None:
    """Write the event of pull request 7, with a title that must not be repeated."""
    head = "stranger/benchmarks" if fork else REPOSITORY
    event = {
        "repository": {"full_name": REPOSITORY, "default_branch": "main"},
        "pull_request": {
            "number": 7,
            "title": "\n::add-mask::x <!-- steady:default --> @everyone",
            "head": {"sha": "c" * 40, "repo": {"full_name": head}},
            "base": {"sha": "b" * 40, "repo": {"full_name": REPOSITORY}},
        },
    }
    path.write_text(json.dumps(event))


def runner_environ(api_url: str, root: str, event: str = "pull_request") -> dict[str, str]:
    """Return the environment set by GitHub's runner for workspace `root`."""
    return {
        "GITHUB_API_URL": api_url,
        "GITHUB_EVENT_NAME": event,
        "GITHUB_EVENT_PATH": f"{root}/{EVENT_FILE}",
        "GITHUB_REPOSITORY": REPOSITORY,
        "GITHUB_SHA": "a" * 40,
        "INPUT_TOKEN": TOKEN,
    }


@dataclass
class Scenario:
    """A workspace in which the action runs in this process.

    Attributes
    ----------
    log, outputs, summary : str
                Output of the last run.
    waits : list of float
        Seconds of each simulated wait.
    today : date
        The day of the run, in UTC.
    seconds, timeout : float
        Time limits for GitHub in total, and for one request.
    confine : callable
        By default, no child process is started, because that takes a second.
    """

    root: Path
    api_url: str
    log: str = ""
    outputs: dict[str, str] = field(default_factory=dict)
    summary: str = ""
    waits: list[float] = field(default_factory=list)
    today: date = date(2026, 11, 21)
    seconds: float = LONGEST_SECONDS
    timeout: float = TIMEOUT_SECONDS
    confine: Confine = here

    def __post_init__(self) -> None:
        write_run(self.root / "results/base.json")
        write_run(self.root / "results/head.json")
        write_event(self.root / EVENT_FILE)

    def slow(self, factor: float = 1.3) -> None:
        """Make one benchmark of head slower."""
        write_run(self.root / "results/head.json", slower(factor))

    def compare(self, environ: Mapping[str, str | None] | None = None, **inputs: str) -> int:
        """Run mode ``compare`` on the workspace, with a comment; None removes a variable."""
        usual = {"base": "results/base.json", "head": "results/head.json", "comment": "always"}
        return self.run({"mode": "compare", **usual, **inputs}, environ)

    def optimize(self, environ: Mapping[str, str | None] | None = None, **inputs: str) -> int:
        """Run mode ``optimize`` on a full run."""
        write_full_run(self.root / "results/full.json")
        results = {"results": "results/full.json"}
        return self.run({"mode": "optimize", **results, **inputs}, environ)

    def run(
        self, inputs: Mapping[str, str], environ: Mapping[str, str | None] | None = None
    ) -> int:
        """Run the action with `inputs`, with underscores in names for hyphens."""
        commands = {"GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary"}
        files = {name: self.root.parent / file for name, file in commands.items()}
        for file in files.values():
            file.write_text("")
        variables: dict[str, str | None] = {
            **runner_environ(self.api_url, str(self.root)),
            "GITHUB_WORKSPACE": str(self.root),
            **{name: str(file) for name, file in files.items()},
            **{f"INPUT_{name.upper().replace('_', '-')}": v for name, v in inputs.items()},
            **(environ or {}),
        }
        stream = io.StringIO()
        present = {name: value for name, value in variables.items() if value is not None}
        code = run(
            present,
            stream,
            self._connect,
            retries=RetryBudget(self.seconds, sleep=self.waits.append),
            today=self._day,
            confine=self.confine,
        )
        self.log = stream.getvalue()
        self.outputs = read_outputs(files["GITHUB_OUTPUT"].read_text(encoding="utf-8"))
        self.summary = files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
        return code

    def _day(self) -> date:
        return self.today

    def _connect(self, token: str, api_url: str) -> Github:
        return impatient(connect(token, api_url), self.timeout)


def sentences(page: Path) -> dict[str, str]:
    """Return the log lines quoted by a page, by the bold text above each."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^\*\*([^*\n]+?)\.?\*\*[^\n]*\n\n```text\n(.*?)\n```$", text, re.M | re.S)
    assert text.count("```text") == len(blocks)
    return dict(blocks)


def read_outputs(content: str) -> dict[str, str]:
    """Read outputs as actions/runner does (`FileCommandManager.cs`): name, ``<<``, delimiter."""
    outputs: dict[str, str] = {}
    lines = content.split("\n")
    while lines and lines[0]:
        name, _, delimiter = lines.pop(0).partition("<<")
        end = lines.index(delimiter)
        outputs[name] = "\n".join(lines[:end])
        del lines[: end + 1]
    return outputs


REGISTERED = {
    "add-mask", "add-matcher", "add-path", "debug", "echo", "endgroup", "error", "group",
    "internal-set-repo-path", "notice", "remove-matcher", "save-state", "set-env", "set-output",
    "stop-commands", "warning",
}  # fmt: skip

IGNORABLE = "\u200b\u200d\ufeff\u00ad"
"""Characters that a culture-sensitive comparison, such as .NET's `StartsWith`, ignores."""


def command_in(line: str) -> str | None:
    """Return the command that GitHub's runner would find in a line of the log.

    Parsed as by actions/runner (`ActionCommand.TryParseV2`, then `TryParse`).
    """
    trimmed = line.strip().lstrip(IGNORABLE)
    if trimmed.startswith("::") and "::" in trimmed[2:]:
        name = trimmed[2 : trimmed.index("::", 2)].split(" ")[0]
        if name.lower() in REGISTERED:
            return name.lower()
    start = line.find("##[")
    if start >= 0 and "]" in line[start:]:
        name = line[start + 3 : line.index("]", start)].split(" ")[0]
        if name.lower() in REGISTERED:
            return name.lower()
    return None


def commands_in(log: str) -> list[str]:
    """Return the names of the commands that GitHub's runner would find in a log."""
    return [name for line in re.split(r"[\r\n]", log) if (name := command_in(line))]
