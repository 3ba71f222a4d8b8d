"""The check run of a commit: a verdict beside it."""

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Literal

from github import Github
from github.CheckRun import CheckRun

from steady.github.client import PAGE, address, get

CHECK_PERMISSION = "checks: write"
_OURS = "steady:"

SUMMARY_CHARACTERS = 65_535
"""Most characters of a check run's summary."""

Conclusion = Literal["success", "neutral", "failure"]


@dataclass(frozen=True, slots=True)
class Check:
    """The content of a check run.

    Parameters
    ----------
    name : str
        Distinguishes it from other check runs of the commit; GitHub shows the latest of a name.
    conclusion : {"success", "neutral", "failure"}
        Only the last can hold a merge up.
    title, summary : str
        One line, and Markdown of at most `SUMMARY_CHARACTERS`.
    """

    name: str
    conclusion: Conclusion
    title: str
    summary: str

    @property
    def external_id(self) -> str:
        """What finds the check run again: the same text, the same check run."""
        text = json.dumps(asdict(self), sort_keys=True)
        return f"{_OURS}{hashlib.sha256(text.encode()).hexdigest()[:32]}"


@dataclass(frozen=True, slots=True)
class Checked:
    """The outcome of posting a check run.

    Parameters
    ----------
    action : {"created", "up to date"}
        What was done by the last attempt.
    url : str
        Where people find it.
    namesake : str
        Page of another check run of that commit and name, which steady did not make; empty where
        there is none. A job of any workflow makes one of its own name, a pull request's too.
    """

    action: Literal["created", "up to date"]
    url: str
    namesake: str = ""


def post_check(client: Github, repository: str, commit: str, check: Check) -> Checked:
    """Give a commit a check run, unless it has this very one; may be repeated.

    Parameters
    ----------
    client : Github
        See `steady.github.connect`.
    repository, commit : str
        Where it belongs.
    check : Check
        What it says. Where it differs from an earlier one of its name, GitHub shows the new one
        in its place.

    Raises
    ------
    GithubException, OSError
        If GitHub refuses or does not answer.
    """
    named = _named(client, f"/repos/{repository}/commits/{commit}/check-runs", check.name)
    others = (run.html_url for run in named if not (run.external_id or "").startswith(_OURS))
    namesake = next(others, "")
    present = next((run for run in named if run.external_id == check.external_id), None)
    run = present or client.get_repo(repository).create_check_run(
        check.name,
        commit,
        external_id=check.external_id,
        status="completed",
        conclusion=check.conclusion,
        output={"title": check.title, "summary": check.summary},
    )
    return Checked("up to date" if present else "created", address(run.html_url), namesake)


def _named(client: Github, path: str, name: str) -> list[CheckRun]:
    """Return the latest check runs of a name; to PyGithub, null is a list without any."""
    listed = get(client, path, check_name=name, filter="latest", per_page=PAGE)["check_runs"]
    if not isinstance(listed, list) or not all(isinstance(run, dict) for run in listed):
        raise TypeError("expected check runs")
    return [CheckRun(client.requester, {}, run) for run in listed]
