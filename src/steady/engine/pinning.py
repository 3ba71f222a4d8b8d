"""Processors of the machine that a run is kept on."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from steady.errors import InputError

ANYWHERE: frozenset[int] = frozenset()
"""What ``none`` stands for: nothing is kept anywhere, not even a benchmark's thread."""

_PART = re.compile(r"(\d{1,4})(?:-(\d{1,4}))?", re.ASCII)


def parse_processors(text: str) -> frozenset[int]:
    """Parse numbers of processors, in the form that ``taskset -c`` takes: ``1`` or ``0,2-3``.

    ``none`` gives `ANYWHERE`.

    Raises
    ------
    ValueError
        If it is not of this form.
    """
    if text == "none":
        return ANYWHERE
    numbers: set[int] = set()
    for part in text.split(","):
        match = _PART.fullmatch(part)
        first, last = (0, -1) if match is None else (int(match[1]), int(match[2] or match[1]))
        if first > last:
            raise ValueError(f"{text!r} does not name processors; write 1, 0,2-3 or none")
        numbers.update(range(first, last + 1))
    return frozenset(numbers)


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
