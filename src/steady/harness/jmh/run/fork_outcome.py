"""Outcome of a fork: its record, or the reason why it has none.

JMH exits with code 0 even if a benchmark threw an exception or its JVM died, so only a complete
record counts as success.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from steady import safe_open
from steady.errors import InputError
from steady.execution.fork_log import text_of
from steady.harness.document import Document
from steady.harness.jmh.read.json_results import tidied
from steady.harness.jmh.read.log_parser import parse
from steady.harness.trial import Trial, TrialError
from steady.model import Identity
from steady.text.numbers import count

RAW = ("rawData", "rawDataHistogram")
"""Keys of the measurements in a record: the second one in sample mode."""

_EXIT_CODE = "forked VM failed with exit code "
_NOTICE = "Picked up "
_AFTER_NOTICE = re.compile(r": Picked up \w+: .*")
_LONGEST_REASON = 300
_THREW = "the benchmark threw: "
_CAUSE = re.compile(r"^Caused by: (\S.*)$", re.MULTILINE)


def check_result(path: Path, trial: Trial, *, at_least: bool = False) -> None:
    """Raise TrialError unless a file contains all of a trial's measurements and nothing else.

    With `at_least`, more iterations are allowed.
    """
    records = read_records(path)
    if len(records) != 1 or not _is_of(records[0], trial.identity):
        raise TrialError(f"JMH wrote {len(records)} results, and not the expected one")
    rows = raw_data(records[0])
    measured = [len(row) for row in rows]
    wanted = trial.configuration.iterations
    if measured != [wanted] and not (at_least and len(measured) == 1 and measured[0] > wanted):
        raise TrialError(
            f"JMH wrote {sum(measured)} of {trial.configuration.iterations} iterations, in "
            f"{count(len(measured), 'fork')}"
        )


def read_records(path: Path) -> list[dict[str, Any]]:
    """Return the records in a file of JMH; none if it is missing or empty.

    Raises
    ------
    TrialError
        If the file contains anything else.
    """
    try:
        text = safe_open.read_regular(path).decode("utf-8", "replace") if path.exists() else ""
        if not text.strip():
            return []
        data = Document(path, text).data
    except InputError as error:
        raise TrialError(f"JMH's result cannot be read: {error.problem}") from None
    if not isinstance(data, list) or not all(isinstance(record, dict) for record in data):
        raise TrialError("JMH's result is not a list of records")
    return data


def raw_data(record: Mapping[str, Any]) -> list[list[Any]]:
    """Return the measurements of a record, one row per fork.

    Raises
    ------
    TrialError
        If the record contains none.
    """
    metric = record.get("primaryMetric", {})
    rows = next((metric[key] for key in RAW if key in metric), None)
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise TrialError("JMH's result lacks individual measurements")
    return rows


def reason(log: Path, answer: str, errors: Path) -> str:
    """Return why a fork has no result, as one line; empty if the reason is unknown.

    Parameters
    ----------
    log : Path
        JMH's log of the fork.
    answer : str
        The problem that the host JVM reported; empty if it reported none.
    errors : Path
        Standard error of the host JVM.
    """
    printed = [line for line in text_of(errors).splitlines() if line.strip()]
    last = next((line for line in reversed(printed) if not line.startswith(_NOTICE)), "")
    return one_line(_failure(log) or answer or last)


def one_line(text: str) -> str:
    """Return a text as one line without control characters."""
    line = " ".join(text.split())
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
    return shown if len(shown) <= _LONGEST_REASON else f"{shown[:_LONGEST_REASON]}..."


def _failure(log: Path) -> str:
    with suppress(InputError):  # unreadable scores are irrelevant here
        document = Document(log, text_of(log))
        failures = [benchmark.failure for benchmark in parse(document) if benchmark.failure]
        last = failures[-1] if failures else ""
        plain = last.removeprefix("failure: ").replace(_EXIT_CODE, "its JVM ended with code ")
        return _AFTER_NOTICE.sub("", _with_root_cause(plain, document.text))
    return ""


def _with_root_cause(failure: str, log: str) -> str:
    """Return a failure with its root cause, the last cause in the stack trace."""
    threw, separator, _ = failure.partition(_THREW)
    _, _, trace = log.rpartition("<failure>")
    causes = _CAUSE.findall(trace)
    return f"{threw}{separator}{causes[-1]}" if separator and causes else failure


def _is_of(record: Mapping[str, Any], identity: Identity) -> bool:
    name = (record.get("benchmark"), record.get("mode"), record.get("threads"))
    params = {key: tidied(str(value)) for key, value in record.get("params", {}).items()}
    wanted = {key: tidied(value) for key, value in identity.params}
    return name == (identity.name, identity.mode, identity.threads) and params == wanted
