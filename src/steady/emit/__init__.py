"""The plan as the harness's own configuration: nothing to translate by hand.

`emit` writes it to a folder; `EMITTERS` names the harnesses that it is known for.
`rewrite_annotations` puts the plan into the benchmarks' Java sources instead.
"""

from __future__ import annotations

from pathlib import Path

from steady.emit.annotation_reach import Kept
from steady.emit.benchmark_list_file import list_file, list_of_jar
from steady.emit.emitter import Emitted, Emitter, OutputFile, Rendered
from steady.emit.go import render_go
from steady.emit.jmh import render_jmh
from steady.emit.jmh_annotations import Rewriting, SourceChange, diff, rewrite_annotations
from steady.errors import InputError
from steady.files import write_bytes
from steady.optimize.plan import Plan
from steady.registry import Registered, Registry

EMITTERS: Registry[Emitter] = Registry(
    "harness that takes a plan",
    Registered(
        "jmh",
        "a BenchmarkList overlay, command lines by group, and run.sh, which runs them",
        "openjdk/jmh 1.19 to 1.37: BenchmarkListEntry, AbstractResourceReader, CommandLineOptions",
        render_jmh,
    ),
    Registered(
        "go",
        "run.sh, which builds the test binaries and runs them by groups of equal configuration",
        "Go 1.26, package testing: match.go, benchmark.go",
        render_go,
    ),
)
"""What turns a plan into a harness's own configuration, by the harness's name."""


def emit(
    plan: Plan,
    folder: str | Path,
    *,
    harness: str | None = None,
    jar: str | Path | None = None,
    benchmark_list: bytes | str | Path | None = None,
) -> Emitted:
    """Write the harness's own configuration for a plan.

    Parameters
    ----------
    plan : Plan
        What to run.
    folder : path-like
        Where to, by convention ``.steady``. Files of the same names are replaced, each at once;
        an overlay of an earlier plan that this one does not have is removed.
    harness : str, optional
        A name of `EMITTERS`; by default the plan's own.
    jar : path-like, optional
        The benchmarks' jar, from which JMH's list of benchmarks is read.
    benchmark_list : bytes or path-like, optional
        That list itself, instead of a jar.

    Returns
    -------
    Emitted
        The files, and what the user should know. There are no files where no emitter knows the
        plan's harness, and a note says so.

    Raises
    ------
    InputError
        If the harness cannot be told what the plan says, the jar holds no list, or the folder
        cannot be written.
    UnknownNameError
        If `harness` is no name of `EMITTERS`.
    """
    if harness is None and plan.harness not in EMITTERS:
        known = ", ".join(EMITTERS)
        return Emitted((), (f"no configuration is written for {plan.harness}; it is for {known}",))
    if jar is not None and benchmark_list is not None:
        raise InputError("the jar and its list were both given; give one of them")
    if jar is not None:
        benchmark_list = list_of_jar(Path(jar))
    elif benchmark_list is not None and not isinstance(benchmark_list, bytes):
        benchmark_list = list_file(Path(benchmark_list))
    rendered = EMITTERS[harness or plan.harness].value(plan, benchmark_list)
    return Emitted(_write(rendered, Path(folder)), rendered.notes)


def _write(rendered: Rendered, folder: Path) -> tuple[Path, ...]:
    written = tuple(
        write_bytes(folder / name, file.content, mode=0o755 if file.executable else 0o644)
        for name, file in rendered.files.items()
    )
    for path in (folder / name for name in rendered.outdated):
        try:
            if path.is_file():
                path.unlink()
        except OSError as error:
            raise InputError(
                f"is of an earlier plan and cannot be removed ({error.strerror}); remove it",
                source=path,
            ) from None
    return written


__all__ = [
    "EMITTERS",
    "Emitted",
    "Emitter",
    "Kept",
    "OutputFile",
    "Rendered",
    "Rewriting",
    "SourceChange",
    "diff",
    "emit",
    "rewrite_annotations",
]
