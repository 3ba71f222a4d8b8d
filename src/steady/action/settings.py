"""What the workflow asked for, checked before anything else happens."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, cast

from steady import gate
from steady.action.commit_inputs import Destination, destination, people
from steady.action.inputs import INPUTS, MODES, Input, Mode
from steady.action.sticky import CommentWhen, WhenResolved
from steady.compare import DEFAULT_RULE, RULES
from steady.duration import seconds_of
from steady.errors import InputError
from steady.github.commit_message import LONGEST_SUBJECT, subject
from steady.github.configuration_problems import PREFIX
from steady.history import DEFAULT_BRANCH, DEFAULT_STORE
from steady.history.git_command import is_branch_name
from steady.optimize import DEFAULT_STRATEGY, STRATEGIES
from steady.stats import METRICS

DEFAULT_PLAN = ".steady/plan.json"

_WORKFLOW = re.compile(r"[A-Za-z0-9._-]{1,100}\.ya?ml")
_ARTIFACT = re.compile(r"""[^"':<>|*?/\\\x00-\x1f\x7f]{1,100}""")
_IN_ARTIFACT = "artifact:"
_WHEN: tuple[CommentWhen, ...] = ("always", "changes", "regressions", "never")
_KEY = re.compile(r"(?!.*--)[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


_STRATEGY_OPTIONS = ("metric", "threshold", "budget", "time_budget")


@dataclass(frozen=True, kw_only=True)
class ActionInputs:
    """The inputs, parsed; see `steady.action.inputs` for what each means.

    What only other modes use is None, or empty.
    """

    mode: Mode
    results: tuple[str, ...] = ()
    jar: str | None = None
    strategy: str = DEFAULT_STRATEGY
    metric: str | None = None
    threshold: float | None = None
    budget: float | None = None
    time_budget: float | None = None
    annotations: str | None = None
    commit: Destination | None = None
    commit_message: str = "Update the benchmark plan"
    signoff: bool = False
    co_author: tuple[str, ...] = ()
    base: tuple[str, ...] = ()
    head: tuple[str, ...] = ()
    plan: str | None = None
    history: str | None = None
    record_on: Literal["default-branch", "anything"] = "default-branch"
    rule: str = DEFAULT_RULE
    min_change: float = 0.03
    confidence: float = 0.99
    environment: Literal["say", "require-same"] = "say"
    fail_on: frozenset[str] = frozenset(gate.CONDITIONS)
    settings: str | None = None
    workflow: str = "steady-fork-measure.yml"
    artifact: str = "steady-results"
    out: str
    comment: CommentWhen = "always"
    when_resolved: WhenResolved = "keep"
    check: bool = False
    key: str = "default"
    token: str = field(default="", repr=False)

    @property
    def strategy_options(self) -> dict[str, Any]:
        """What the strategy is told beside its own defaults."""
        given = {name: getattr(self, name) for name in _STRATEGY_OPTIONS}
        return {name: value for name, value in given.items() if value is not None}

    @property
    def history_artifact(self) -> str | None:
        """Name of the artifact that holds the history; None where something else does."""
        url = self.history or ""
        return url.removeprefix(_IN_ARTIFACT) if url.startswith(_IN_ARTIFACT) else None

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
        mode = given["mode"]
        if mode not in MODES:
            raise InputError(_problem("mode", _one_of(MODES), mode))
        problems: list[str] = []
        values = {i.field: _value(i, given[i.field], mode, problems) for i in INPUTS}
        problems += _strategy_problems(values)
        problems += _branch_problems(values)
        problems += _base_problems(values)
        if values["comment"] == "always" and values["when_resolved"] == "delete":
            problems.append(
                "input `when-resolved`: `delete` contradicts `comment: always`; write `comment: "
                "changes` or `comment: regressions`"
            )
        if problems:
            raise InputError("; ".join(problems))
        if mode == "record":
            values["history"] = values["history"] or DEFAULT_STORE
        values["out"] = values["out"] or (".steady" if mode == "optimize" else "steady-report")
        return cls(**{name: value for name, value in values.items() if value is not None})


def _value(declared: Input, text: str, mode: str, problems: list[str]) -> Any:
    """Parse one input; None where it is left out or cannot be parsed."""
    if mode not in declared.modes:
        if text and text != declared.default:
            problems.append(f"input `{declared.name}` is of no use to mode `{mode}`: leave it out")
        return None
    # The default of the token is an expression that only GitHub can fill in.
    text = text or ("" if declared.name == "token" else declared.default)
    if not text:
        if declared.required:
            problems.append(f"input `{declared.name}` is required by mode `{mode}`: give it")
        return None
    parse, expected = _PARSERS[declared.field]
    try:
        return parse(text)
    except (ValueError, KeyError):
        problems.append(_problem(declared.name, expected, text))
        return None


def _strategy_problems(values: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with options that the chosen strategy does not have."""
    if values["strategy"] is None:
        return []
    known = {option.name for option in fields(cast("Any", STRATEGIES[values["strategy"]].value))}
    useless = [n for n in _STRATEGY_OPTIONS if values[n] is not None and n not in known]
    return [
        f"input `{name.replace('_', '-')}` is of no use to strategy `{values['strategy']}`: leave "
        "it out"
        for name in useless
    ]


def _branch_problems(values: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with a key that a branch cannot be called after."""
    proposed = values["commit"] == Destination()
    if not proposed or values["key"] is None or is_branch_name(f"{PREFIX}{values['key']}"):
        return []
    return [f"input `key`: {values['key']!r} cannot end a branch's name, as `commit` needs it"]


def _base_problems(values: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the two ways to what head is compared with."""
    if values["mode"] != "compare" or values["base"] or values["history"]:
        return []
    return ["input `base` is required by mode `compare`: give it, or `history`"]


def _problem(name: str, expected: str, given: str) -> str:
    shown = given if len(given) <= 80 else given[:79] + "…"
    return f"input `{name}`: expected {expected}, got {shown!r}"


def _one_of(names: tuple[str, ...]) -> str:
    return " or ".join(f"`{name}`" for name in names)


def _choice(*names: str) -> tuple[Callable[[str], Any], str]:
    return lambda text: names[names.index(text)], _one_of(names)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _path(text: str) -> str:
    if "\n" in text or "\0" in text:
        raise ValueError(text)
    return text


def _fraction(text: str) -> float:
    """Parse a fraction from 0 up to, not with, 1."""
    percent = text.endswith("%")
    value = float(text.removesuffix("%")) / (100.0 if percent else 1.0)
    if not 0.0 <= value < 1.0:
        raise ValueError(text)
    return value


def _positive(text: str) -> float:
    value = _fraction(text)
    if value == 0.0:
        raise ValueError(text)
    return value


def _matching(pattern: re.Pattern[str], expected: str) -> tuple[Callable[[str], Any], str]:
    def parse(text: str) -> str:
        if not pattern.fullmatch(text):
            raise ValueError(text)
        return text

    return parse, expected


def _when(text: str) -> CommentWhen:
    """Parse when to comment; `true` and `false` are what it was called before."""
    named = {"true": "always", "false": "never"}.get(text.lower(), text)
    return _WHEN[cast("tuple[str, ...]", _WHEN).index(named)]


def _history(text: str) -> str:
    """Parse where the history is: a branch, an artifact or a folder."""
    if text.startswith("git:"):
        if not is_branch_name(text.removeprefix("git:") or DEFAULT_BRANCH):
            raise ValueError(text)
    elif text.startswith(_IN_ARTIFACT):
        if not _ARTIFACT.fullmatch(text.removeprefix(_IN_ARTIFACT)):
            raise ValueError(text)
    elif ":" in text:
        raise ValueError(text)
    return _path(text)


def _flag(text: str) -> bool:
    return {"true": True, "false": False}[text.lower()]


_COMMIT = (destination, "`false`, `pull-request` or `branch:` and a branch's name")
_MESSAGE = (subject, f"one line of at most {LONGEST_SUBJECT} characters")
_PEOPLE = (people, "`Name <mail>`, one a line")
_PATTERNS = (_lines, "paths or patterns, one a line")
_ONE_PATH = (_path, "one path")
_FRACTION = (_fraction, "a fraction from 0 to below 1, such as `0.03` or `3%`")
_POSITIVE = (_positive, "a fraction between 0 and 1, such as `0.01` or `1%`")

_PARSERS: Mapping[str, tuple[Callable[[str], Any], str]] = {
    "mode": _choice(*MODES),
    "results": _PATTERNS,
    "jar": _ONE_PATH,
    "strategy": _choice(*STRATEGIES),
    "metric": _choice(*METRICS),
    "threshold": _POSITIVE,
    "budget": _POSITIVE,
    "time_budget": (seconds_of, "a time, such as `600`, `10m` or `1.5h`"),
    "annotations": _ONE_PATH,
    "commit": _COMMIT,
    "commit_message": _MESSAGE,
    "signoff": (_flag, "`true` or `false`"),
    "co_author": _PEOPLE,
    "base": _PATTERNS,
    "head": _PATTERNS,
    "plan": _ONE_PATH,
    "history": (
        _history,
        "`git:` and a branch's name, `artifact:` and an artifact's, or a folder; for other places "
        "run `steady history` in a step",
    ),
    "record_on": _choice("default-branch", "anything"),
    "rule": _choice(*RULES),
    "min_change": _FRACTION,
    "confidence": (_positive, "a level between 0 and 1, such as `0.99` or `99%`"),
    "environment": _choice("say", "require-same"),
    "fail_on": (gate.parse_fail_on, f"some of {', '.join(gate.CONDITIONS)}, or never"),
    "settings": _ONE_PATH,
    "workflow": _matching(_WORKFLOW, "the name of a file in .github/workflows"),
    "artifact": _matching(_ARTIFACT, "an artifact's name as `actions/upload-artifact` takes it"),
    "out": _ONE_PATH,
    "comment": (_when, _one_of(_WHEN)),
    "when_resolved": _choice("keep", "minimize", "delete"),
    "check": (_flag, "`true` or `false`"),
    "key": _matching(_KEY, "at most 64 letters, digits, `.`, `_` and single `-`"),
    "token": (str, "a token"),
}
