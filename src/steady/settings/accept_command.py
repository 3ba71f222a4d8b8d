"""Parser of the command by which a maintainer accepts a change: pattern, options, reason."""

import re

from steady.percent import BOUND
from steady.settings.repo_settings import Acceptance

SOURCE = "a comment on this pull request"

DEFAULT_BOUND = 0.2
"""Bound of a command without ``--bound``. It prevents the unnoticed acceptance of larger changes by
later commits."""

_LONGEST = 500  # maximum length of a pattern or a reason, as in the settings file
_OPTION = re.compile(r"--bound(?:[ \t]+|=)(\S*(?:[ \t]%(?!\S))?)(.*)")
_METRIC = re.compile(r"--metric(?:[ \t]+|=)(\S{1,100})(?!\S)(.*)")
_TOKEN = re.compile(r"\"([^\"]*)\"(?!\S)|'([^']*)'(?!\S)|`([^`]*)`(?!\S)|(\S+)")
_USAGE = 'write `/steady accept "PATTERN" --bound 20% REASON`; the default bound is 20%'


def parse_accept(arguments: str, author: str) -> Acceptance:
    """Parse one command; the bound defaults to `DEFAULT_BOUND`.

    Parameters
    ----------
    arguments : str
        Text after ``/steady accept`` in its line.
    author : str
        Author of the command.

    Raises
    ------
    ValueError
        If a part is missing or invalid; the message describes it.
    """
    bound, rest = _take_bound(None, arguments.strip())
    token = _TOKEN.match(rest)
    pattern = next((g for g in token.groups() if g is not None), "") if token else ""
    metric, rest = _take_metric(rest[token.end() :].strip() if token else "")
    bound, reason = _take_bound(bound, rest)
    if not pattern:
        raise ValueError(f"it does not name a benchmark; {_USAGE}")
    if not reason:
        raise ValueError(f"it does not give a reason; {_USAGE}")
    if max(len(pattern), len(reason)) > _LONGEST:
        raise ValueError(f"pattern and reason may have {_LONGEST} characters each")
    bound = DEFAULT_BOUND if bound is None else bound
    return Acceptance(pattern, reason, bound=bound, author=author, source=SOURCE, metric=metric)


def _take_metric(text: str) -> tuple[str, str]:
    """Parse ``--metric B/op`` at the beginning of `text`, if present."""
    option = _METRIC.match(text)
    return ("", text) if option is None else (option[1], option[2].strip())


def _take_bound(bound: float | None, text: str) -> tuple[float | None, str]:
    """Parse ``--bound 20%`` at the beginning of `text`, if present."""
    option = _OPTION.match(text)
    if option is None:
        return bound, text
    try:
        return BOUND.parse(option[1]), option[2].strip()
    except ValueError as error:
        raise ValueError(f"its bound cannot be read: {error}; {_USAGE}") from None
