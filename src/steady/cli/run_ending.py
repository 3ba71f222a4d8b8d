"""What ``steady run`` says at its end: what the time was too short for, and what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from steady.cli.watching import say
from steady.run import Harness, RunFolder, RunState, Version
from steady.run.follow_up import Looks
from steady.run.series import write_series
from steady.text.counting import count, listed
from steady.text.escape import visible


def say_what_had_no_time(state: RunState, looks: Looks) -> None:
    """Name the benchmarks that had fewer rounds than the first decision needs."""
    short = state.too_few_rounds(looks)
    if short:
        labels = [identity.label for identity in short]
        say(
            f"the time was too short to look at {count(len(labels), 'benchmark')} "
            f"({listed(labels)}); give more by --time-budget, name fewer by --only, or look at "
            "others by another --rotation"
        )


def say_next_step(
    harness: Harness, versions: Sequence[Version], state: RunState, folder: RunFolder
) -> None:
    """Write what was learnt of base, and name the command that makes the first plan of it."""
    base = versions[0]
    path = folder.merged(base.name)
    jar: list[str] = []
    if harness.name == "jmh":
        path = write_series(harness, base, state, folder) or path
        jar = ["--jar", str(base.target)]
    both = [folder.merged(version.name) for version in versions]
    if all(one.is_file() for one in (path, *both)):
        words = ["steady", "optimize", str(path), "--detect", "5%", *jar]
        command = shlex.join([*words, "--earlier", *map(str, both)])
        print(f"a plan of what was learnt: {visible(command)}")
