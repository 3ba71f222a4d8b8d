"""The contract of a harness: its name and its optional parts.

Functions of a part are given as `steady.registry.OnRequest`, so that each part is imported on use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from steady.harness.known_facts import Building as Building
from steady.harness.known_facts import CountMetric as CountMetric
from steady.harness.known_facts import HarnessCost as HarnessCost
from steady.harness.known_facts import Score as Score
from steady.registry import OnRequest, Registered

if TYPE_CHECKING:
    from steady.harness.builds import Builds
    from steady.harness.document import Document
    from steady.harness.plan_files import Emitter, Patcher
    from steady.harness.runs import HarnessSettings, Runs
    from steady.harness.trial import Version
    from steady.model import Identity, Suite


@dataclass(frozen=True, slots=True)
class Format:
    """A format of results.

    Parameters
    ----------
    recognizes : callable
        Whether a document looks like this format.
    read : callable
        Returns the suite; raises `InputError` for a document of another format.
    begins : callable, optional
        Whether the first bytes of a ``.txt`` look like this format. Without it, text files in
        folders are ignored.
    files : str
        Pattern of result files in subfolders of a folder without any; may be empty.
    empty : str
        Reason why a file of this format may have no results, for a message; may be empty.
    joins : callable, optional
        For a log beside the results: adds its documents' information to a suite of the harness.
    """

    recognizes: Callable[[Document], bool]
    read: Callable[[Document], Suite]
    begins: Callable[[bytes], bool] | None = None
    joins: Callable[[Suite, Sequence[Document]], Suite] | None = None
    files: str = ""
    empty: str = ""


def format_in(
    module: str, name: str, summary: str, source: str, *, named: str = "", files: str = ""
) -> Registered[Format]:
    """Return a format whose functions ``recognizes`` and ``read`` are in a module of this package.

    Parameters
    ----------
    module : str
        The module below this package: ``pyperf.results``.
    name, summary, source : str
        As in `Registered`.
    named : str
        Suffix of the functions' names: ``_vitest``.
    files : str
        As in `Format`.
    """
    recognizes, read = (
        OnRequest(f"{__package__}.{module}:{does}{named}") for does in ("recognizes", "read")
    )
    return Registered(name, summary, source, Format(recognizes, read, files=files))


@dataclass(frozen=True, slots=True)
class Running:
    """The discovery and the runs of a harness's benchmarks.

    Parameters
    ----------
    holds : callable
        Whether a file or folder looks like benchmarks of this harness.
    make : callable
        Returns their `Runs`; raises `InputError` for options that do not apply.
    ends_early : bool
        Whether a fork can be ended before all its iterations (`HarnessSettings.stop`). Its results
        lack the warm-up unless `RunFacts.whole` is set.
    takes : callable, optional
        Whether a command, the words after ``--``, runs benchmarks of this harness in a folder.
        Without it, no command does.
    counts : tuple of str
        Valid names for ``--count``.
    """

    holds: Callable[[Path], bool]
    make: Callable[[HarnessSettings], Runs]
    ends_early: bool = False
    takes: Callable[[Sequence[str], Path], bool] | None = None
    counts: tuple[str, ...] = ()


def holds_nothing(target: Path) -> bool:  # noqa: ARG001
    """Return False, for harnesses that are recognised by their command alone."""
    return False


def only_by_command(module: str, counts: tuple[str, ...] = ()) -> Running:
    """Return the runs of a harness by `make_runs` and `takes` in a module of this package.

    Parameters
    ----------
    module : str
        The module below this package: ``pyperf.kind``.
    counts : tuple of str
        Valid names for ``--count``.
    """
    place = f"{__package__}.{module}"
    return Running(
        holds_nothing,
        OnRequest(f"{place}:make_runs"),
        takes=OnRequest(f"{place}:takes"),
        counts=counts,
    )


@dataclass(frozen=True, slots=True)
class Configuring:
    """The rendering of a plan as the harness's own configuration.

    Parameters
    ----------
    summary : str
        The written configuration, in one line.
    source : str
        The part of the harness that reads it.
    render : Emitter
        Returns the files.
    files : tuple of str
        Their paths below the output folder; the last name may be a pattern.
    list_of : callable, optional
        Reads the list of benchmarks from the target.
    """

    summary: str
    source: str
    render: Emitter
    files: tuple[str, ...]
    list_of: Callable[[Path], bytes] | None = None


@dataclass(frozen=True, slots=True)
class Declaring:
    """The configurations that benchmarks declare themselves.

    Parameters
    ----------
    add : callable
        Adds the known declarations of a file's benchmarks to a suite.
    """

    add: Callable[[Suite, Path], Suite]


@dataclass(frozen=True, slots=True)
class Annotating:
    """The patch that writes a plan into the sources of benchmarks.

    Parameters
    ----------
    ready : callable
        Checks that the sources and their parser exist; raises `InputError` or
        `MissingToolError`.
    patch : Patcher
        Returns the patch; raises `InputError` if there are no sources, or too many.
    """

    ready: Callable[[Path], None]
    patch: Patcher


_NO_WORDS = Building()
_USUAL_COST = HarnessCost()


@dataclass(frozen=True, slots=True)
class Harness:
    """A benchmark harness.

    Parameters
    ----------
    name : str
        As in `Suite.harness` and `Plan.harness`: ``jmh``.
    title : str
        Its name in sentences: ``JMH``; empty if results do not come from a harness.
    summary : str
        A description in one line.
    source : str
        Its versions, or its documentation.
    fork, forks : str
        Its words for a fork, singular and plural: ``process``, ``processes``.
    formats : tuple of Registered
        The formats of its results, in the order in which they are tried.
    unreadable : callable, optional
        Returns the reason why a document of the harness is no result file; empty for others.
    running : Running, optional
        The runs of its benchmarks.
    configuring : Configuring, optional
        The rendering of a plan as its own configuration.
    declaring : Declaring, optional
        The declarations of its benchmarks.
    building : Building
        Words and commands for building benchmarks.
    cost : HarnessCost
        The costs of a run.
    score : Score, optional
        The value in its own tools.
    counts : tuple of CountMetric
        Counts that are compared by default.
    same_code : callable, optional
        Returns the `Builds` of base and head, which know the benchmarks with an identical code
        path. Without it, all benchmarks are measured.
    own_pattern : callable, optional
        Returns a test whether a name matches an expression in the harness's own syntax.
    renames : callable, optional
        Returns common names for benchmarks of base and head whose names depend on other benchmarks
        of their file.
    annotating : Annotating, optional
        The patch that writes a plan into its benchmarks' sources.
    """

    name: str
    title: str = ""
    summary: str = ""
    source: str = ""
    fork: str = "fork"
    forks: str = "forks"
    formats: tuple[Registered[Format], ...] = ()
    unreadable: Callable[[Document], str] | None = None
    running: Running | None = None
    configuring: Configuring | None = None
    declaring: Declaring | None = None
    building: Building = _NO_WORDS
    cost: HarnessCost = _USUAL_COST
    score: Score | None = None
    counts: tuple[CountMetric, ...] = ()
    same_code: Callable[[Runs, Sequence[Version]], Builds] | None = None
    own_pattern: Callable[[str], Callable[[str], bool]] | None = None
    renames: Callable[[Suite, Suite], Mapping[Identity, Identity]] | None = None
    annotating: Annotating | None = None
