"""The action's outputs, declared once; and the files through which GitHub's runner takes them."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from steady.compare import Verdict

_COUNT = {"type": "integer"}
_VERDICTS = {
    "type": "enum",
    "allowed-values": [verdict.replace(" ", "-") for verdict in get_args(Verdict)],
}

SUMMARY_BYTES = 1024 * 1024
"""The most that GitHub keeps of one step's summary; a larger one is dropped whole."""

_CUT = "\n\nThe rest does not fit into a job summary; it stands in the report.\n"


@dataclass(frozen=True, slots=True)
class Output:
    """What later steps may read.

    Parameters
    ----------
    name, description : str
        As `action.yml` and the README's table say it.
    type : mapping
        What `action-types.yml` says.
    """

    name: str
    description: str
    type: Mapping[str, Any] = field(default_factory=lambda: {"type": "string"})


OUTPUTS = (
    Output(
        "verdict",
        "`compare`, `report`: `not-comparable`, `regression`, `incomplete`, `accepted`, "
        "`improvement`, `unclear` (no change found, and some could not be told), `unchanged` or "
        "`same-code` (nothing that the benchmarks run has changed)",
        _VERDICTS,
    ),
    Output("regressions", "`compare`, `report`: how many benchmarks became worse", _COUNT),
    Output("improvements", "`compare`, `report`: how many benchmarks became better", _COUNT),
    Output(
        "unchanged", "`compare`, `report`: how many benchmarks surely stayed as they were", _COUNT
    ),
    Output(
        "unclear",
        "`compare`, `report`: how many benchmarks were too noisy, or ran too little, to tell",
        _COUNT,
    ),
    Output("accepted", "`compare`, `report`: how many changes are accepted", _COUNT),
    Output(
        "missing",
        "`compare`, `report`: how many benchmarks failed, or left no result to compare",
        _COUNT,
    ),
    Output(
        "metric-regressions",
        "`compare`, `report`: how many further results became worse, such as bytes allocated",
        _COUNT,
    ),
    Output("plan", "Path of the plan that was made or used; empty where there is none"),
    Output(
        "pull-request",
        "`optimize` with `commit: pull-request`: address of the open pull request; empty where "
        "there is none",
    ),
    Output(
        "commit",
        "`optimize` with `commit`: hash of the commit that was pushed; empty where nothing was",
    ),
    Output(
        "seconds-saved",
        "Seconds that the plan's run takes less than what the project runs today (its annotations "
        "or JMH's defaults), or less than the full run where the results do not tell",
    ),
    Output("report", "Path of the report: Markdown for `optimize`, otherwise a page"),
    Output(
        "history",
        "`record` with `history: artifact:NAME`: the folder to upload as that artifact; empty "
        "where nothing was recorded",
    ),
)


def write_outputs(path: str, outputs: Mapping[str, str]) -> None:
    """Append outputs to the file at `path`; nothing where no path is given.

    Each value stands between two lines that nobody can have guessed, so that no value can end
    itself and begin another output.
    """
    if not path:
        return
    with Path(path).open("a", encoding="utf-8", newline="\n") as file:
        for name, value in outputs.items():
            boundary = f"steady-{secrets.token_hex(16)}"
            file.write(f"{name}<<{boundary}\n{value}\n{boundary}\n")


def write_summary(path: str, markdown: str) -> None:
    """Append `markdown` to the job summary at `path`, cut at a line where it would not fit."""
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
