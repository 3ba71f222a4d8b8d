"""The action's outputs, declared once: what later steps may read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from steady.compare import Verdict

_COUNT = {"type": "integer"}
_VERDICTS = {
    "type": "enum",
    "allowed-values": [verdict.replace(" ", "-") for verdict in get_args(Verdict)],
}


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
        "`compare`, `report`: `not-comparable`, `regression`, `incomplete`, `acknowledged`, "
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
    Output("acknowledged", "`compare`, `report`: how many changes are acknowledged", _COUNT),
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
