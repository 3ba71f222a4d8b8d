"""List the benchmarks of Criterion.rs programs, and run one of them."""

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from steady.errors import InputError
from steady.harness.criterion import results
from steady.harness.criterion.benches import Bench, benches, holds, takes
from steady.harness.fields import quoted
from steady.harness.trial import Trial
from steady.model import ExecutionConfiguration, Identity
from steady.programs.option_file import OptionFile
from steady.programs.process import Program
from steady.programs.program_kind import Place, ProgramKind
from steady.programs.program_listing import printed_list
from steady.programs.program_runs import runs_of

_LISTED = ": benchmark"
_LISTED_BEFORE = ": bench"
"""End of a line in versions before 0.5, which cannot run one benchmark alone (``--exact``)."""

_RESAMPLES = 10
"""Resamples of Criterion.rs's own analysis, which is not used; the default takes a second."""

_FEWEST_SAMPLES = 10
_SAMPLES = 10
"""Samples in an iteration, so that base and head can be interleaved within it."""

_PANIC = re.compile(r"panicked at (?:'(?P<old>.{1,300})', |.{0,300}:\n(?P<text>.+))")


class CriterionBenches(ProgramKind):
    """Criterion.rs programs."""

    title = "Criterion.rs"
    format = results.FORMAT
    builder = "cargo"

    def __init__(self) -> None:
        self._built: dict[Place, Sequence[Bench]] = {}
        self._known: dict[Place, Mapping[str, Bench]] = {}

    def check(self, place: Place) -> None:
        """Raise InputError if the version has no Criterion.rs benchmarks."""
        if place.command and takes(place.command, place.target) and place.target.is_dir():
            return
        if place.command or not holds(place.target):
            raise InputError(
                "contains no Criterion.rs benchmarks; give one of their programs, or a check-out, "
                "for which `-- cargo bench` can select some",
                source=place.target,
            )

    def build(self, place: Place) -> None:
        """Build a check-out with Cargo."""
        self._built[place] = benches(place)

    def listed(self, place: Place) -> Sequence[Identity]:
        """List the benchmarks of all programs."""
        return tuple(map(Identity, self._held(place)))

    def _held(self, place: Place) -> Mapping[str, Bench]:
        """Return the program of each benchmark."""
        if place not in self._known:
            held: dict[str, Bench] = {}
            for bench in self._built.get(place) or benches(place):
                lines = printed_list(_program(bench, "--list"), bench.path)
                if any(line.endswith(_LISTED_BEFORE) for line in lines):
                    raise InputError(
                        "is built with Criterion.rs 0.4 or older, which cannot run one benchmark "
                        "alone; require version 0.5 or newer in Cargo.toml of base and head",
                        source=bench.path,
                    )
                for line in lines:
                    name = line.removesuffix(_LISTED)
                    if name != line and held.setdefault(name, bench) != bench:
                        raise InputError(
                            f"has {quoted(name)} in two programs; give one of them",
                            source=place.target,
                        )
            self._known[place] = held
        return self._known[place]

    def program(self, place: Place, trial: Trial, result: Path) -> Program:
        """Return the program that runs one benchmark."""
        held = self._held(place)
        bench = held.get(trial.identity.name, next(iter(held.values())))
        home = _home(result)
        shutil.rmtree(home, ignore_errors=True)
        options = bench_options(trial.identity, trial.configuration)
        return _program(bench, f"--nresamples={_RESAMPLES}", *options, home=home)

    def collect(self, result: Path) -> None:
        """Merge the results in the program's folder into one file, and remove the folder."""
        home, forks = _home(result), []
        for sample in sorted(home.rglob(f"new/{results.SAMPLE}")):
            benchmark = sample.with_name(results.BENCHMARK)
            if benchmark.is_file():
                texts = (one.read_text(encoding="utf-8") for one in (benchmark, sample))
                forks.append('{{"benchmark": {}, "sample": {}}}'.format(*texts))
        shutil.rmtree(home, ignore_errors=True)
        if forks:
            result.write_text(f'{{"{results.KEY}": [{", ".join(forks)}]}}', encoding="utf-8")

    def reason(self, output: str) -> str:
        """Return the message of a panic; empty if there was none."""
        panic = _PANIC.search(output)
        return (panic["old"] or panic["text"]) if panic else ""


make_runs = runs_of(CriterionBenches)


_HEAD = """\
# Options of the plan for Criterion.rs, one line for each benchmark. Put them after
# `cargo bench --bench NAME --`, which runs one process. The line above them has the number of
# processes. `steady run --plan` does this, and interleaves base and head.
"""


def bench_options(identity: Identity, how: ExecutionConfiguration) -> list[str]:
    """Return the options that make a program run one process of one benchmark.

    Parameters
    ----------
    identity : Identity
        The benchmark.
    how : ExecutionConfiguration
        Configuration; `forks` is the number of processes. Criterion.rs always warms up to estimate
        the duration of an operation: without planned warm-up, for a tenth of an iteration.
    """
    warmup = how.warmup_iterations * how.warmup_seconds or how.iteration_seconds / 10
    return [
        "--exact",
        "--noplot",
        f"--warm-up-time={warmup:g}",
        f"--measurement-time={how.iterations * how.iteration_seconds:g}",
        f"--sample-size={max(_SAMPLES * how.iterations, _FEWEST_SAMPLES)}",
        "--",
        identity.name,
    ]


OPTIONS = OptionFile("Criterion.rs", "criterion.txt", _HEAD, bench_options)
"""A plan as options of Criterion.rs."""


def _home(result: Path) -> Path:
    return result.resolve().with_suffix(".criterion")


def _program(bench: Bench, *options: str, home: Path | None = None) -> Program:
    """Return the program with the environment that Cargo would set."""
    variables = {} if home is None else {"CRITERION_HOME": str(home)}
    if bench.folder is not None:
        variables["CARGO_MANIFEST_DIR"] = str(bench.folder)
    return Program((str(bench.path), "--bench", *options), bench.folder, variables)
