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
        "Jar of the benchmarks, so that a single JMH run follows the plan for most benchmarks",
        modes=("optimize",),
    ),
)  # fmt: skip
"""A build of one version's benchmarks: JMH's jar, or a folder of Go test binaries."""

TARGET = Option("target", kinds.TARGET, metavar="TARGET")
"""A build, a check-out in which a command runs, or a command."""

WORDS = Option(
    "words", kinds.TEXT, metavar="WORD",
    help="after --: command to run in the check-outs of base and head, such as pytest benchmarks",
)  # fmt: skip

FULL = Option(
    "full", kinds.COUNTS,
    help="run the full suite for `steady optimize`, as forks x iterations such as 5x60; warm-up "
    "iterations are recorded too",
)  # fmt: skip

HARNESS = Option(
    "harness", kinds.registered_in("steady.harnesses:RUNNABLE"),
    help="harness of the benchmarks (default: from the plan, or detected from the build)",
)  # fmt: skip

JAVA = Option(
    "java", kinds.TEXT, default="java", metavar="PROGRAM",
    help="Java executable for JMH (default: {default})",
)  # fmt: skip

JVM_ARG = Option(
    "jvm-arg", kinds.TEXT, metavar="ARGUMENT", takes="each",
    help="additional argument for each forked JVM, as --jvm-arg=-Xmx1g; may be repeated",
)  # fmt: skip

LIST = Option("list", kinds.FLAG, help="print the names of the benchmarks, without measuring")

DRY_RUN = Option(
    "dry-run", kinds.FLAG,
    help="print the forks in execution order with their expected durations, without measuring",
)  # fmt: skip

RESUME = Option("resume", kinds.FLAG, help="continue the earlier run in --out, if there is one")

LIST_TIMEOUT = Option(
    "list-timeout", kinds.SECONDS, default=30.0,
    help="Go: maximum duration in seconds of the run that lists a benchmark's sub-benchmarks; "
    "slower benchmarks are skipped (default: {default})",
)  # fmt: skip

NEW_RUNS = Option(
    "new", kinds.NEW,
    help="with --plan: configuration of benchmarks missing from the plan, as forks x iterations "
    "of 1 s, after an equally long warm-up; or skip (default: 5x5)",
)  # fmt: skip

SHARD = Option(
    "shard", kinds.PART,
    help="run only shard K of N shards of nearly equal duration; `steady merge` joins the results",
)  # fmt: skip

ROTATED = Option(
    "rotation", kinds.ROTATION,
    help="number of the part to measure if the time budget is too short for all benchmarks, or "
    "all (default: number of the pull request or workflow run on GitHub, otherwise --seed; all "
    "with --only)",
)  # fmt: skip

ITERATION_SECONDS = Option(
    "iteration-seconds", kinds.SECONDS,
    help="with --full: maximum duration of an iteration in seconds; shorter declared durations "
    "are kept (default: 1)",
)  # fmt: skip

FORK_TIMEOUT = Option(
    "fork-timeout", kinds.SECONDS,
    help="maximum duration of a fork in seconds (default: ten times the expected duration, plus "
    "60)",
)  # fmt: skip

RANDOM_SEED = Option(
    "seed", kinds.SEED, default=0, help="seed of the random execution order (default: {default})"
)

TURNS = Option(
    "turns", kinds.choice("iterations", "forks"),
    help="interleaving of base and head. iterations: their forks run at the same time and "
    "alternate in short turns; forks: they run one after the other (default: iterations)",
)  # fmt: skip

PAIRS = Option(
    "pairs", kinds.POSITIVE,
    help="number of benchmarks that are measured simultaneously, each on a processor of its own "
    "(default: 1; during screening 2, if there are two processors)",
)  # fmt: skip

SAME_CODE = Option(
    "same-code", kinds.choice("skip", "run"), others=("settings",),
    help="benchmarks with an identical code path in base and head: skip them, except for a "
    "tenth as controls, or run them all (default: from the settings, or skip). Compared are the "
    "bytecode (JMH), test binaries (Go), whole programs (Google Benchmark), or all files that a "
    "benchmark reads (pytest-benchmark, pyperf)",
)  # fmt: skip

ALL_ROUNDS = Option(
    "all-rounds", kinds.FLAG,
    help="measure all planned rounds of every benchmark, even after its verdict is clear",
)  # fmt: skip


COUNT = Option(
    "count", kinds.choice("allocations", "instructions"), takes="each",
    help="pytest-benchmark, pyperf, commands: additional counter, from five untimed runs of "
    "each benchmark; may be repeated",
)  # fmt: skip

STOP = Option(
    "stop", kinds.registered_in("steady.steadystate:ONLINE", metavar="METHOD"),
    help="JMH: end the warm-up of a fork when this method detects the steady state, and the "
    "measurement when it is stable; --plan or --full limits the iterations, and interleaved "
    "forks end together (`steady methods` lists the methods)",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Measuring(Command):
    """Options that select the benchmarks, their configuration and the duration."""

    plan: Path | None = use(shared.PLAN, "plan to follow: its folder, such as .steady, or its file")
    full: tuple[int, int] | None = use(FULL)
    command: tuple[str, ...] = use(WORDS, operand="*")
    base: Path | str | None = use(
        TARGET,
        "build or check-out of base, or a quoted command; base and head can also be given "
        "without these options",
    )
    head: Path | str | None = use(TARGET, "build or check-out of head, or a quoted command")
    jar: Path | None = use(
        BUILD,
        "build of a single version; with --full or --list it can also be given without this option",
    )
    harness: str | None = use(HARNESS)
    java: str = use(JAVA)
    jvm_arg: tuple[str, ...] = use(JVM_ARG)
    out: Path | None = use(shared.OUT, "output folder; required for a run")
    list: bool = use(LIST)
    dry_run: bool = use(DRY_RUN)
    resume: bool = use(RESUME)
    only: str | None = use(
        shared.ONLY,
        "run only benchmarks whose name matches; for Go, also those that go test -bench would "
        "run (default: from the plan)",
    )
    list_timeout: float = use(LIST_TIMEOUT)
    new: tuple[int, int] | None = use(NEW_RUNS)
    shard: tuple[int, int] | None = use(SHARD)
    rotation: int | str | None = use(ROTATED)
    iteration_seconds: float | None = use(ITERATION_SECONDS)
    fork_timeout: float | None = use(FORK_TIMEOUT)
    seed: int = use(RANDOM_SEED)
    turns: Literal["iterations", "forks"] | None = use(TURNS)
    pairs: int | None = use(PAIRS)
    time_budget: float | None = use(
        shared.TIME_BUDGET,
        "maximum duration of the run, such as 600, 10m or 1.5h; the run ends earlier once all "
        "verdicts are clear (default: duration of the plan for both versions, at most the "
        "plan's own time budget). Without --plan and --full, the end of the warm-up is detected "
        "during the run",
    )
    same_code: Literal["skip", "run"] | None = use(SAME_CODE)
    all_rounds: bool = use(ALL_ROUNDS)
    count: tuple[str, ...] = use(COUNT)
    stop: str | None = use(STOP)


@dataclass(frozen=True, kw_only=True)
class RunCommand(Strictness, Measuring):
    """``steady run``: measure base and head, interleaved."""

    called = "run"
    ending = """\
exit codes:
  0    all forks succeeded
  1    some forks failed; the results of the others are written
  2    invalid command or input, or the results cannot be written
  130  interrupted by Ctrl-C or SIGTERM; finished forks are kept, and --resume continues
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
            *("pairs", "count", "same_code", "stop"),
            *(one.name for one in fields(Strictness)),
            "settings",
        ),
    }
    exclusive = (("plan", "full"), ("list", "dry_run"))
    words_behind = "command"

    settings: Path | None = use(shared.SETTINGS)

    @property
    def line(self) -> str:
        """The command line, quoted for a shell; ``--jar`` is omitted if the build is no jar."""
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
    """``steady merge``: join the results of a run's shards, and report missing benchmarks."""

    called = "merge"
    ending = """\
exit codes:
  0  complete
  1  incomplete; the available results are joined
  2  the folders belong to different runs, or cannot be read or written
"""

    shards: tuple[str, ...] = use(
        shared.RESULTS, "output folder of `steady run`", metavar="SHARD", operand="+"
    )
    out: Path = use(shared.OUT, "folder for the joined results", required=True)
    plan: Path | None = use(
        shared.PLAN, "plan of the shards, to report benchmarks missing from all shards"
    )


@dataclass(frozen=True, kw_only=True)
class ChangedCommand(Command):
    """``steady changed``: list the benchmarks with an identical code path in base and head."""

    called = "changed"
    words_behind = "command"
    command: tuple[str, ...] = use(WORDS, operand="*")
    base: Path = use(BUILD, "build or check-out of base", required=True)
    head: Path = use(BUILD, "build or check-out of head", required=True)
    only: str | None = use(shared.ONLY, "list only benchmarks whose name matches")
    java: str = use(JAVA)
    jvm_arg: tuple[str, ...] = use(JVM_ARG)
    json: bool = use(shared.JSON, "print the list as JSON")
