"""Trials as JSON, and the digest by which two schedules are told apart."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from steady.model import ExecutionConfiguration, Identity
from steady.run.trial import Trial


def trial_to_json(trial: Trial) -> dict[str, Any]:
    """Return a trial as JSON data."""
    return asdict(trial)


def trial_from_json(data: Mapping[str, Any]) -> Trial:
    """Return the trial that `trial_to_json` wrote.

    Raises
    ------
    KeyError, TypeError, ValueError
        If the data are of another form.
    """
    identity = data["identity"]
    return Trial(
        number=int(data["number"]),
        round=int(data["round"]),
        version=str(data["version"]),
        identity=Identity(
            identity["name"],
            identity["mode"],
            tuple((key, value) for key, value in identity["params"]),
            identity["threads"],
        ),
        configuration=ExecutionConfiguration(**data["configuration"]),
        seconds=float(data["seconds"]),
        timeout=float(data["timeout"]),
    )


def digest(trials: Iterable[Trial]) -> str:
    """Return the SHA-256 of a schedule.

    Timeouts and expected seconds do not belong to it: a run may go on with other patience.
    """
    data = [trial_to_json(trial) for trial in trials]
    for entry in data:
        del entry["seconds"], entry["timeout"]
    text = json.dumps(data, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
