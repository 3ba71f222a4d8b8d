"""Feed mutated inputs to every target for some minutes, and keep what fails.

Usage: python -m tests.fuzz --minutes N [--seed S] [--jobs N] [--only TARGET ...] [--out FOLDER]
       python -m tests.fuzz --only TARGET --replay FILE
"""

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from tests.fuzz import BEGAN
from tests.fuzz.targets import targets
from tests.fuzz.worker import SECONDS, Counted, Finding, make_input, try_input, work

_CONTEXT = get_context("spawn")

SILENCE = 60 * SECONDS
"""Seconds by the clock after which a worker that says nothing is given up."""


@dataclass
class Worker:
    """A process, and how far it has come."""

    process: BaseProcess
    connection: Connection
    here: Any
    following: dict[str, int]
    heard: float = field(default_factory=time.monotonic)
    ready: bool = False


@dataclass
class Driver:
    """All workers, and what they have reported.

    Parameters
    ----------
    names : sequence of str
        Targets.
    seed, jobs : int
        Of the inputs; number of workers.
    out : Path
        Folder that gets the inputs that failed.
    """

    names: Sequence[str]
    seed: int
    jobs: int
    out: Path
    inputs: dict[str, int] = field(default_factory=dict)
    memory: dict[str, int] = field(default_factory=dict)
    findings: dict[tuple[str, str, str], Finding] = field(default_factory=dict)

    def run(self, end: float) -> None:
        """Read inputs until the clock (`time.monotonic`) says so, however slow the machine is."""
        self.inputs = dict.fromkeys(self.names, 0)
        workers = [self._start(dict.fromkeys(self.names, n)) for n in range(self.jobs)]
        try:
            while time.monotonic() < end:
                self._listen(workers)
        finally:
            for worker in workers:
                worker.process.kill()
                worker.process.join()

    def _start(self, starts: dict[str, int]) -> Worker:
        ours, theirs = _CONTEXT.Pipe(duplex=False)
        here = _CONTEXT.Value("q", 0)
        arguments = (theirs, here, starts, self.seed, self.jobs)
        process = _CONTEXT.Process(target=work, args=arguments, daemon=True)
        process.start()
        theirs.close()
        return Worker(process, ours, here, starts)

    def _listen(self, workers: list[Worker]) -> None:
        ready = wait([worker.connection for worker in workers], timeout=1)
        for index, worker in enumerate(workers):
            if worker.connection in ready:
                worker.heard = time.monotonic()
                try:
                    self._take(worker, worker.connection.recv())
                except EOFError:
                    workers[index] = self._replace(worker, "ended")
            elif time.monotonic() - worker.heard > SILENCE:
                workers[index] = self._replace(worker, "slow")

    def _take(self, worker: Worker, message: Counted | Finding | str) -> None:
        if isinstance(message, Finding):
            self._keep(message)
        elif isinstance(message, Counted):
            self.inputs[message.target] += message.inputs
            self.memory[message.target] = max(self.memory.get(message.target, 0), message.memory)
            worker.following[message.target] = message.following
        else:
            worker.ready = True

    def _replace(self, worker: Worker, kind: str) -> Worker:
        """Blame the input that was being read, and go on behind it with a new worker."""
        worker.process.kill()
        worker.process.join()
        number, index = divmod(worker.here.value, len(self.names))
        name = self.names[index]
        if not worker.ready:
            raise RuntimeError("a worker ended before its first input; its message stands above")
        text = f"the process ended: exit code {worker.process.exitcode}"
        self._keep(Finding(name, number, kind, "", text))
        return self._start({**worker.following, name: number + self.jobs})

    def _keep(self, finding: Finding) -> None:
        """Save an input, unless one that failed at the same place is there already."""
        defect = (finding.target, finding.kind, finding.place)
        if defect in self.findings:
            return
        self.findings[defect] = finding
        self.out.mkdir(parents=True, exist_ok=True)
        path = self.out / f"{finding.target}-{finding.kind}-{self.seed}-{finding.number}"
        path.write_bytes(make_input(targets()[finding.target], self.seed, finding.number))
        path.with_name(path.name + ".txt").write_text(finding.text, errors="backslashreplace")
        print(f"{finding.target}: {finding.kind} at {finding.place}: {path}", flush=True)


def table(driver: Driver) -> str:
    """Return inputs, the most memory of one in MiB, and findings of each target, as Markdown."""
    rows = [f"| target | inputs of seed {driver.seed} | MiB | found |", "|:--|--:|--:|--:|"]
    for name in driver.names:
        found = sum(target == name for target, _, _ in driver.findings)
        memory = driver.memory.get(name, 0) / 2**20
        rows.append(f"| {name} | {driver.inputs[name]:,} | {memory:.0f} | {found} |")
    total, most = sum(driver.inputs.values()), max(driver.memory.values(), default=0) / 2**20
    return "\n".join([*rows, f"| all | {total:,} | {most:.0f} | {len(driver.findings)} |"])


def main(argv: Sequence[str] | None = None, began: float | None = None) -> int:
    """Run; 1 where something was found. The time counts since it `began`, by default now."""
    began = time.monotonic() if began is None else began
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--only", nargs="+", choices=list(targets()), default=list(targets()))
    parser.add_argument("--out", type=Path, default=Path(".fuzz"))
    parser.add_argument("--replay", type=Path, help="a file to read once")
    arguments = parser.parse_args(argv)
    if arguments.replay is not None:
        findings = [
            finding
            for name in arguments.only
            if (finding := try_input(targets()[name], arguments.replay.read_bytes())) is not None
        ]
        print("\n".join(finding.text for finding in findings) or "nothing found")
        return 1 if findings else 0
    driver = Driver(arguments.only, arguments.seed, arguments.jobs, arguments.out)
    driver.run(began + 60 * arguments.minutes)
    print(table(driver))
    if not any(driver.inputs.values()):
        print("nothing was read: the workers needed all of the time to start; give more minutes")
        return 1
    return 1 if driver.findings else 0


if __name__ == "__main__":
    sys.exit(main(began=BEGAN))
