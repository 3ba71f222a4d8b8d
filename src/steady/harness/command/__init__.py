"""Any command, executed by base and head in turn; and hyperfine's results."""

from __future__ import annotations

from steady.harness.contract import Building, Format, Harness, HarnessCost, Running, Score
from steady.registry import OnRequest, Registered

_SOURCE = "hyperfine 1.20: src/hyperfine/export/json.rs"

COMMAND = Harness(
    "command",
    "",
    "any command, in check-outs of base and head",
    _SOURCE,
    fork="round",
    forks="rounds",
    formats=(
        Registered(
            "hyperfine",
            "hyperfine's JSON (--export-json)",
            _SOURCE,
            Format(
                OnRequest("steady.harness.command.results:recognizes"),
                OnRequest("steady.harness.command.results:read"),
            ),
        ),
    ),
    running=Running(
        OnRequest("steady.programs.program_runs:holds_nothing"),
        OnRequest("steady.harness.command.runs:command_runs"),
        takes=OnRequest("steady.harness.command.runs:takes"),
        counts=("instructions",),
    ),
    building=Building(target="a folder in which the command runs", usual=".", words=("./command",)),
    cost=HarnessCost(
        fork_seconds=0.1,
        timed=False,
        lasting=OnRequest("steady.harness.command.results:execution_seconds"),
    ),
    score=Score("hyperfine's mean of all executions", "mean"),
)
"""Any command, as `steady.harness.HARNESSES` has it."""
