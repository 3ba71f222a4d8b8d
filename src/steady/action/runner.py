"""Output to GitHub's runner: log lines, outputs, and the job summary."""

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO, get_args

from steady.compare import Verdict
from steady.report.ci import Severity
from steady.text.escape import command_data, log_line, visible

_VERDICTS = {
    "type": "enum",
    "allowed-values": [verdict.replace(" ", "-") for verdict in get_args(Verdict)],
}

SUMMARY_BYTES = 1024 * 1024
"""Maximum bytes of a step's summary; GitHub discards a larger one entirely."""

_CUT = "\n\nThe rest does not fit into a job summary; see the report.\n"


@dataclass(frozen=True, slots=True)
class Output:
    """The declaration of an output for later steps.

    Parameters
    ----------
    name, description : str
        Name and description for `action.yml` and the documentation.
    type : mapping
        Type for `action-types.yml`.
    """

    name: str
    description: str
    type: Mapping[str, Any] = field(default_factory=lambda: {"type": "string"})


def _counted(name: str, text: str) -> Output:
    return Output(name, f"`compare`, `report`: number of {text}", {"type": "integer"})


OUTPUTS = (
    Output(
        "verdict",
        "`compare`, `report`: `not-comparable`, `regression`, `incomplete`, `accepted`, "
        "`improvement`, `unclear` (no change detected, but some benchmarks are unclear), "
        "`unchanged` or `same-code` (identical code path in all benchmarks)",
        _VERDICTS,
    ),
    _counted("regressions", "benchmarks with a regression"),
    _counted("improvements", "benchmarks with an improvement"),
    _counted("unchanged", "unchanged benchmarks"),
    _counted("unclear", "unclear benchmarks (too noisy to tell, or with too few forks)"),
    _counted("accepted", "accepted changes"),
    _counted("missing", "benchmarks that failed or have no comparable results"),
    _counted("metric-regressions", "secondary metrics with a regression, such as allocated bytes"),
    Output("plan", "Path of the plan that was made or used; empty if there is none"),
    Output(
        "pull-request",
        "`optimize` with `commit: pull-request`: URL of the open pull request; empty if there "
        "is none",
    ),
    Output(
        "commit",
        "`optimize` with `commit`: hash of the pushed commit; empty if nothing was pushed",
    ),
    Output(
        "seconds-saved",
        "Seconds saved by the plan, relative to the project's own configuration (annotations or "
        "JMH's defaults), or to the full run if the results do not contain it",
    ),
    Output("report", "Path of the report: Markdown for `optimize`, otherwise HTML"),
)


def write_outputs(path: str, outputs: Mapping[str, str]) -> None:
    """Append outputs to the file at `path`, if given.

    Values are enclosed in unpredictable delimiter lines, so that no value can end itself and inject
    another output.
    """
    if not path:
        return
    with Path(path).open("a", encoding="utf-8", newline="\n") as file:
        for name, value in outputs.items():
            boundary = f"steady-{secrets.token_hex(16)}"
            file.write(f"{name}<<{boundary}\n{value}\n{boundary}\n")


def write_summary(path: str, markdown: str) -> None:
    """Append `markdown` to the job summary at `path`, truncated at a line if too long."""
    if not path:
        return
    file = Path(path)
    room = SUMMARY_BYTES - (file.stat().st_size if file.exists() else 0)
    data = markdown.encode()
    if len(data) > room:
        kept = data[: max(room - len(_CUT.encode()), 0)]
        data = kept[: kept.rfind(b"\n") + 1] + _CUT.encode()
        data = data if len(data) <= room else b""
    with file.open("ab") as stream:
        stream.write(data)


class Log:
    """The action's log.

    Parameters
    ----------
    stdout : text file
        Stream of the log. GitHub's runner interprets commands in any line, and a benchmark's
        name could contain one; see `log_line`.
    """

    def __init__(self, stdout: TextIO) -> None:
        self._stdout = stdout

    def say(self, text: str) -> None:
        """Print untrusted `text` as plain lines."""
        for line in text.splitlines():
            self._print(log_line(line))

    def annotate(self, level: Severity, text: str) -> None:
        """Print a notice, a warning or an error as an annotation."""
        self._print(f"::{level} title=steady::{command_data(text)}")

    def mask(self, secret: str) -> None:
        """Mask `secret` in all later output of GitHub's runner.

        Use it only if the runner reads the log: the runner removes this line, and others would not.
        """
        self._print(f"::add-mask::{command_data(secret)}")

    def commands(self, lines: Iterable[str]) -> None:
        """Print workflow commands, one per line; invalid ones are printed as plain text."""
        for line in lines:
            # Escaping lengthens a line, except for unusual spaces.
            whole = line.startswith("::") and len(line) == len(visible(line))
            self._print(line if whole else log_line(line))

    def _print(self, line: str) -> None:
        self._stdout.write(f"{line}\n")
        self._stdout.flush()
