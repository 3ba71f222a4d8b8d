"""Any command, with interleaved executions of base and head; and hyperfine's results."""

from steady.harness import contract
from steady.registry import OnRequest

_SOURCE = "hyperfine 1.20: src/hyperfine/export/json.rs"
_FORMAT = "hyperfine's JSON (--export-json)"

COMMAND = contract.Harness(
    "command",
    "",
    "any command, in check-outs of base and head",
    _SOURCE,
    fork="round",
    forks="rounds",
    formats=(contract.format_in("command.results", "hyperfine", _FORMAT, _SOURCE),),
    running=contract.only_by_command("command.runs", ("instructions",)),
    building=contract.Building(
        target="a folder in which the command runs", usual=".", words=("./command",)
    ),
    cost=contract.HarnessCost(
        fork_seconds=0.1,
        timed=False,
        lasting=OnRequest("steady.harness.command.results:execution_seconds"),
    ),
    score=contract.Score("hyperfine's mean of all executions", "mean"),
)
"""Any command, the entry of `steady.harnesses.HARNESSES`."""
