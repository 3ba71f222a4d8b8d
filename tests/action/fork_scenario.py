"""A privileged job after the run of an untrusted pull request: GitHub's data, and artifacts."""

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from action_scenario import EVENT_FILE, Scenario
from standin import StandIn
from standin_runs import RUN, Runs, Storage, add_artifact, add_pull, add_run
from written_runs import NAMES, record, series

Files = Mapping[str, str | bytes]


def measured(factors: Mapping[str, float] | None = None, **more: Any) -> str:
    """Return JMH results of the benchmarks in `factors`; by default all, unchanged."""
    chosen = dict.fromkeys(NAMES, 1.0) if factors is None else factors
    records = [
        record(name, series(seed, 3, 20, factor), **more)
        for seed, (name, factor) in enumerate(chosen.items(), int(factors is None))
    ]
    return json.dumps(records)


def one(**more: Any) -> str:
    """Return JMH results of one benchmark."""
    return json.dumps([record(NAMES[0], series(1, 3, 20), **more)])


def raw(rows: Any) -> str:
    """Return JMH results of one benchmark with these measurements, one row per fork."""
    data = record(NAMES[0], [[1.0] * 20] * 3)
    data["primaryMetric"]["rawData"] = rows
    return json.dumps([data])


def results(**files: str | bytes) -> dict[str, str | bytes]:
    """Return the files of an artifact; ``head=...`` replaces ``head.json``."""
    given = {f"{name}.json": content for name, content in files.items()}
    return {"base.json": measured(), "head.json": measured(dict.fromkeys(NAMES, 1.0)), **given}


def packed(files: Files) -> bytes:
    """Return an artifact as downloaded from GitHub."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


@dataclass
class ForkScenario:
    """A workspace of the base repository, and a finished run of the fork."""

    scenario: Scenario
    github: StandIn
    storage: Storage

    def __post_init__(self) -> None:
        for path in (self.scenario.root / "results").iterdir():
            path.unlink()
        self.event({"workflow_run": {"id": RUN}})
        self.github.part(Runs).location = self.storage.url
        self.run = add_run(self.github)
        self.artifact = add_artifact(self.github)
        self.pull = add_pull(self.github)
        self.storage.content = packed(results())

    def event(self, content: Any) -> None:
        """Write the event's description."""
        (self.scenario.root / EVENT_FILE).write_text(json.dumps(content))

    def report(self, environ: Mapping[str, str | None] | None = None, **inputs: str) -> int:
        """Run mode ``report``, with a comment."""
        return self.scenario.run(
            {"mode": "report", "comment": "always", **inputs},
            {"GITHUB_EVENT_NAME": "workflow_run", **(environ or {})},
        )

    def files(self) -> set[str]:
        """Return every file around the workspace, by its path."""
        top: Path = self.scenario.root.parent
        return {path.relative_to(top).as_posix() for path in top.rglob("*") if not path.is_dir()}
