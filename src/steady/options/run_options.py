"""Options of measurements: ``steady run``, ``steady merge`` and ``steady changed``."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import ClassVar, Literal

from steady.options import kinds
from steady.options import shared_options as shared
from steady.options.command import Command
from steady.options.option import InAction, Option, use
from steady.options.strictness import Strictness

BUILD = Option(
    "jar", kinds.PATH, metavar="JAR",
    action=InAction(
        "The benchmarks' jar; with it, JMH takes the plan of most benchmarks in one run",
        modes=("optimize",),
    ),
)  # fmt: skip
"""A build of one version's benchmarks: JMH's jar, or a folder of Go test binaries."""

TARGET = Option("target", kinds.TARGET, metavar="TARGET")
"""A build, a check-out in which a command runs, or a command."""

WORDS = Option(
    "words", kinds.TEXT, metavar="WORD",
    help="behind --: what to run in the check-outs of base and head, such as pytest benchmarks",
)  # fmt: skip

FULL = Option(
    "full", kinds.COUNTS,
    help="run everything for `steady optimize`: forks x iterations, such as 5x60; the warm-up is "
    "measured too",
)  # fmt: skip

HARNESS = Option(
    "harness", kinds.registered_in("steady.harnesses:RUNNABLE"),
    help="harness that runs them (default: what the plan says, or what fits the file)",
)  # fmt: skip

JAVA = Option(
    "java", kinds.TEXT, default="java", metavar="PROGRAM",
    help="the java of JMH (default: {default})",
)  # fmt: skip

JVM_ARG = Option(
    "jvm-arg", kinds.TEXT, metavar="ARGUMENT", takes="each",
    help="another argument for every forked JVM, as --jvm-arg=-Xmx1g; may be repeated",
)  # fmt: skip

LIST = Option("list", kinds.FLAG, help="print the names of the benchmarks, and run nothing")

DRY_RUN = Option(
    "dry-run", kinds.FLAG,
    help="print what would run, in its order and with its seconds, and run nothing",
)  # fmt: skip

RESUME = Option("resume", kinds.FLAG, help="continue the run that --out holds, if any")

LIST_TIMEOUT = Option(
    "list-timeout", kinds.SECONDS, default=30.0,
    help="Go: skip a benchmark if its first run, which lists its sub-benchmarks, takes longer "
    "than so many seconds (default: {default})",
)  # fmt: skip

NEW_RUNS = Option(
    "new", kinds.NEW,
    help="with --plan: how benchmarks run that are not in the plan, as forks x iterations of 1 s, "
    "after a warm-up of the same length; or skip (default: 5x5)",
)  # fmt: skip

SHARD = Option(
    "shard", kinds.PART,
    help="run only part K of N, of nearly equal time; `steady merge` joins their results",
)  # fmt: skip

ROTATED = Option(
    "rotation", kinds.ROTATION,
    help="if the time is too short for all benchmarks: number of the part to look at, or all "
    "(default: on GitHub the number of the pull request, or of the workflow's run; elsewhere "
    "--seed; with --only all)",
)  # fmt: skip

ITERATION_SECONDS = Option(
    "iteration-seconds", kinds.SECONDS,
    help="with --full: longest time of an iteration; a benchmark that declares less keeps that "
    "(default: 1)",
)  # fmt: skip

FORK_TIMEOUT = Option(
    "fork-timeout", kinds.SECONDS,
    help="stop a fork after so many seconds (default: ten times the expected time, plus 60)",
)  # fmt: skip

RANDOM_SEED = Option(
    "seed", kinds.SEED, default=0, help="seed of the random order (default: {default})"
)

TURNS = Option(
    "turns", kinds.choice("iterations", "forks"),
    help="iterations: a fork of base and a fork of head run at the same time and take turns; "
    "forks: one runs after the other (default: iterations)",
)  # fmt: skip

SAME_CODE = Option(
    "same-code", kinds.choice("skip", "run"), others=("settings",),
    help="skip benchmarks that run the same code in base and head, except for a tenth of them as "
    "a control, or run them all (default: what the settings say, or skip). It is told for JMH by "
    "bytecode, Go by test binaries, Google Benchmark by whole programs, and pytest-benchmark and "
    "pyperf by all files that a benchmark reads",
)  # fmt: skip

ALL_ROUNDS = Option(
    "all-rounds", kinds.FLAG,
    help="measure all planned rounds of every benchmark, even if its verdict is clear earlier",
)  # fmt: skip


COUNT = Option(
    "count", kinds.choice("allocations", "instructions"), takes="each",
    help="pytest-benchmark, pyperf, commands: count these too, in five further runs of each "
    "benchmark that are not timed; may be repeated",
)  # fmt: skip

STOP = Option(
    "stop", kinds.registered_in("steady.steadystate:ONLINE", metavar="METHOD"),
    help="JMH: end the warm-up of a fork when this method says so, and the measurement when it is "
    "stable; a fork never runs more iterations than --plan or --full says, and two forks that "
    "take turns end together (`steady methods` lists methods)",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Measuring(Command):
    """Options that say which benchmarks are measured, how, and for how long."""

    plan: Path | None = use(shared.PLAN, "what to run: .steady, or a plan.json")
    full: tuple[int, int] | None = use(FULL)
    command: tuple[str, ...] = use(WORDS, operand="*")
    base: Path | str | None = use(
        TARGET,
        "benchmarks of base, built; or a check-out, or a command in quotes; base and head may also "
        "be named without these options",
    )
    head: Path | str | None = use(TARGET, "the same of head")
    jar: Path | None = use(
        BUILD,
        "benchmarks of a single version; with --full or --list they may also be named without this "
        "option",
    )
    harness: str | None = use(HARNESS)
    java: str = use(JAVA)
    jvm_arg: tuple[str, ...] = use(JVM_ARG)
    out: Path | None = use(shared.OUT, "where the results go; needed to run")
    list: bool = use(LIST)
    dry_run: bool = use(DRY_RUN)
    resume: bool = use(RESUME)
    only: str | None = use(
        shared.ONLY,
        "run only benchmarks whose name matches; for Go, also those that go test -bench would run "
        "(default: what the plan was made with)",
    )
    list_timeout: float = use(LIST_TIMEOUT)
    new: tuple[int, int] | None = use(NEW_RUNS)
    shard: tuple[int, int] | None = use(SHARD)
    rotation: int | str | None = use(ROTATED)
    iteration_seconds: float | None = use(ITERATION_SECONDS)
    fork_timeout: float | None = use(FORK_TIMEOUT)
    seed: int = use(RANDOM_SEED)
    turns: Literal["iterations", "forks"] | None = use(TURNS)
    time_budget: float | None = use(
        shared.TIME_BUDGET,
        "how long the whole run may take, such as 600, 10m or 1.5h; it ends earlier when every "
        "verdict is clear (default: what the plan takes for both versions, but at most the time "
        "budget that it was made for). A run without --plan and --full needs only this: it finds "
        "the end of the warm-up while it runs",
    )
    same_code: Literal["skip", "run"] | None = use(SAME_CODE)
    all_rounds: bool = use(ALL_ROUNDS)
    count: tuple[str, ...] = use(COUNT)
    stop: str | None = use(STOP)


@dataclass(frozen=True, kw_only=True)
class RunCommand(Strictness, Measuring):
    """``steady run``: measure base and head in turn, as the plan says."""

    called = "run"
    ending = """\
exit codes:
  0    every fork left a result
  1    some did not; the others are there
  2    a mistake in the command, or the results cannot be written
  130  stopped by Ctrl-C or SIGTERM; what was measured is there, and --resume goes on
"""
    usage = "steady run BASE HEAD --time-budget TIME --out FOLDER [options] [-- COMMAND]"
    groups: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "basics": (
            *("base", "head", "jar", "out", "time_budget"),
            *("only", "list", "dry_run", "resume"),
        ),
        "plan": ("plan", "full", "new", "shard", "rotation", "iteration_seconds", "all_rounds"),
        "expert": (
            *("harness", "java", "jvm_arg", "list_timeout", "fork_timeout", "seed", "turns"),
            *("count", "same_code", "stop"),
            *(one.name for one in fields(Strictness)),
            "settings",
        ),
    }
    exclusive = (("plan", "full"), ("list", "dry_run"))
    words_behind = "command"

    settings: Path | None = use(shared.SETTINGS)

    @property
    def line(self) -> str:
        """The command line, quoted for a shell; ``--jar`` is omitted before other builds."""
        words, target = self.words, str(self.jar)
        alone = self.jar is not None and self.base is None and self.head is None
        known = alone and (self.full is not None or self.list)
        if not known or target.endswith(".jar") or target.startswith("-"):
            return super().line
        place = words.index("--jar")
        called, *others = words[:place] + words[place + 2 :]
        return shlex.join(["steady", called, target, *others])


@dataclass(frozen=True, kw_only=True)
class MergeCommand(Command):
    """``steady merge``: join the results of the shards of a run, and say what is missing."""

    called = "merge"
    ending = """\
exit codes:
  0  all is there
  1  something is missing; what is there has been joined
  2  the folders do not belong together, or cannot be read or written
"""

    shards: tuple[str, ...] = use(
        shared.RESULTS, "a folder that `steady run` wrote", metavar="SHARD", operand="+"
    )
    out: Path = use(shared.OUT, "where the joined results go", required=True)
    plan: Path | None = use(
        shared.PLAN, "the plan that the shards followed, to name benchmarks that no shard has"
    )


@dataclass(frozen=True, kw_only=True)
class ChangedCommand(Command):
    """``steady changed``: list the benchmarks that run the same code in base and head."""

    called = "changed"
    words_behind = "command"
    command: tuple[str, ...] = use(WORDS, operand="*")
    base: Path = use(BUILD, "benchmarks of base, built; or a check-out", required=True)
    head: Path = use(BUILD, "the same of head", required=True)
    only: str | None = use(shared.ONLY, "list only benchmarks whose name matches")
    java: str = use(JAVA)
    jvm_arg: tuple[str, ...] = use(JVM_ARG)
    json: bool = use(shared.JSON, "print the list as JSON")
