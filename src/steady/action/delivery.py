"""Bringing the comment to the pull request, or saying why not: never a reason to fail the job."""

from __future__ import annotations

import time
from collections.abc import Callable

from github import Github

from steady.action.log import Level, Log
from steady.action.outcome import Outcome
from steady.action.settings import Settings
from steady.github import Context, explain, post_comment

Connect = Callable[[str, str], Github]
"""Given token and address of the API, a client: `steady.github.connect`."""


def deliver(
    outcome: Outcome,
    settings: Settings,
    context: Context,
    *,
    connect: Connect,
    log: Log,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Post the comment, where there is a pull request and a token that may.

    Parameters
    ----------
    outcome, settings, context
        What to post, what was asked for, and where.
    connect, log, sleep
        The effects.
    """
    elsewhere = f"the comment's text is in the job summary and in {outcome.comment_file}"
    missing = context.problem or ("" if settings.token else "there is no token")
    if not settings.comment:
        log.say("no comment, as `comment: false` asks")
    elif missing:
        log.annotate("notice", f"Dry run: {missing}. Nothing is posted; {elsewhere}.")
    elif context.pull_request is None:
        log.say(f"no comment, for the event `{context.event}` is not one of a pull request")
    else:
        try:
            client = connect(settings.token, context.api_url)
            posted = post_comment(
                client,
                context.repository,
                context.pull_request,
                outcome.marker,
                outcome.comment,
                sleep=sleep,
            )
            log.say(f"comment {posted.action}: {posted.url}")
        except Exception as error:
            # Whatever the API answers, a proxy's page included: the verdict stands without it.
            # A fork's token cannot write, by GitHub's design: nobody did anything wrong.
            level: Level = "notice" if context.fork else "warning"
            log.annotate(level, f"No comment: {explain(error, context)}; {elsewhere}.")
