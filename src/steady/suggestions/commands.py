"""Suggested commands for the benchmarks that a command names, or that a build has produced."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from steady.harnesses import HARNESSES
from steady.options.command import Command
from steady.options.plan_options import OptimizeCommand
from steady.options.run_options import RunCommand

BASE, BENCHMARKS = "BASE", "BENCHMARKS"
"""Placeholders for the benchmarks of base, and for those of head or of a single version."""

FULL = (5, 60)
"""Forks and iterations of a suggested full run: enough to detect warm-up and compare forks."""

DETECT = 0.05
"""Detectable effect of the first plan that is made from a run without a plan."""


@dataclass(frozen=True, slots=True)
class Named:
    """The benchmarks that a command names.

    Parameters
    ----------
    base, head, jar : Path, optional
        Benchmarks of base, of head, or of a single version; None if not given.
    harness : str, optional
        Harness of the benchmarks, if given.
    command : tuple of str
        Words after ``--``.
    """

    base: Path | None
    head: Path | None
    jar: Path | None
    harness: str | None
    command: tuple[str, ...]

    @classmethod
    def by(cls, arguments: Command) -> Self:
        """Return the benchmarks that a command names; none for commands that read results."""
        values = (getattr(arguments, name, None) for name in ("base", "head", "jar"))
        base, head, jar = (value if isinstance(value, Path) else None for value in values)
        words = getattr(arguments, "command", ())
        return cls(base, head, jar, getattr(arguments, "harness", None), words)

    @property
    def older(self) -> Path:
        """The older version: as given, as found in this folder, or as a placeholder."""
        return self.base or Path(built_version("base") or BASE)

    @property
    def newer(self) -> Path:
        """The newer version or the only one: as given, as found, or as a placeholder."""
        return self.jar or self.head or Path(built_version("head") or BENCHMARKS)

    def listing(self) -> RunCommand:
        """Return the command that lists the benchmarks."""
        return RunCommand(list=True, base=self.base, head=self.head, jar=self.jar, **self._how)

    def full_run(self, out: str = "full") -> RunCommand:
        """Return the full run of the newer version."""
        return RunCommand(full=FULL, jar=self.newer, out=Path(out), **self._how)

    def run_without_plan(self, out: str = "results") -> RunCommand:
        """Return the run of both versions that needs no plan."""
        return RunCommand(
            base=self.older,
            head=self.head or self.newer,
            time_budget=600.0,
            out=Path(out),
            **self._how,
        )

    @property
    def _how(self) -> dict[str, Any]:
        return {"harness": self.harness, "command": self.command}


def plan_of_full_run(out: Path) -> OptimizeCommand:
    """Return the command that makes a plan of the results of `Named.full_run`."""
    return OptimizeCommand(results=("full",), out=out)


def plan_of_run(series: Path, merged: Sequence[Path], **more: Any) -> OptimizeCommand:
    """Return the command that makes a plan from a run without one.

    Parameters
    ----------
    series : Path
        Results of base with their warm-up.
    merged : sequence of Path
        Results of base and head.
    **more
        Further options of the command.
    """
    earlier = tuple(map(str, merged))
    return OptimizeCommand(results=(str(series),), detect=DETECT, earlier=earlier, **more)


def benchmark_files() -> list[Path]:
    """Return the benchmark files at the usual output paths of build tools."""
    return [path for path in _built() if not path.is_dir()]


def built_version(side: str) -> str:
    """Return the file that is probably base or head; empty if no file is.

    A file whose name contains the side is chosen. Otherwise, a single file is taken for head,
    since base needs a check-out of its own.
    """
    built = [path for path in _built() if "original" not in path.name]
    named = [path for path in built if side in path.stem]
    if named:
        return str(named[0])
    others = [path for path in built if "base" not in path.stem and not path.is_dir()]
    return str(others[0]) if side == "head" and len(others) == 1 else ""


def build_hint() -> str:
    """Return the end of a sentence that names the build command; empty if it is unknown."""
    command = next((text for name, text in _commands().items() if Path(name).is_file()), "")
    return f"; build them with `{command}`" if command else ""


def build_commands() -> str:
    """Return `build_hint`, or the usual build commands if that of this project is unknown."""
    usual = ", ".join(f"`{command}`" for command in dict.fromkeys(_commands().values()))
    return build_hint() or f"; common build commands are {usual}"


def _built() -> list[Path]:
    parts = (entry.value.building.built for entry in HARNESSES.values())
    return [path for built in parts if built is not None for path in built()]


def _commands() -> Mapping[str, str]:
    """Return the build commands by the project file of each build tool."""
    buildings = (entry.value.building for entry in HARNESSES.values())
    return {name: command for one in buildings for name, command in one.commands.items()}


def code(command: Command) -> str:
    """Return a command formatted as code within a sentence."""
    return f"`{command.line}`"


def placeholders(*commands: Command) -> str:
    """Return the end of a sentence that explains the placeholders in its commands, if any."""
    words = {word for command in commands for word in command.words}
    used = [name for name in (BASE, BENCHMARKS) if name in words]
    if not used:
        return ""
    verb = "stands" if len(used) == 1 else "stand"
    return (
        f" ({' and '.join(used)} {verb} for the benchmarks of a version: {_runnable()}"
        f"{build_hint()})"
    )


def _runnable() -> str:
    """Return the forms of a version's benchmarks: built files, or a check-out and a command."""
    buildings = [entry.value.building for entry in HARNESSES.values() if entry.value.running]
    built = ", or ".join(one.target for one in buildings if not one.words)
    *words, last = [f"`-- {shlex.join(one.words)}`" for one in buildings if one.words]
    such = f"{', '.join(words)} or {last}"
    return (
        f"{built}; or a check-out, if the command ends with the benchmarks' own command, such as "
        f"{such}"
    )
