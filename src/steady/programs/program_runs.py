"""The runs of a harness that is a program: one process for each fork.

A harness declares a `ProgramKind`, of which `runs_of` makes its `make_runs`. Two processes take
turns by the clock (`steady.programs.in_turn`).
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from steady.errors import InputError
from steady.harness.runs import DEFAULTS, ForkResult, HarnessSettings, RunFacts, Runs, identities_in
from steady.harness.search import EVERYTHING, Search
from steady.harness.trial import Version
from steady.model import Identity
from steady.programs.counting import Counter
from steady.programs.entries_format import EntriesFormat
from steady.programs.fork_file import joined, merged
from steady.programs.program_kind import Place, ProgramKind
from steady.programs.program_session import ProgramSession
from steady.readers import open_document


class JsonRuns(Runs):
    """Runs whose results are JSON, an entry for each fork; see `steady.harness.runs.Runs`.

    Parameters
    ----------
    form : EntriesFormat
        Their format.
    """

    suffix = ".json"

    def __init__(self, form: EntriesFormat) -> None:
        self.name = form.name
        self.form = form

    def merge(self, results: Sequence[ForkResult], facts: RunFacts) -> bytes:
        """Join the forks of one version into one file."""
        return merged(results, facts, self.form.key, mark=self.form.mark)

    def measured(self, merged: Path) -> Sequence[Identity]:
        """List the benchmarks of a merged file."""
        return identities_in(self.form.read(open_document(merged)))

    def join(self, merged: Sequence[Path]) -> bytes:
        """Join merged files into one."""
        return joined(merged, self.form.key)


class ProgramRuns(JsonRuns):
    """The runs of one kind of program; see `steady.harness.runs.Runs`.

    Parameters
    ----------
    kind : ProgramKind
        The harness.
    settings : HarnessSettings
        The user's options.
    """

    def __init__(self, kind: ProgramKind, settings: HarnessSettings = DEFAULTS) -> None:
        super().__init__(kind.format)
        self.kind = kind
        self.builder = kind.builder
        self.settings = settings

    def check(self, versions: Sequence[Version]) -> None:
        """Raise InputError if a version cannot be run."""
        for version in versions:
            self.kind.check(self.place(version))

    def build(self, version: Version) -> None:
        """Build what a version lacks."""
        self.kind.build(self.place(version))

    def benchmarks(self, version: Version, search: Search = EVERYTHING) -> Sequence[Identity]:  # noqa: ARG002
        """List the benchmarks of a version."""
        return tuple(self.kind.listed(self.place(version)))

    @contextmanager
    def open(self, versions: Sequence[Version], scratch: Path) -> Iterator[ProgramSession]:
        """Look up where each version is; nothing keeps running."""
        places = {version.name: self.place(version) for version in versions}
        yield ProgramSession(self.kind, places, scratch, Counter(self.settings.count, scratch))

    def place(self, version: Version) -> Place:
        """Return where a version is, and what is typed there."""
        return Place(version.target, version.command or self.settings.command)


def runs_of(kind: Callable[[], ProgramKind]) -> Callable[[HarnessSettings], ProgramRuns]:
    """Return the function that makes the runs of a kind; `steady.harness.contract.Running.make`."""

    def make_runs(settings: HarnessSettings) -> ProgramRuns:
        """Make them; raise InputError for options of another harness."""
        own = kind()
        refuse_foreign(settings, own.title)
        return ProgramRuns(own, settings)

    return make_runs


def refuse_foreign(settings: HarnessSettings, title: str) -> None:
    """Raise InputError for options that are for JMH."""
    foreign = {
        "--java": settings.java != DEFAULTS.java,
        "--jvm-arg": settings.jvm_args != DEFAULTS.jvm_args,
        "--stop": settings.stop != DEFAULTS.stop,
    }
    given = [option for option, is_given in foreign.items() if is_given]
    if given:
        verb = "is" if len(given) == 1 else "are"
        raise InputError(f"{' and '.join(given)} {verb} for JMH, and not for {title}")
