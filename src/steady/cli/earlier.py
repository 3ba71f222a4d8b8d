"""Earlier runs, which teach how much runs of one version differ: as files, or kept somewhere."""

from __future__ import annotations

from steady.cli.common import load
from steady.cli.history import opened
from steady.cli.printing import note
from steady.errors import InputError
from steady.history import Fingerprint, Place, alike, open_past, resolve
from steady.model import Suite
from steady.options.compare_options import Comparing
from steady.options.plan_options import OptimizeCommand


def earlier_runs(arguments: Comparing | OptimizeCommand, suite: Suite) -> list[Suite]:
    """Return the earlier runs that the arguments name; of the history those like `suite`."""
    suites = [load([path], arguments.format) for path in arguments.earlier]
    if arguments.history is None:
        return suites
    among = None
    try:
        resolve("HEAD", Place())
    except InputError:
        note(
            "this folder is not a clone, so the runs of all commits in the history count, on any "
            "branch"
        )
    else:
        with open_past("HEAD", arguments.base_branch, Place()) as past:
            among = past.shared()
    with opened(arguments.history, Place()) as store:
        return [*suites, *alike(store, arguments.suite, Fingerprint.of(suite), among=among)]
