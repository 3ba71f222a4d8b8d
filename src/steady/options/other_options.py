"""Options of the other commands: history, settings, methods, plot, demo and completion."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from steady.options import kinds
from steady.options import shared_options as shared
from steady.options.command import Command
from steady.options.option import Option, use

BENCHMARK = Option("name", kinds.TEXT, metavar="NAME")
"""A benchmark, as in `Suite`."""

SHELL = Option("shell", kinds.choice("bash", "zsh", "tcsh"), help="shell to complete for")

REMOTE = Option(
    "remote", kinds.TEXT, default="origin", metavar="NAME",
    help="Git remote, as a name or address (default: {default})",
)  # fmt: skip

REVISION = Option("revision", kinds.TEXT, metavar="REF")
"""A commit or a branch in the clone; its role depends on the field."""

RUN_ID = Option(
    "run-id", kinds.TEXT, default="", metavar="NAME",
    help="name of this run, if a commit has several (default: derived from the results)",
)  # fmt: skip

KEEP = Option(
    "keep", kinds.WHOLE, default=30,
    help="number of most recent runs to keep per suite (default: {default})",
)  # fmt: skip

MAX_MB = Option(
    "max-mb", kinds.NUMBER, default=50.0, metavar="M",
    help="maximum total size of all runs in MiB (default: {default})",
)  # fmt: skip

SAME_ENVIRONMENT = Option(
    "same-environment", kinds.FLAG, help="use only a run with the same CPU, system and JDK"
)

WITHIN = Option(
    "within", kinds.WHOLE, default=100,
    help="number of commits before the merge base to search (default: {default})",
)  # fmt: skip

_STORE = (
    "store of the history: a branch of the remote, as git:BRANCH, or a folder (default: "
    f"{shared.DEFAULT_STORE})"
)


@dataclass(frozen=True, kw_only=True)
class RecordCommand(Command):
    """Options of ``steady history record``."""

    called = "history record"
    help = "record the results of a run"

    results: tuple[str, ...] = use(shared.RESULTS, "result files or patterns", operand="+")
    store: str = use(shared.HISTORY, _STORE, default=shared.DEFAULT_STORE)
    remote: str = use(REMOTE)
    suite: str = use(shared.SUITE, "key of the suite (default: {default})")
    commit: str = use(
        REVISION,
        "commit that was measured: a full hash, or a revision in the clone (default: HEAD)",
        default="HEAD",
        metavar="COMMIT",
    )
    run_id: str = use(RUN_ID)
    plan: Path | None = use(shared.PLAN, "plan that the run followed")
    keep: int = use(KEEP)
    max_mb: float = use(MAX_MB)
    format: str | None = use(shared.FORMAT)


@dataclass(frozen=True, kw_only=True)
class ListCommand(Command):
    """Options of ``steady history list``."""

    called = "history list"
    help = "list the recorded runs, newest first"

    store: str = use(shared.HISTORY, _STORE, default=shared.DEFAULT_STORE)
    remote: str = use(REMOTE)
    suite: str | None = use(shared.SUITE, "key of the suite (default: all)", default=None)
    json: bool = use(shared.JSON)


@dataclass(frozen=True, kw_only=True)
class BaselineCommand(Command):
    """Options of ``steady history baseline``."""

    called = "history baseline"
    help = "write the baseline of a change"
    description = (
        "Write the results of the merge base of head and base, or of its nearest ancestor with "
        "results. The exit code is 1 if there are none."
    )

    store: str = use(shared.HISTORY, _STORE, default=shared.DEFAULT_STORE)
    remote: str = use(REMOTE)
    suite: str = use(shared.SUITE, "key of the suite (default: {default})")
    head: str = use(REVISION, "commit of the change (default: {default})", default="HEAD")
    base: str | None = use(
        REVISION, "target branch of the change (default: search the ancestors of head)"
    )
    like: tuple[str, ...] = use(
        shared.RESULTS,
        "results of head: of several runs of a commit, prefer one with the same CPU, system and "
        "JDK",
    )
    same_environment: bool = use(SAME_ENVIRONMENT)
    within: int = use(WITHIN)
    out: Path = use(shared.OUT, "output file for the results", metavar="FILE", required=True)
    plan_out: Path | None = use(
        shared.BESIDE, "output file for the plan of that run, if it had one"
    )
    json: bool = use(shared.JSON, "print the chosen run as JSON, in addition to writing FILE")
    format: str | None = use(shared.FORMAT)


@dataclass(frozen=True, kw_only=True)
class PruneCommand(Command):
    """Options of ``steady history prune``."""

    called = "history prune"
    help = "remove old runs"

    store: str = use(shared.HISTORY, _STORE, default=shared.DEFAULT_STORE)
    remote: str = use(REMOTE)
    keep: int = use(KEEP)
    max_mb: float = use(MAX_MB)


@dataclass(frozen=True, kw_only=True)
class CheckCommand(Command):
    """Options of ``steady settings check``."""

    called = "settings check"
    help = "check a settings file, and report each error with its line"

    file: Path = use(
        shared.SETTINGS,
        "settings file (default: {default})",
        default=Path(shared.DEFAULT_SETTINGS),
        operand="?",
    )


@dataclass(frozen=True, kw_only=True)
class SchemaCommand(Command):
    """Options of ``steady settings schema``."""

    called = "settings schema"
    help = "print the JSON schema"


@dataclass(frozen=True, kw_only=True)
class MethodsCommand(Command):
    """``steady methods``: list all methods, with descriptions and sources."""

    called = "methods"
    json: bool = use(shared.JSON, "print JSON instead of tables")


@dataclass(frozen=True, kw_only=True)
class DemoCommand(Command):
    """``steady demo``: plan and compare JMH suites, from recorded runs."""

    called = "demo"

    out: Path = use(shared.OUT, "output folder (default: {default})", default=Path("build/demo"))


@dataclass(frozen=True, kw_only=True)
class PlotCommand(Command):
    """``steady plot``: plot the forks of one benchmark, with warm-up and planned iterations."""

    called = "plot"

    results: str = use(shared.RESULTS, "result file, folder or glob pattern", operand="1")
    name: str = use(
        BENCHMARK,
        "name of the benchmark with its parameters, the end of the name, or a pattern such as "
        "'*parse*'",
        operand="1",
    )
    format: str | None = use(shared.FORMAT)
    detector: str = use(shared.DETECTOR)
    plan: Path | None = use(
        shared.PLAN,
        "also show the iterations that this plan measures: its folder, such as "
        ".steady, or its file",
    )
    out: Path | None = use(
        shared.OUT,
        "output file: .png, .svg or .pdf (default: a PNG named after the benchmark)",
        metavar="FILE",
    )


@dataclass(frozen=True, kw_only=True)
class CompletionCommand(Command):
    """``steady completion``: print a completion script for a shell."""

    called = "completion"

    shell: Literal["bash", "zsh", "tcsh"] = use(SHELL, operand="1")
