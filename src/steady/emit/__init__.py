"""Export of a plan as the harness's own configuration.

`emit` writes the configuration to a folder, and removes files of earlier plans; `EMITTERS` contains
the supported harnesses.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

from steady.errors import InputError
from steady.files import write_bytes
from steady.harness.plan_files import Emitted, Emitter, Patched
from steady.harnesses import HARNESSES, RUNNABLE, harness_named
from steady.plan.suite_plan import Plan
from steady.registry import Registered, Registry


def _emitters() -> Iterator[Registered[Emitter]]:
    for entry in HARNESSES.values():
        own = entry.value.configuring
        if own is not None:
            yield Registered(entry.name, own.summary, own.source, own.render)


PATCH = "annotations.patch"
"""Name of the patch that changes annotations in sources."""

EMITTERS = Registry("harness that takes a plan", further=_emitters)
"""Functions that convert a plan to a harness's own configuration, by the harness's name."""


def emit(
    plan: Plan,
    folder: str | Path,
    *,
    harness: str | None = None,
    jar: str | Path | None = None,
    benchmark_list: bytes | None = None,
    annotations: str | Path | None = None,
) -> Emitted:
    """Write the harness's own configuration for a plan.

    Parameters
    ----------
    plan : Plan
        Plan to export.
    folder : path-like
        Output folder, by convention ``.steady``. Existing files are replaced atomically; files of
        an earlier plan that this one does not have are removed.
    harness : str, optional
        A name in `EMITTERS`; by default the plan's harness.
    jar : path-like, optional
        Jar of the benchmarks, which contains JMH's list of benchmarks.
    benchmark_list : bytes, optional
        Content of that list, instead of a jar.
    annotations : path-like, optional
        Sources of the benchmarks: a file or a folder. ``annotations.patch`` then changes their
        annotations to match the plan, if they do not already.

    Returns
    -------
    Emitted
        The files, and notes for the user. A harness without an emitter has no files; a note says
        so.

    Raises
    ------
    InputError
        If the harness cannot express the plan, the jar contains no list, there are no sources, or
        the folder cannot be written.
    MissingToolError
        If the parser of sources is not installed.
    UnknownNameError
        If `harness` is not in `EMITTERS`.

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
    patched = None if annotations is None else _patched(plan, harness or plan.harness, annotations)
    if harness is None and plan.harness not in EMITTERS:
        return Emitted((), (_without_emitter(plan.harness), *(patched.notes if patched else ())))
    if jar is not None and benchmark_list is not None:
        raise InputError("the jar and its list were both given; give one of them")
    emitter = EMITTERS[harness or plan.harness]
    own = HARNESSES[emitter.name].value.configuring
    if jar is not None:
        read = own and own.list_of
        benchmark_list = read(Path(jar)) if read else b""
    rendered = emitter.value(plan, benchmark_list)
    target, files = Path(folder), dict(rendered.files)
    if patched is not None and patched.patch:
        files[PATCH] = patched.patch
    written = tuple(write_bytes(target / name, data) for name, data in files.items())
    remove_outdated(target, written)
    if patched is None:
        return Emitted(written, rendered.notes)
    return Emitted(written, (*rendered.notes, *patched.notes), patched.files)


def _without_emitter(harness: str) -> str:
    """Return the note for a harness without an emitter."""
    if harness in RUNNABLE:
        title = harness_named(harness).title or "a command"
        return f"{title} takes no configuration: `steady run --plan` follows plan.json"
    return f"no configuration is written for {harness}, only for {', '.join(EMITTERS)}"


def check_annotations(harness: str, sources: Path) -> None:
    """Check that sources can be annotated, before planning.

    Parameters
    ----------
    harness : str
        Harness of the plan.
    sources : Path
        File or folder with the sources.

    Raises
    ------
    InputError
        If there are no sources.
    MissingToolError
        If the parser of sources is not installed.
    """
    own = harness_named(harness).annotating
    if own is not None:
        own.ready(sources)


def _patched(plan: Plan, harness: str, sources: str | Path) -> Patched:
    own = harness_named(harness).annotating
    if own is None:
        titles = [one.value.title for one in HARNESSES.values() if one.value.annotating is not None]
        note = f"no annotations are written for {harness}, only for {', '.join(titles)}"
        return Patched(b"", {}, (note,))
    patched = own.patch(plan, Path(sources))
    if patched.patch:
        return patched
    note = f"no annotation has to change, so there is no {PATCH}"
    return replace(patched, notes=(*patched.notes, note))


def configuration_files() -> tuple[str, ...]:
    """Return paths of configuration files in a folder; the last component may be a pattern.

    A plan has only some of them.
    """
    parts = (entry.value.configuring for entry in HARNESSES.values())
    return tuple(name for part in parts if part is not None for name in part.files)


def remove_outdated(folder: Path, written: Collection[Path]) -> None:
    """Remove files of earlier plans that this plan does not have.

    Parameters
    ----------
    folder : Path
        Folder of the configuration.
    written : collection of Path
        Files of this plan, to be kept.

    Raises
    ------
    InputError
        If a file cannot be removed.
    """
    for path in (path for path in _configuration_in(folder) if path not in written):
        try:
            path.unlink()
        except OSError as error:
            raise InputError(
                f"belongs to an earlier plan and cannot be removed ({error.strerror}); remove it",
                source=path,
            ) from None


def _configuration_in(folder: Path) -> Iterator[Path]:
    for pattern in (*configuration_files(), PATCH):
        place = folder / pattern
        yield from (path for path in sorted(place.parent.glob(place.name)) if path.is_file())
