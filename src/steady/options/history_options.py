"""Options of ``steady history`` and the commands below it."""

from dataclasses import dataclass
from pathlib import Path

from steady.options import shared_options as shared
from steady.options.command import Command
from steady.options.compare_options import BESIDE
from steady.options.kinds import FLAG, NUMBER, TEXT, WHOLE
from steady.options.option import Option, use

REMOTE = Option(
    "remote", TEXT, default="origin", metavar="NAME",
    help="remote of the clone, name or address (default: {default})",
)  # fmt: skip

REVISION = Option("revision", TEXT, metavar="REF")
"""A commit or a branch in the clone; its role depends on the field."""

RUN_ID = Option(
    "run-id", TEXT, default="", metavar="NAME",
    help="name of this run, if one commit has several (default: made from the results)",
)  # fmt: skip

KEEP = Option(
    "keep", WHOLE, default=30,
    help="how many runs of each suite are kept, the newest first (default: {default})",
)  # fmt: skip

MAX_MB = Option(
    "max-mb", NUMBER, default=50.0, metavar="M",
    help="how many MiB all runs together may take (default: {default})",
)  # fmt: skip

SAME_ENVIRONMENT = Option(
    "same-environment", FLAG, help="take only a run with the same CPU, system and JDK"
)

WITHIN = Option(
    "within", WHOLE, default=100,
    help="how many commits before the merge base are searched (default: {default})",
)  # fmt: skip

_STORE = (
    f"where the history is kept (default: {shared.DEFAULT_STORE}): git:BRANCH, a branch of the "
    "remote; or a folder"
)


@dataclass(frozen=True, kw_only=True)
class RecordCommand(Command):
    """Options of ``steady history record``."""

    called = "history record"
    help = "keep the results of a run"

    results: tuple[str, ...] = use(shared.RESULTS, "result files or patterns", operand="+")
    store: str = use(shared.HISTORY, _STORE, default=shared.DEFAULT_STORE)
    remote: str = use(REMOTE)
    suite: str = use(shared.SUITE, "key of the suite (default: {default})")
    commit: str = use(
        REVISION,
        "the commit that was measured: a full hash, or a name that the clone knows (default: HEAD)",
        default="HEAD",
        metavar="COMMIT",
    )
    run_id: str = use(RUN_ID)
    plan: Path | None = use(shared.PLAN, "the plan that the run followed")
    keep: int = use(KEEP)
    max_mb: float = use(MAX_MB)
    format: str | None = use(shared.FORMAT)


@dataclass(frozen=True, kw_only=True)
class ListCommand(Command):
    """Options of ``steady history list``."""

    called = "history list"
    help = "show what is kept, the newest first"

    store: str = use(shared.HISTORY, _STORE, default=shared.DEFAULT_STORE)
    remote: str = use(REMOTE)
    suite: str | None = use(shared.SUITE, "key of the suite (default: all)", default=None)
    json: bool = use(shared.JSON)


@dataclass(frozen=True, kw_only=True)
class BaselineCommand(Command):
    """Options of ``steady history baseline``."""

    called = "history baseline"
    help = "get the results to compare a change with"
    description = (
        "Write the results of the merge base of head and base, or of the nearest commit before it "
        "that has results. The exit code is 1 if no commit has any."
    )

    store: str = use(shared.HISTORY, _STORE, default=shared.DEFAULT_STORE)
    remote: str = use(REMOTE)
    suite: str = use(shared.SUITE, "key of the suite (default: {default})")
    head: str = use(REVISION, "the change (default: {default})", default="HEAD")
    base: str | None = use(
        REVISION, "branch that the change is for (default: the commits before head count)"
    )
    like: tuple[str, ...] = use(
        shared.RESULTS,
        "results of head: if a commit has several runs, take one with the same CPU, system and JDK",
    )
    same_environment: bool = use(SAME_ENVIRONMENT)
    within: int = use(WITHIN)
    out: Path = use(shared.OUT, "where the results go", metavar="FILE", required=True)
    plan_out: Path | None = use(BESIDE, "where the plan of that run goes, if it had one")
    json: bool = use(shared.JSON, "print which run it is as JSON; FILE is written, too")
    format: str | None = use(shared.FORMAT)


@dataclass(frozen=True, kw_only=True)
class PruneCommand(Command):
    """Options of ``steady history prune``."""

    called = "history prune"
    help = "drop old runs now"

    store: str = use(shared.HISTORY, _STORE, default=shared.DEFAULT_STORE)
    remote: str = use(REMOTE)
    keep: int = use(KEEP)
    max_mb: float = use(MAX_MB)
