"""Programs that print a line for each measurement, ``name nanoseconds``, as a harness of steady."""

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from steady.errors import InputError
from steady.harness.contract import Building, Format, Harness, Running, Score
from steady.harness.fork_facts import NO_FACTS, ForkFacts, as_text, facts_in_text, of_forks
from steady.harness.runs import ForkResult, HarnessSettings, RunFacts, Runs, Session, identities_in
from steady.harness.search import EVERYTHING, Search
from steady.harness.suite_builder import stacked
from steady.harness.trial import Trial, TrialError, Version
from steady.model import Benchmark, Identity, Level, Suite
from steady.readers import Document, open_document
from steady.registry import Registered

FORK = "# fork "  # then facts, such as the round, by which forks of base and head are paired
LEVELS = (Level("process"), Level("iteration"))


def recognizes(document: Document) -> bool:
    """Return whether a file was written by `LinesRuns.merge`."""
    return document.text.startswith(FORK)


def begins(data: bytes) -> bool:
    """Return the same for the beginning of a text file in a folder."""
    return data.startswith(FORK.encode())


def read(document: Document) -> Suite:
    """Read a file as a suite: an array for each benchmark, with a row for each fork."""
    values: dict[str, dict[ForkFacts, list[float]]] = {}
    facts = NO_FACTS
    for number, line in enumerate(document.text.splitlines(), start=1):
        if line.startswith(FORK):
            facts = facts_in_text(line.removeprefix(FORK), document.source, number)
            continue
        name, _, text = line.rpartition(" ")
        try:
            values.setdefault(name, {}).setdefault(facts, []).append(float(text))
        except ValueError:
            raise InputError(f"line {number} has no number", source=document.source) from None
    benchmarks = tuple(_benchmark(name, forks) for name, forks in values.items())
    return Suite(benchmarks, harness="lines", sources=(document.source,))


def _benchmark(name: str, forks: Mapping[ForkFacts, Sequence[float]]) -> Benchmark:
    table = stacked([np.array(measured) for measured in forks.values()])
    return Benchmark(Identity(name), "ns/op", table, LEVELS, **of_forks(tuple(forks)))


class LinesRuns(Runs):
    """The harness's runs; `Runs` has defaults for everything else."""

    name = "lines"
    suffix = ".txt"

    def check(self, versions: Sequence[Version]) -> None:
        for version in versions:
            if not version.target.is_file():
                raise InputError("is not a program", source=version.target)

    def benchmarks(self, version: Version, search: Search = EVERYTHING) -> Sequence[Identity]:
        return tuple(map(Identity, _output(version.target, "list").splitlines()))

    @contextmanager
    def open(self, versions: Sequence[Version], scratch: Path) -> Iterator[Session]:
        yield LinesSession({version.name: version.target for version in versions})

    def merge(self, results: Sequence[ForkResult], facts: RunFacts) -> bytes:
        return "".join(f"{FORK}{as_text(r, facts)}\n{r.path.read_text()}" for r in results).encode()

    def measured(self, merged: Path) -> Sequence[Identity]:
        return identities_in(read(open_document(merged)))

    def join(self, merged: Sequence[Path]) -> bytes:
        return b"".join(path.read_bytes() for path in merged)


class LinesSession(Session):
    """Runs one fork after the other."""

    def __init__(self, targets: Mapping[str, Path]) -> None:
        self._targets = targets

    def measure(self, trial: Trial, result: Path) -> None:
        how = trial.configuration
        count = how.warmup_iterations + how.iterations
        words = ("run", trial.identity.name, str(count), str(how.iteration_seconds))
        lines = _output(self._targets[trial.version], *words, timeout=trial.timeout).splitlines()
        kept = lines[how.warmup_iterations :]
        if not kept:
            raise TrialError("it printed no measurement")
        result.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")


def _output(program: Path, *words: str, timeout: float = 60) -> str:
    line = [str(program.resolve()), *words]
    try:
        done = subprocess.run(line, capture_output=True, text=True, timeout=timeout, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise TrialError(str(error)) from None
    return done.stdout


def make(settings: HarnessSettings) -> LinesRuns:
    """Return the runs of two programs; reject options that do not apply."""
    if settings.stop is not None:
        raise InputError("--stop is not for programs that print lines")
    return LinesRuns()


LINES = Harness(
    "lines",
    "Lines",
    "programs that print name and nanoseconds",
    "examples/own-harness",
    formats=(Registered("lines", "names and values", "", Format(recognizes, read, begins)),),
    running=Running(lambda target: target.suffix == ".lines", make),
    building=Building(target="a program that prints lines"),
    score=Score("the mean of all lines", "mean"),
)
