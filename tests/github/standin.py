"""A local stand-in for GitHub's API: a real server with state and injected faults.

Tests exercise PyGithub and its retries against it instead of a mock of them. Every request and
reply is validated by GitHub's published OpenAPI description (see `description`); violations fail
the test when the stand-in is closed.

To add a route, write a function in a module ``standin_<what>.py`` beside this one, and import that
module below::

    from standin_state import Answer, Call, StandIn, refusal, route

    @dataclass
    class Pulls:                       # the state of its own, reached by state.part(Pulls)
        rows: list[dict[str, Any]] = field(default_factory=list)

    @route("GET", "/repos/{owner}/{repo}/pulls/{pull_number}")   # as GitHub's description has it
    def read_pull(state: StandIn, call: Call) -> Answer:
        rows = [r for r in state.part(Pulls).rows if r["number"] == int(call.path["pull_number"])]
        return (200, rows[0], {}) if rows else refusal(404, "Not Found")

Of the path's names only ``{ref}`` and ``{path}`` match slashes; `paged` cuts lists into pages. A
test plants failures with `StandIn.fail` and looks at `StandIn.requests`.
"""

import standin_comments
from standin_server import CUT, HANG, github, impatient
from standin_state import BOT, REPOSITORY, StandIn

__all__ = ["BOT", "CUT", "HANG", "PARTS", "REPOSITORY", "StandIn", "github", "impatient"]

PARTS = (standin_comments,)
"""Modules with routes in the table; others must be imported explicitly."""
