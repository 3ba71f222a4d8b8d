"""The inputs of the action, validated together before anything else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, cast

from steady.action import input_fields
from steady.action.input_fields import CommentWhen, declare, declared_in, optional, own
from steady.errors import InputError
from steady.github.error_messages import PREFIX
from steady.history import DEFAULT_STORE
from steady.history.git_command import is_branch_name
from steady.optimize import STRATEGIES
from steady.options import shared_options as shared
from steady.options.compare_options import BASE, ENVIRONMENT, FAIL_ON, HEAD, METRICS
from steady.options.kinds import choice
from steady.options.option import MODES, Mode
from steady.options.plan_options import (
    ANNOTATIONS,
    BUDGET,
    DETECT,
    MIN_FORKS,
    POWER,
    STRATEGY,
    UNSTEADY,
)
from steady.options.run_options import BUILD
from steady.options.strictness import Strictness

DEFAULT_PLAN = ".steady/plan.json"

_COMPARING: tuple[Mode, ...] = ("compare", "report")
_WITH_OUTPUT: tuple[Mode, ...] = ("optimize", *_COMPARING)
_STRATEGY_OPTIONS = ("metric", "threshold", "budget", "detect", "power", "time_budget")


@dataclass(frozen=True, kw_only=True)
class ResultInputs:
    """The inputs that select the mode, the results, and the options of the plan."""

    mode: Mode = own(
        choice(*MODES),
        "`optimize` makes a plan from a full run; `compare` compares two runs of the suite; "
        "`report` compares the results of another workflow's run, in a `workflow_run` job; "
        "`record` adds the results of a run to the history",
        required=True,
    )
    results: tuple[str, ...] = declare(shared.RESULTS, input_fields.PATTERNS)
    jar: str | None = optional(BUILD, input_fields.PATH)
    annotations: str | None = optional(ANNOTATIONS, input_fields.PATH)
    strategy: str = declare(STRATEGY)
    metric: str | None = optional(shared.METRIC)
    threshold: float | None = optional(shared.THRESHOLD)
    budget: float | None = optional(BUDGET)
    detect: float | None = optional(DETECT)
    power: float | None = optional(POWER)
    time_budget: float | None = optional(shared.TIME_BUDGET)
    min_forks: int | None = optional(MIN_FORKS)
    unsteady: Literal["keep", "reduce"] = declare(UNSTEADY)
    detector: str = declare(shared.DETECTOR)
    similarity: str = declare(shared.SIMILARITY)
    commit: input_fields.Destination | None = own(
        input_fields.DESTINATION,
        "Whether and where to commit the configuration: `false`, `pull-request` (opened or "
        "updated) or `branch:NAME` (pushed)",
        default="false",
        modes=("optimize",),
    )
    commit_message: str = own(
        input_fields.SUBJECT,
        "First line of the commit message, and title of the pull request",
        default="Update the benchmark plan",
        modes=("optimize",),
    )
    base: tuple[str, ...] = declare(BASE, input_fields.PATTERNS)
    head: tuple[str, ...] = declare(HEAD, input_fields.PATTERNS)
    base_commit: str | None = own(
        input_fields.COMMIT,
        "Full hash of base's commit, for the comment; default: the commit chosen from "
        "`history`, if any",
        modes=("compare",),
    )
    measured: Literal["here", "elsewhere"] | None = own(
        choice("here", "elsewhere"),
        "Where the results were measured: `here`, in this job, or `elsewhere`, in another job. "
        "Results from elsewhere are untrusted: they are read in the sandbox of mode `report`, "
        "and cannot narrow the comparison. Default: `elsewhere` for the events `issue_comment`, "
        "`pull_request_target` and `workflow_run`, otherwise `here`",
        modes=("compare",),
    )
    only: str | None = optional(shared.ONLY)
    plan: str | None = optional(shared.PLAN, input_fields.PATH)
    history: str | None = optional(shared.HISTORY, input_fields.HISTORY)
    record_on: Literal["default-branch", "anything"] = own(
        choice("default-branch", "anything"),
        "Runs that `record` accepts: `default-branch` (pushes to the default branch and its "
        "scheduled runs, for the commit of the event) or `anything` (all events except pull "
        "requests from forks; only for workflows that never run untrusted code)",
        default="default-branch",
        modes=("record",),
    )


@dataclass(frozen=True, kw_only=True)
class ActionInputs(Strictness, ResultInputs):
    """The inputs, parsed; those of `ResultInputs` come first.

    `make docs` writes them to `action.yml`, `action-types.yml` and the page of inputs. Inputs that
    apply only to other modes keep their defaults.
    """

    environment: Literal["say", "require-same"] = declare(ENVIRONMENT)
    fail_on: frozenset[str] = declare(FAIL_ON, input_fields.FAIL_ON)
    metrics: tuple[str, ...] | None = optional(METRICS, input_fields.NAMES)
    settings: str | None = optional(shared.SETTINGS, input_fields.PATH)
    workflow: str = own(
        input_fields.WORKFLOW,
        "File name of the measuring workflow; runs of other workflows are rejected",
        default="steady-fork-measure.yml",
        modes=("report",),
    )
    artifact: str = own(
        input_fields.ARTIFACT,
        "Name of the artifact with that workflow's results",
        default="steady-results",
        modes=("report",),
    )
    out: str = declare(shared.OUT, input_fields.PATH)
    comment: CommentWhen = own(
        input_fields.COMMENT_WHEN,
        "When to create a comment on the pull request, which later runs update: `always`, "
        "`changes` (regressions, improvements or missing results), `regressions` (regressions "
        "or missing results) or `never`",
        default="changes",
        modes=_WITH_OUTPUT,
    )
    key: str = declare(shared.SUITE, input_fields.KEY)
    token: str = own(
        input_fields.TOKEN,
        "Token for GitHub's API; it needs `pull-requests: write` for the comment, `actions: "
        "read` for mode `report`, `contents: read` for `history` and `contents: write` for "
        "`commit`; mode `record` needs only `contents: write`",
        default="${{ github.token }}",
        secret=True,
    )

    @property
    def strategy_options(self) -> dict[str, Any]:
        """The strategy's options set by the workflow; the others keep their defaults."""
        given = ((name, getattr(self, name)) for name in _STRATEGY_OPTIONS)
        return {name: value for name, value in given if value is not None}

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> ActionInputs:
        """Parse the inputs.

        Parameters
        ----------
        environ : mapping of str to str
            Environment, with ``INPUT_<NAME>`` from GitHub's runner for each input; empty if not
            set.

        Raises
        ------
        InputError
            If any input is invalid. The message lists every problem: the input, the expected and
            the given value.
        """
        given = {i.field: environ.get(i.variable, "").strip() for i in INPUTS}
        # Without a mode, the other inputs cannot be validated.
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
    """Return the problems of inputs that are valid individually, but not together."""
    problems, key = _strategy_problems(values), values["key"]
    proposed = values["commit"] == input_fields.Destination() and key is not None
    if proposed and not is_branch_name(f"{PREFIX}{key}"):
        problems.append(
            f"input `key`: {key!r} is not a valid end of a branch name, which "
            "`commit` requires; choose another key"
        )
    if values["mode"] == "compare" and not (values["base"] or values["history"]):
        problems.append("input `base` is required by mode `compare`: set it, or `history`")
    if values["confidence"] is not None and values["false_alarms"] is not None:
        problems.append(
            "inputs `confidence` (for one benchmark) and `false-alarms` (for the whole pull "
            "request) exclude each other: remove one of them"
        )
    return problems


def _strategy_problems(values: Mapping[str, Any]) -> list[str]:
    """Return the problems of options that the chosen strategy does not have."""
    if (strategy := values["strategy"]) is None:
        return []
    known = {option.name for option in fields(cast("Any", STRATEGIES[strategy].value))}
    return [
        f"input `{name.replace('_', '-')}` is not used by strategy `{strategy}`: remove it"
        for name in _STRATEGY_OPTIONS
        if values[name] is not None and name not in known
    ]
