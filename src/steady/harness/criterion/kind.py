"""Find or build Criterion.rs programs, list their benchmarks, and run one of them.

A version is a check-out, its folder ``target``, or a single program.
"""

import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from steady.errors import InputError
from steady.harness.criterion import results
from steady.harness.fields import quoted
from steady.harness.trial import Trial
from steady.model import ExecutionConfiguration, Identity
from steady.programs.elf import is_program_with
from steady.programs.option_file import OptionFile
from steady.programs.process import Program, printed_list, run_alone
from steady.programs.program_kind import Place, ProgramKind
from steady.programs.program_runs import runs_of
from steady.text.escape import visible
from steady.text.numbers import duration

_MARK = b"This executable is a Criterion.rs benchmark"
"""Text in the help of each Criterion.rs program."""

_BUILDING_SECONDS = 3600.0
_ERROR = re.compile(r"^error(?:\[\w+\])?: (?P<text>.+)", re.MULTILINE)
_USUAL = ("cargo", "bench")
_BUILT = ("release/deps", "deps", "")
"""Possible folders of programs, relative to the given folder."""

_LISTED = ": benchmark"
_LISTED_BEFORE = ": bench"
"""End of a line in versions before 0.5, which cannot run one benchmark alone (``--exact``)."""

_RESAMPLES = 10
"""Resamples of Criterion.rs's own analysis, which is not used; the default takes a second."""

_FEWEST_SAMPLES = 10
_SAMPLES = 10
"""Samples in an iteration, so that base and head can be interleaved within it."""

_PANIC = re.compile(r"panicked at (?:'(?P<old>.{1,300})', |.{0,300}:\n(?P<text>.+))")


@dataclass(frozen=True, slots=True)
class Bench:
    """A Criterion.rs program.

    Parameters
    ----------
    path : Path
        The program.
    folder : Path, optional
        Working directory: its package, as in Cargo; None for that of steady.
    """

    path: Path
    folder: Path | None = None


def takes(command: Sequence[str], folder: Path) -> bool:  # noqa: ARG001
    """Return whether a command is ``cargo bench``."""
    return [Path(word).stem for word in command[:1]] == ["cargo"] and "bench" in command[1:3]


def holds(target: Path) -> bool:
    """Return whether a path has Criterion.rs programs, or a manifest that names Criterion.rs."""
    manifest = target / "Cargo.toml"
    if manifest.is_file():
        return b"criterion" in manifest.read_bytes()
    return next(_programs(target), None) is not None


def benches(place: Place) -> Sequence[Bench]:
    """Return the programs of a version; build them if it is a check-out.

    Raises
    ------
    InputError
        If there are none, or Cargo cannot build them.
    """
    if place.target.is_dir() and (place.command or (place.target / "Cargo.toml").is_file()):
        found = list(_built(place.target, place.command or _USUAL))
    else:
        found = list(_programs(place.target))
    if not found:
        raise InputError(
            "contains no Criterion.rs program; give a check-out, its folder target, or a program "
            "that `cargo bench --no-run` lists",
            source=place.target,
        )
    return found


def _programs(target: Path) -> Iterator[Bench]:
    """Yield the programs of a folder, or the given one."""
    if target.is_file():
        yield from [Bench(target.absolute())] if is_program_with(target, [_MARK]) else []
        return
    folder = next((one for place in _BUILT if (one := target / place).is_dir()), target)
    package = target.absolute().parent
    where = package if (package / "Cargo.toml").is_file() else None
    for path in sorted(folder.glob("*")):
        if is_program_with(path, [_MARK]):
            yield Bench(path.absolute(), where)


def _built(folder: Path, command: Sequence[str]) -> Iterator[Bench]:
    """Yield the programs that Cargo reports as built."""
    if "--" in command:
        raise InputError("leave out the second -- and what follows; --only chooses benchmarks")
    words = (*command, "--no-run", "--message-format=json-render-diagnostics")
    try:
        ended = run_alone(Program(words, folder), _BUILDING_SECONDS)
    except OSError as error:
        why = f"{visible(command[0])} cannot be run ({error.strerror}); install Rust"
        raise InputError(why, source=folder) from None
    if ended.timed_out or ended.code != 0:
        said = _ERROR.search(ended.output)
        why = said["text"] if said else f"exit code {ended.code}"
        if ended.timed_out:
            why = f"it takes longer than {duration(_BUILDING_SECONDS)}"
        raise InputError(f"cargo cannot build its benchmarks: {visible(why)}", source=folder)
    for line in ended.output.splitlines():
        message = json.loads(line) if line.startswith('{"reason":"compiler-artifact"') else {}
        program = message.get("executable")
        if program and is_program_with(Path(program), [_MARK]):
            yield Bench(Path(program), Path(message["manifest_path"]).parent)


class CriterionBenches(ProgramKind):
    """Criterion.rs programs."""

    title = "Criterion.rs"
    format = results.FORMAT
    builder = "cargo"
    native = True

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
