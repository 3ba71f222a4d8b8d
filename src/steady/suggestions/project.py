"""The project in the current folder: its built benchmarks, and the command that builds them."""

from collections.abc import Mapping
from pathlib import Path

from steady.harnesses import HARNESSES


def benchmark_files() -> list[Path]:
    """Return the files that hold benchmarks, where build tools leave them."""
    return [path for path in _built() if not path.is_dir()]


def built_version(side: str) -> str:
    """Return the file that is probably base or head; empty if no file is.

    A file with the word in its name is that side. If there is none, the only file is head: the
    version before needs a check-out of its own.
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
    """Return the same, or the usual build commands where this project's is unknown."""
    usual = ", ".join(f"`{command}`" for command in dict.fromkeys(_commands().values()))
    return build_hint() or f"; what usually builds them is one of {usual}"


def _built() -> list[Path]:
    parts = (entry.value.building.built for entry in HARNESSES.values())
    return [path for built in parts if built is not None for path in built()]


def _commands() -> Mapping[str, str]:
    """Return the build commands by the file that belongs to each build tool."""
    buildings = (entry.value.building for entry in HARNESSES.values())
    return {name: command for one in buildings for name, command in one.commands.items()}
