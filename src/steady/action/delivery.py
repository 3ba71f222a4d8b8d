"""Bringing comment and check run to GitHub, or saying why not: never a reason to fail the job."""

from __future__ import annotations

import time
from collections.abc import Callable

from github import Github

from steady.action.log import Log
from steady.action.outcome import ModeResult
from steady.action.settings import ActionInputs
from steady.github import Context, explain, post_comment
from steady.github.checks import CHECK_PERMISSION, Check, post_check
from steady.report.findings import Severity

Connect = Callable[[str, str], Github]
"""Given token and address of the API, a client: `steady.github.connect`."""


def deliver(
    outcome: ModeResult,
    settings: ActionInputs,
    context: Context,
    *,
    connect: Connect,
    log: Log,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Post comment and check run, where they are asked for and the token may.

    Parameters
    ----------
    outcome, settings, context
        What to post, what was asked for, and where.
    connect, log, sleep
        The effects.
    """
    if not outcome.marker:
        return
    missing = context.problem or ("" if settings.token else "there is no token")
    delivery = _Delivery(outcome, settings, context, connect, log, sleep)
    if settings.comment == "never":
        log.say("no comment, as `comment: never` asks")
    elif outcome.no_comment:
        log.annotate("notice", f"No comment: {outcome.no_comment}.")
    elif missing:
        log.annotate("notice", f"Dry run: {missing}. Nothing is posted; {delivery.elsewhere}.")
    elif context.pull_request is None:
        log.say(f"no comment, for the event `{context.event}` is not one of a pull request")
    else:
        for number in (context.pull_request, *outcome.also):
            delivery.comment(number)
    if outcome.check is None or outcome.no_comment:
        return
    if missing or not context.head:
        why = missing or "the commit is not known"
        log.annotate("notice", f"No check run: {why}; {delivery.elsewhere}.")
    else:
        delivery.check(outcome.check)


class _Delivery:
    """What `deliver` works with; each method posts one thing."""

    def __init__(
        self,
        outcome: ModeResult,
        settings: ActionInputs,
        context: Context,
        connect: Connect,
        log: Log,
        sleep: Callable[[float], None],
    ) -> None:
        self._outcome = outcome
        self._context = context
        self._connect = connect
        self._token = settings.token
        self._when = settings.comment
        self._log = log
        self._sleep = sleep
        self.elsewhere = f"the comment's text is in the job summary and in {outcome.comment_file}"

    def comment(self, number: int) -> None:
        """Create, update, fold or delete the comment."""
        context, log = self._context, self._log
        try:
            posted = post_comment(
                self._connect(self._token, context.api_url),
                context.repository,
                number,
                self._outcome.marker,
                self._outcome.comment,
                sleep=self._sleep,
            )
        except Exception as error:
            # Whatever the API answers, a proxy's page included: the verdict stands without it.
            self._warn(f"No comment: {explain(error, context)}; {self.elsewhere}.")
            return
        if posted.action == "not wanted":
            log.say(f"no comment: nothing that `comment: {self._when}` asks for")
        else:
            log.say(f"comment {posted.action}{posted.url and f': {posted.url}'}")
        if posted.not_folded is not None:
            what = "whether the comment is minimized"
            reason = explain(posted.not_folded, context, what=what, verb="change")
            self._warn(f"The comment is not minimized as `when-resolved` asks: {reason}.")

    def check(self, check: Check) -> None:
        """Create the check run."""
        context = self._context
        try:
            client = self._connect(self._token, context.api_url)
            posted = post_check(client, context.repository, context.head, check, sleep=self._sleep)
            self._log.say(f"check run {posted.action}: {posted.url}")
            if posted.namesake:
                self._log.annotate(
                    "warning",
                    f"Another check run of this commit is called {check.name!r} too, and steady "
                    f"did not make it: {posted.namesake}. Any job may bear that name, a job of the "
                    "pull request too; look at who made it before you trust it.",
                )
        except Exception as error:
            # As above.
            reason = explain(
                error,
                context,
                permission=CHECK_PERMISSION,
                what="the check run",
                missing=f"commit {context.head}",
            )
            self._warn(f"No check run: {reason}; {self.elsewhere}.")

    def _warn(self, text: str) -> None:
        # A fork's token cannot write, by GitHub's design: nobody did anything wrong.
        level: Severity = "notice" if self._context.fork else "warning"
        self._log.annotate(level, text)
