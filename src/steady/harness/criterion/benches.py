"""Find Criterion.rs programs: built by Cargo, in a folder ``target``, or a single file."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from steady.errors import InputError
from steady.programs.elf import is_program_with
from steady.programs.process import Program, run_alone
from steady.programs.program_kind import Place
from steady.text.escape import visible
from steady.text.numbers import duration

_MARK = b"This executable is a Criterion.rs benchmark"
"""Text in the help of each Criterion.rs program."""

_BUILDING_SECONDS = 3600.0
_ERROR = re.compile(r"^error(?:\[\w+\])?: (?P<text>.+)", re.MULTILINE)
_USUAL = ("cargo", "bench")
_BUILT = ("release/deps", "deps", "")
"""Possible folders of programs, relative to the given folder."""


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
