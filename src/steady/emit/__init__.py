"""The plan as the harness's own configuration: nothing to translate by hand.

`emit` writes it to a folder; `EMITTERS` names the harnesses that it is known for.
`rewrite_annotations` puts the plan into the benchmarks' Java sources instead.
"""

from __future__ import annotations

from pathlib import Path

from steady.emit.outdated import CONFIGURATION, remove_outdated
from steady.errors import InputError
from steady.files import write_bytes
from steady.harness.configuration import Emitted, Emitter, Rendered
from steady.harness.go.configure.command_lines import render_go
from steady.harness.jmh.configure.annotation_reach import Kept
from steady.harness.jmh.configure.benchmark_list_file import list_file, list_of_jar
from steady.harness.jmh.configure.configuration import render_jmh
from steady.harness.jmh.configure.rewriting import Rewriting, SourceChange, rewrite_annotations
from steady.optimize.plan import Plan
from steady.registry import Registered, Registry

EMITTERS: Registry[Emitter] = Registry(
    "harness that takes a plan",
    Registered(
        "jmh",
        "a BenchmarkList overlay, and argument files for what it cannot say",
        "openjdk/jmh 1.19 to 1.37: BenchmarkListEntry, AbstractResourceReader, CommandLineOptions",
        render_jmh,
    ),
    Registered(
        "go",
        "the command line of go test for each benchmark",
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
        those of an earlier plan that this one does not have are removed.
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
        If `harness` is not a name of `EMITTERS`.

    Examples
    --------
    >>> import steady
    >>> identity = steady.Identity("example.com/codec.BenchmarkParse")
    >>> full = steady.ExecutionConfiguration(5, 0, 60, 1.0, 1.0)
    >>> short = steady.ExecutionConfiguration(3, 8, 10, 1.0, 1.0)
    >>> entry = steady.BenchmarkPlan(identity, short, full, 54.0, 300.0, "reduced", "steady early")
    >>> plan = steady.Plan((entry,), "error-budget", harness="go")
    >>> emitted = steady.emit(plan, ".steady")
    >>> [path.name for path in emitted.files]
    ['go-test.txt']
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
    target = Path(folder)
    written = tuple(write_bytes(target / name, data) for name, data in rendered.files.items())
    return Emitted(written, rendered.notes + remove_outdated(target, written))


__all__ = [
    "CONFIGURATION",
    "EMITTERS",
    "Emitted",
    "Emitter",
    "Kept",
    "Rendered",
    "Rewriting",
    "SourceChange",
    "emit",
    "rewrite_annotations",
]
