"""Keep a run on some of the machine's processors."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from steady.errors import InputError


@contextmanager
def pinned(processors: frozenset[int] | None) -> Iterator[None]:
    """Keep this thread, and all that it starts, on some processors until the end of the context.

    Parameters
    ----------
    processors : frozenset of int or None
        Their numbers, from 0; None, or `ANYWHERE`, for all that this process may use.

    Raises
    ------
    InputError
        If this system cannot do that, or the process may not use one of them.
    """
    if not processors:
        yield
        return
    if not hasattr(os, "sched_setaffinity"):
        raise InputError("--pin works on Linux only; leave it out")
    usable = os.sched_getaffinity(0)
    if not processors <= usable:
        missing = ", ".join(map(str, sorted(processors - usable)))
        raise InputError(
            f"--pin names processor {missing}; this process may use "
            f"{', '.join(map(str, sorted(usable)))}"
        )
    os.sched_setaffinity(0, processors)
    try:
        yield
    finally:
        os.sched_setaffinity(0, usable)
