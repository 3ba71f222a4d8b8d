"""The contract of a harness: what steady may ask of one, each part optional but its name.

Functions of a part are given as `steady.registry.OnRequest`, so that no part is loaded for another.
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

if TYPE_CHECKING:  # what these make is of rooms above this one
    from steady.harness.builds import Builds
    from steady.harness.document import Document
    from steady.harness.plan_files import Emitter, Patcher
    from steady.harness.runs import HarnessSettings, Runs
    from steady.harness.trial import Version
    from steady.model import Identity, Suite


@dataclass(frozen=True, slots=True)
class Format:
    """How one format of results is recognised and read.

    Parameters
    ----------
    recognizes : callable
        Whether a document looks like this format.
    read : callable
        Makes the suite; raises `InputError` for what is not of this format.
    begins : callable, optional
        Whether the first bytes of a ``.txt`` look like it: a folder may hold other texts, too.
        Without it, texts in folders are not looked at.
    files : str
        Where they lie in a folder that holds none itself, as a pattern; empty: nowhere.
    empty : str
        Why a file of this format may be empty, for a user who named the format; may be empty.
    joins : callable, optional
        For a log beside the results: adds what such documents tell to a suite of the same harness.
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
        How the names of the functions go on: ``_vitest``.
    files : str
        As in `Format`.
    """
    recognizes, read = (
        OnRequest(f"{__package__}.{module}:{does}{named}") for does in ("recognizes", "read")
    )
    return Registered(name, summary, source, Format(recognizes, read, files=files))


@dataclass(frozen=True, slots=True)
class Running:
    """How benchmarks of a harness are found and run.

    Parameters
    ----------
    holds : callable
        Whether a file or folder looks like benchmarks of this harness.
    make : callable
        Makes what runs them; raises `InputError` for options that it cannot use.
    ends_early : bool
        Whether a fork can be ended before it has run all iterations (`HarnessSettings.stop`). Its
        results lack its warm-up, unless `RunFacts.whole` asks for it.
    takes : callable, optional
        Whether a command, the words behind ``--``, runs benchmarks of this harness in a folder.
        Without it the harness takes none.
    counts : tuple of str
        What ``--count`` may name.
    """

    holds: Callable[[Path], bool]
    make: Callable[[HarnessSettings], Runs]
    ends_early: bool = False
    takes: Callable[[Sequence[str], Path], bool] | None = None
    counts: tuple[str, ...] = ()


def holds_nothing(target: Path) -> bool:  # noqa: ARG001
    """Return False, for a harness that only a command tells: its folders may hold anything."""
    return False


def only_by_command(module: str, counts: tuple[str, ...] = ()) -> Running:
    """Return how a command runs a harness: by `make_runs` and `takes` in a module of this package.

    Parameters
    ----------
    module : str
        The module below this package: ``pyperf.kind``.
    counts : tuple of str
        What ``--count`` may name.
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
    """How a plan becomes the harness's own configuration.

    Parameters
    ----------
    summary : str
        One line: what is written.
    source : str
        What of the harness reads it.
    render : Emitter
        Makes the files.
    files : tuple of str
        Where they may stand below their folder; the last name may be a pattern.
    list_of : callable, optional
        Reads the list of benchmarks out of what is run.
    """

    summary: str
    source: str
    render: Emitter
    files: tuple[str, ...]
    list_of: Callable[[Path], bytes] | None = None


@dataclass(frozen=True, slots=True)
class Declaring:
    """How benchmarks say by themselves how long they run.

    Parameters
    ----------
    add : callable
        Adds to a suite what the benchmarks of a file declare, as far as it is known.
    """

    add: Callable[[Suite, Path], Suite]


@dataclass(frozen=True, slots=True)
class Annotating:
    """How a plan is written into the sources of benchmarks.

    Parameters
    ----------
    ready : callable
        Checks that the sources are there, and what reads them; raises `InputError` or
        `MissingToolError`.
    patch : Patcher
        Makes the patch; raises `InputError` where there are no sources, or too many.
    """

    ready: Callable[[Path], None]
    patch: Patcher


_NO_WORDS = Building()
_USUAL_COST = HarnessCost()


@dataclass(frozen=True, slots=True)
class Harness:
    """A benchmark harness: the parts of it that steady knows.

    Parameters
    ----------
    name : str
        As in `Suite.harness` and `Plan.harness`: ``jmh``.
    title : str
        As people write it: ``JMH``; empty where results do not come from a harness.
    summary : str
        One line: what it is, and what it is run from.
    source : str
        Its versions, or its documentation.
    fork, forks : str
        What starts of a benchmark are called, one and several: ``process``, ``processes``.
    formats : tuple of Registered
        The formats of its results, in the order in which they are tried.
    unreadable : callable, optional
        Says why a document of the harness is no result file; empty if it is something else.
    running : Running, optional
        What runs its benchmarks fork by fork.
    configuring : Configuring, optional
        What turns a plan into its own configuration.
    declaring : Declaring, optional
        What its benchmarks declare.
    building : Building
        What users are told about building.
    cost : HarnessCost
        What a run costs.
    score : Score, optional
        The value that its own tools show.
    counts : tuple of CountMetric
        Further results that are compared.
    same_code : callable, optional
        Looks into two builds for benchmarks that run the same code: it gets what runs them, and
        base and head. Without it none is left out.
    own_pattern : callable, optional
        Makes the test whether a name matches an expression as the harness itself takes it.
    renames : callable, optional
        Finds, in base and in head, benchmarks whose names depend on what else their file holds, and
        returns the names that both shall have.
    annotating : Annotating, optional
        What writes a plan into its benchmarks' sources.
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
