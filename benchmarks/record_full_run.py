"""Record a full run of a JMH suite in parts, on a machine with other load in between.

::

    python -m benchmarks.record_full_run benchmarks.jar --out recorded --only names.txt --most 6

Each call runs a few forks, one at a time, and exits with 0 if none remain, or with 3 if the call
has to be repeated. The order is round by round: the first fork of every benchmark, then the second
of every benchmark, and so on, so that a slow period of the machine affects all benchmarks. The
first and the last fork are controls, of the benchmark listed last: they show whether the speed of
the machine changed, and are not part of the results.

Existing forks are not repeated. ``forks/`` contains the JSON of each fork, with its start and
duration in a second file. The call that runs the last fork joins them as `steady run --full` does:
``results.json``, ``control.json``, and a file for each half of the rounds, ``forks-1-5.json`` and
``forks-6-10.json``; ``forks.json`` lists the forks by their start. ``--without`` omits rounds in
which the machine had other load, and ``--first`` puts them into one half: always complete rounds,
chosen by the load and not by the measurements. ``packed/`` has the halves and the control with
`DIGITS` significant digits, compressed, as the demo keeps them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from benchmarks.record_demo import rounded
from steady.errors import InputError
from steady.files import json_text, read_json, write_bytes, write_text
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.runs import ForkResult, RunFacts
from steady.harness.trial import Trial, Version
from steady.model import ExecutionConfiguration, Identity, Spent

MORE = 3
"""Exit code if forks remain."""

_VERSION = "results"


class Started(Struct, frozen=True, forbid_unknown_fields=True):
    """Start and duration of a fork.

    Parameters
    ----------
    benchmark : str
        Label of its benchmark.
    round : int
        From 1; 0 for the control at the beginning, and one more than the last round for that at
        the end.
    start : str
        Start in UTC, to the second.
    seconds : float
        Seconds from its start to its end.
    iteration_seconds : float or None
        Seconds from the start of its first iteration to the end of its last.
    """

    benchmark: str
    round: int
    start: str
    seconds: float
    iteration_seconds: float | None


@dataclass(frozen=True)
class Fork:
    """One fork of the schedule, and its files."""

    folder: Path
    trial: Trial

    @property
    def result(self) -> Path:
        """JMH's JSON."""
        return self.folder / f"{self.trial.round:02}-{self.trial.number:03}.json"

    @property
    def beside(self) -> Path:
        """File with its start; written last, so it marks a complete fork."""
        return self.result.with_suffix(".start.json")

    @property
    def started(self) -> Started:
        """When it started, and how long it took."""
        return read_json(self.beside, Started, what="a recorded fork", remedy="record it again")

    @property
    def kept(self) -> ForkResult:
        """Its result, to be merged with others."""
        started = self.started
        spent = Spent(started.seconds, started.iteration_seconds)
        return ForkResult(self.trial, str(self.trial.round), self.result, spent)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run some of the remaining forks; merge all forks if none remain."""
    options = _parser().parse_args(arguments)
    harness, version = JmhRuns(), Version(_VERSION, options.jar)
    harness.check([version])
    names = [line for line in options.only.read_text("utf-8").splitlines() if line.strip()]
    identities = [_named(name, harness.benchmarks(version)) for name in names]
    one = ExecutionConfiguration(1, 0, options.iterations, options.seconds, options.seconds)
    forks = schedule(identities, options.forks, one, options.out / "forks")
    waiting = [fork for fork in forks if not fork.beside.exists()]
    if waiting:
        if options.nice:
            os.setpriority(os.PRIO_PROCESS, 0, options.nice)  # inherited by child processes
        measure(harness, version, waiting[: options.most])
    left = len(waiting[options.most :])
    print(f"{len(forks) - left} of {len(forks)} forks are there", flush=True)
    if left:
        return MORE
    last = forks[-1].trial.round
    kept = [number for number in range(1, last) if number not in options.without]
    first = options.first or kept[: len(kept) // 2]
    halves = (first, [number for number in kept if number not in first])
    join(harness, version, forks, options.out, halves)
    return 0


def schedule(
    identities: Sequence[Identity], rounds: int, one: ExecutionConfiguration, folder: Path
) -> list[Fork]:
    """Return all forks in order: the control, the rounds, and the control again."""
    control = identities[-1]
    order = [(0, control)]
    order += [(number, identity) for number in range(1, rounds + 1) for identity in identities]
    order.append((rounds + 1, control))
    expected = one.iterations * one.iteration_seconds
    return [
        Fork(folder, Trial(n, turn, _VERSION, identity, one, expected, 10 * expected + 60))
        for n, (turn, identity) in enumerate(order)
    ]


def measure(harness: JmhRuns, version: Version, forks: Sequence[Fork]) -> None:
    """Run forks, one at a time."""
    with TemporaryDirectory() as scratch, harness.open([version], Path(scratch)) as session:
        for fork in forks:
            fork.folder.mkdir(parents=True, exist_ok=True)
            start, began = datetime.now(UTC), time.monotonic()
            iterations = session.measure(fork.trial, fork.result)
            label, seconds = fork.trial.identity.label, time.monotonic() - began
            when = start.isoformat(timespec="seconds")
            started = Started(label, fork.trial.round, when, round(seconds, 3), iterations)
            write_text(fork.beside, json_text(started))
            print(f"round {fork.trial.round}: {label}, {seconds:.1f} s", flush=True)


def join(
    harness: JmhRuns,
    version: Version,
    forks: Sequence[Fork],
    out: Path,
    halves: tuple[Sequence[int], Sequence[int]],
) -> None:
    """Write one file for the results, one for each half and the control, and the list of forks."""
    facts = RunFacts({}, harness.declared(version), whole=True)
    rounds = [*halves[0], *halves[1]]
    half = len(halves[0])
    parts = {
        "results": rounds,
        f"forks-1-{half}": halves[0],
        f"forks-{half + 1}-{len(rounds)}": halves[1],
        "control": [0, forks[-1].trial.round],
    }
    for name, chosen in parts.items():
        kept = [fork.kept for fork in forks if fork.trial.round in chosen]
        write_bytes(out / f"{name}.json", harness.merge(kept, facts))
    write_text(out / "forks.json", json_text([fork.started for fork in forks]))
    for name in list(parts)[1:]:
        pack(out / f"{name}.json", out / "packed")


def pack(path: Path, folder: Path) -> None:
    """Write a compressed JSON file with fewer digits; the bytes are deterministic."""
    text = json.dumps(rounded(json.loads(path.read_bytes())), separators=(",", ":"))
    write_bytes(folder / f"{path.name}.gz", gzip.compress(text.encode(), 9, mtime=0))


def _named(name: str, identities: Sequence[Identity]) -> Identity:
    found = [one for one in identities if one.label == name or one.label.endswith(f".{name}")]
    if len(found) != 1:
        raise InputError(f"{len(found)} benchmarks are called {name!r}; see `steady run --list`")
    return found[0]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("jar", type=Path, help="a jar with benchmarks and JMH")
    parser.add_argument("--out", type=Path, required=True, help="where the forks go")
    parser.add_argument(
        "--only", type=Path, required=True, help="a file with a benchmark a line, as --list says"
    )
    parser.add_argument("--forks", type=int, default=10)
    parser.add_argument("--iterations", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=0.1, help="of an iteration")
    parser.add_argument(
        "--without", type=int, nargs="*", default=(), help="rounds that are not joined"
    )
    parser.add_argument(
        "--first", type=int, nargs="*", help="rounds of the first half (default: the earlier ones)"
    )
    parser.add_argument("--nice", type=int, help="niceness of the forks, such as -15")
    parser.add_argument("--most", type=int, default=3, help="forks that this call runs")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
