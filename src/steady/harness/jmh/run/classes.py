"""The classes of ours that JMH runs, compiled by the user's JDK against the user's JMH."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from steady.harness.jmh.run.java_program import compiled

DRIVER = "SteadyDriver"
HOOK = "SteadyTurns"

_FOR_EVERY_JAVA = ("--release", "8")
"""The hook runs in the Java of the fork, which an annotation may name (``@Fork(jvm = ...)``)."""

_ATTEMPTS = (
    ((DRIVER, HOOK), _FOR_EVERY_JAVA),
    ((DRIVER, HOOK), ()),
    ((DRIVER,), ()),
)


@dataclass(frozen=True, slots=True)
class Classes:
    """Folders of classes.

    Parameters
    ----------
    driver : Path or None
        Of what runs JMH in a JVM that stays (`driver`); None if it could not be
        compiled.
    hook : Path or None
        Of the profiler with which forks take turns; None if it could not be compiled.
    """

    driver: Path | None = None
    hook: Path | None = None


@dataclass(frozen=True, slots=True)
class ClassFiles:
    """The compiled classes, not yet in a folder.

    Parameters
    ----------
    files : mapping of str to bytes
        By their file names.
    """

    files: Mapping[str, bytes] = field(default_factory=dict)

    def has(self, name: str) -> bool:
        """Tell whether a class could be compiled."""
        return f"{name}.class" in self.files

    def write(self, folder: Path) -> Classes:
        """Write each class, and those inside it, into a folder of its own.

        Only the hook stands on the class path of forks.
        """
        for name, content in self.files.items():
            own = folder / name.partition(".")[0].partition("$")[0]
            own.mkdir(parents=True, exist_ok=True)
            (own / name).write_bytes(content)
        driver, hook = (folder / name if self.has(name) else None for name in (DRIVER, HOOK))
        return Classes(driver, hook)


def compile_classes(compiler: Path | None, jar: Path) -> ClassFiles:
    """Compile as much as can be compiled.

    Parameters
    ----------
    compiler : Path or None
        The ``javac``; None if there is none.
    jar : Path
        Benchmarks with JMH.
    """
    if compiler is None:
        return ClassFiles()
    for names, options in _ATTEMPTS:
        sources = [Path(__file__).with_name(f"{name}.java") for name in names]
        with tempfile.TemporaryDirectory() as folder:
            if compiled(compiler, sources, [jar], Path(folder), *options):
                return ClassFiles({p.name: p.read_bytes() for p in sorted(Path(folder).iterdir())})
    return ClassFiles()
