"""asv: its results, and the command lines for a plan."""

from steady.harness.contract import Configuring, Harness, format_in
from steady.registry import OnRequest

_SOURCE = "asv 0.6: asv/results.py; asv_runner 0.2: benchmarks/time.py"

ASV = Harness(
    "asv",
    "asv",
    "asv (airspeed velocity), from its results",
    _SOURCE,
    fork="round",
    forks="rounds",
    formats=(
        format_in("asv.files", "asv", "asv's JSON of a commit, with --record-samples", _SOURCE),
    ),
    configuring=Configuring(
        "asv's command line for each benchmark",
        _SOURCE,
        OnRequest("steady.harness.asv.files:OPTIONS"),
        ("asv.txt",),
    ),
)
"""asv, the entry of `steady.harnesses.HARNESSES`."""
