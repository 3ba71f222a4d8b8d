"""What the workflow asked for: each input declared once, and all checked before anything else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, cast

from steady import gate
from steady.action import kinds
from steady.action.inputs import MODES, Mode, declare, declared_in, optional
from steady.action.sticky import CommentWhen, WhenResolved
from steady.compare import DEFAULT_RULE, RULES
from steady.errors import InputError
from steady.github.problems import PREFIX
from steady.history import DEFAULT_STORE
from steady.history.git_command import is_branch_name
from steady.optimize import DEFAULT_STRATEGY, STRATEGIES
from steady.percent import LEVEL, POSITIVE, SHARE
from steady.stats import METRICS

DEFAULT_PLAN = ".steady/plan.json"

_COMPARING: tuple[Mode, ...] = ("compare", "report")
_TELLING: tuple[Mode, ...] = ("optimize", *_COMPARING)
_STRATEGY_OPTIONS = ("metric", "threshold", "budget", "detect", "power", "time_budget")


@dataclass(frozen=True, kw_only=True)
class ActionInputs:
    """The inputs, parsed.

    This is where they are declared: `make docs` writes them into `action.yml`,
    `action-types.yml` and the README. What only other modes use is left at its default.
    """

    mode: Mode = declare(
        kinds.choice(*MODES),
        "`optimize` makes a plan from a full run; `compare` compares two runs of the suite; "
        "`report` does so in a `workflow_run` job, with what another workflow's run left; `record` "
        "keeps the results of a run",
        required=True,
    )
    results: tuple[str, ...] = declare(
        kinds.PATTERNS,
        "Result files of the full run, or of the run to record, one path or pattern per line, "
        "relative to the workspace",
        default="",
        modes=("optimize", "record"),
        required=True,
    )
    jar: str | None = optional(
        kinds.PATH,
        "The benchmarks' jar; with it, JMH takes the plan of most benchmarks in one run",
        modes=("optimize",),
    )
    strategy: str = declare(
        kinds.choice(*STRATEGIES),
        "How the plan chooses: `error-budget` (time where it buys the most, within a predicted "
        "error), `detect` (least time that finds a change of one size; also where `detect` is "
        "given and this is left out) or `uoptime` (least repetition that is stable)",
        default=DEFAULT_STRATEGY,
        modes=("optimize",),
    )
    metric: str | None = optional(
        kinds.choice(*METRICS),
        "Stability metric of strategy `uoptime`: `rciw3`, `cv`, `rmad`, `rciw1`, `rciw2` or "
        "`rciw3-mean`; left out: `rciw3`",
        modes=("optimize",),
    )
    threshold: float | None = optional(
        kinds.percentage(POSITIVE),
        "Largest value of the metric that is still stable, as `0.01` or `1%`; left out: `1%`",
        modes=("optimize",),
    )
    budget: float | None = optional(
        kinds.percentage(POSITIVE),
        "Largest predicted error of strategy `error-budget`, for the median benchmark, as `0.03` "
        "or `3%`; left out: `3%`",
        modes=("optimize",),
    )
    detect: float | None = optional(
        kinds.percentage(POSITIVE),
        "Change that base and head in turn should find, as `0.05` or `5%`: the plan is the "
        "cheapest that does",
        modes=("optimize",),
    )
    power: float | None = optional(
        kinds.percentage(POSITIVE),
        "With `detect`: probability with which the change is found, as `0.8` or `80%`; left out: "
        "`80%`",
        modes=("optimize",),
    )
    time_budget: float | None = optional(
        kinds.TIME,
        "Time that a pull request may take, as `600`, `10m` or `1.5h`: base and head, all starts "
        "and further rounds; then the errors of strategy `error-budget` are as small as that "
        "allows. If the suite takes longer than that, each pull request looks at a part of it, in "
        "rotation",
        modes=("optimize",),
    )
    annotations: str | None = optional(
        kinds.PATH,
        "Folder of the benchmarks' Java sources: the plan as a diff of their annotations, and in "
        "the sources themselves with `commit`",
        modes=("optimize",),
    )
    commit: kinds.Destination | None = declare(
        kinds.DESTINATION,
        "Where the configuration is committed: `false`, `pull-request` (one, opened or updated) or "
        "`branch:NAME` (pushed)",
        default="false",
        modes=("optimize",),
    )
    commit_message: str = declare(
        kinds.SUBJECT,
        "First line of the commit's message, and title of the pull request",
        default="Update the benchmark plan",
        modes=("optimize",),
    )
    signoff: bool = declare(
        kinds.FLAG,
        "Whether the commit is signed off (`true` or `false`)",
        default="false",
        modes=("optimize",),
    )
    co_author: tuple[str, ...] = declare(
        kinds.PEOPLE,
        "Co-authors of the commit, as `Name <mail>`, one per line",
        default="",
        modes=("optimize",),
    )
    base: tuple[str, ...] = declare(
        kinds.PATTERNS,
        "Result files of the version before, one path or pattern per line, relative to the "
        "workspace; only with `history` may it be left out",
        default="",
        modes=("compare",),
    )
    head: tuple[str, ...] = declare(
        kinds.PATTERNS,
        "Result files of the version after, written like `base`",
        default="",
        modes=("compare",),
        required=True,
    )
    base_commit: str | None = optional(
        kinds.COMMIT,
        "Full hash of the commit that `base` was measured of, for the comment; left out: the one "
        "that `history` chose, if any",
        modes=("compare",),
    )
    plan: str | None = optional(
        kinds.PATH,
        "The plan that both runs followed, to notice what is missing; left out: "
        "`.steady/plan.json` where that file is",
        modes=(*_COMPARING, "record"),
    )
    history: str | None = optional(
        kinds.HISTORY,
        "Where results are kept from run to run: `git:` and a branch of its own, `artifact:` and "
        "an artifact's name, or a folder; `compare` takes the base from it where `base` is left "
        "out, and learns how much runs differ; left out: no history for `compare`, "
        "`git:steady-data` "
        "for `record`",
        modes=("compare", "record"),
    )
    record_on: Literal["default-branch", "anything"] = declare(
        kinds.choice("default-branch", "anything"),
        "Whose results `record` keeps: `default-branch` (pushes to the default branch and its "
        "scheduled runs, of the commit that the event names) or `anything` (of any event but a "
        "pull request from a fork: only for a workflow that never runs a stranger's code)",
        default="default-branch",
        modes=("record",),
    )
    rule: str = declare(
        kinds.choice(*RULES),
        "What counts as a change: `paired-t` (forks of base and head that ran together in a round "
        "decide, where `steady run` made rounds), `moderated-t` (forks decide, and the suite tells "
        "how much they differ), `overlap` (the rule of the µOpTime paper), `overlap-fast`, "
        "`overlap-forks` or `known-spread`",
        default=DEFAULT_RULE,
        modes=_COMPARING,
    )
    min_change: float = declare(
        kinds.percentage(SHARE),
        "Smallest change worth reporting, as `0.03` or `3%`",
        default="3%",
        modes=_COMPARING,
    )
    confidence: float | None = optional(
        kinds.percentage(LEVEL),
        "Confidence level of each benchmark's verdict, as `0.99` or `99%`; it decides alone, "
        "however many benchmarks there are; left out: what `false-alarms` asks for, or `99%`",
        modes=_COMPARING,
    )
    false_alarms: float | None = optional(
        kinds.percentage(POSITIVE),
        "The chance that a pull request which changes nothing gets any alarm, as `0.02` or `2%`; "
        "left out: what the settings file says, or `2%` where base and head took turns",
        modes=_COMPARING,
    )
    environment: Literal["say", "require-same"] = declare(
        kinds.choice("say", "require-same"),
        "What different CPUs, JDKs or JVM arguments of the two runs do: `say` names them, "
        "`require-same` makes the verdict `not-comparable`",
        default="say",
        modes=_COMPARING,
    )
    fail_on: frozenset[str] = declare(
        kinds.FAIL_ON,
        "What fails the job: some of `regression`, `incomplete`, `not-comparable`, `unclear` "
        "(benchmarks too noisy, or with too few runs, to tell) and `metric-regression` (more "
        "allocation, or another further result that is worse), separated by commas, or `never`",
        default=gate.DEFAULT,
        modes=_COMPARING,
    )
    metrics: tuple[str, ...] | None = optional(
        kinds.NAMES,
        "Metrics to list, whether they changed or not, such as `gc.alloc.rate.norm`, or `all`; "
        "allocation is always compared",
        modes=_COMPARING,
    )
    settings: str | None = optional(
        kinds.PATH,
        "Thresholds, benchmarks to ignore, acknowledged changes, and what is important in a plan "
        "with `time-budget`; left out: `.github/steady.yml` where that file is",
        modes=_TELLING,
    )
    workflow: str = declare(
        kinds.WORKFLOW,
        "File name of the workflow that measures; runs of any other are refused",
        default="steady-fork-measure.yml",
        modes=("report",),
    )
    artifact: str = declare(
        kinds.ARTIFACT,
        "Name of the artifact in which that workflow leaves its results",
        default="steady-results",
        modes=("report",),
    )
    out: str = declare(
        kinds.PATH,
        "Folder for what is written, inside the workspace; left out: `.steady` for `optimize`, "
        "otherwise `steady-report`",
        modes=_TELLING,
    )
    comment: CommentWhen = declare(
        kinds.COMMENT_WHEN,
        "What makes a comment on the pull request, updated in place by every later run: `always`, "
        "`changes` (better, worse or without result), `regressions` (worse or without result) or "
        "`never`",
        default="changes",
        modes=_TELLING,
    )
    when_resolved: WhenResolved = declare(
        kinds.choice("keep", "minimize", "delete"),
        "What steady does with the comment when nothing is wrong any more: `keep` it up to date, "
        "`minimize` it until something is, or `delete` it, which `comment: always` forbids",
        default="keep",
        modes=_TELLING,
    )
    check: bool = declare(
        kinds.FLAG,
        "Whether the commit gets a check run of its own, with annotations on the benchmarks' lines "
        "of source (`true` or `false`); it needs `checks: write`",
        default="false",
        modes=_COMPARING,
    )
    key: str = declare(
        kinds.KEY,
        "Name of the suite: tells its comment from those of others on the same pull request, and "
        "its runs in the history",
        default="default",
    )
    token: str = declare(
        kinds.TOKEN,
        "Token that writes the comment; it needs `pull-requests: write`, for `report` and for a "
        "history in an artifact also `actions: read`, for `history` `contents: read`, for `commit` "
        "`contents: write`, and for `record` only `contents: write`, or only `actions: read` with "
        "an artifact",
        default="${{ github.token }}",
        secret=True,
    )

    @property
    def strategy_options(self) -> dict[str, Any]:
        """The strategy's options that the workflow gave; the others keep their defaults."""
        given = {name: getattr(self, name) for name in _STRATEGY_OPTIONS}
        return {name: value for name, value in given.items() if value is not None}

    @property
    def history_artifact(self) -> str | None:
        """Name of the artifact that holds the history; None where something else does."""
        url = self.history or ""
        return (
            url.removeprefix(kinds.ARTIFACT_PREFIX)
            if url.startswith(kinds.ARTIFACT_PREFIX)
            else None
        )

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> ActionInputs:
        """Parse the inputs.

        Parameters
        ----------
        environ : mapping of str to str
            GitHub's runner sets ``INPUT_<NAME>`` for each input, empty where it is left out.

        Raises
        ------
        InputError
            With every problem in one message: which input, what was expected, what was given.
        """
        given = {i.field: environ.get(i.variable, "").strip() for i in INPUTS}
        # Without a mode nobody knows what the others have to be.
        mode: Mode = INPUTS[0].parse(given["mode"])
        values: dict[str, Any] = {}
        problems: list[str] = []
        for declared in INPUTS:
            try:
                values[declared.field] = declared.read(given[declared.field], mode)
            except InputError as error:
                values[declared.field] = None
                problems.append(str(error))
        if values["detect"] is not None and not given["strategy"]:
            values["strategy"] = "detect"
        problems += _contradictions(values)
        if problems:
            raise InputError("; ".join(problems))
        if mode == "record":
            values["history"] = values["history"] or DEFAULT_STORE
        values["out"] = values["out"] or (".steady" if mode == "optimize" else "steady-report")
        return cls(**{name: value for name, value in values.items() if value is not None})


INPUTS = declared_in(ActionInputs)


def _contradictions(values: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with inputs that are right one by one."""
    problems = _strategy_problems(values)
    key = values["key"]
    proposed = values["commit"] == kinds.Destination()
    if proposed and key is not None and not is_branch_name(f"{PREFIX}{key}"):
        problems.append(f"input `key`: {key!r} cannot end a branch's name, as `commit` needs it")
    if values["mode"] == "compare" and not (values["base"] or values["history"]):
        problems.append("input `base` is required by mode `compare`: give it, or `history`")
    if values["confidence"] is not None and values["false_alarms"] is not None:
        problems.append(
            "input `confidence`: it is about one benchmark, and `false-alarms` is about the whole "
            "pull request; leave one of them out"
        )
    if values["comment"] == "always" and values["when_resolved"] == "delete":
        problems.append(
            "input `when-resolved`: `delete` contradicts `comment: always`; write `comment: "
            "changes` or `comment: regressions`"
        )
    return problems


def _strategy_problems(values: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with options that the chosen strategy does not have."""
    if values["strategy"] is None:
        return []
    known = {option.name for option in fields(cast("Any", STRATEGIES[values["strategy"]].value))}
    useless = [n for n in _STRATEGY_OPTIONS if values[n] is not None and n not in known]
    return [
        f"input `{name.replace('_', '-')}` is not used by strategy `{values['strategy']}`: leave "
        "it out"
        for name in useless
    ]
