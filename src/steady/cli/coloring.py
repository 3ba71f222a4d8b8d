"""``--color``: whether output has colours, said as ``NO_COLOR`` and ``FORCE_COLOR`` say it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

CHOICES = ("auto", "always", "never")
_VARIABLES = ("FORCE_COLOR", "NO_COLOR")


@contextmanager
def coloring(choice: str) -> Iterator[None]:
    """Set the variables that all libraries read, for as long as a command runs.

    Parameters
    ----------
    choice : {"auto", "always", "never"}
        Auto leaves the variables as they are.
    """
    former = {name: os.environ.get(name) for name in _VARIABLES}
    wanted = {"always": "FORCE_COLOR", "never": "NO_COLOR"}.get(choice)
    if wanted is not None:
        for name in _VARIABLES:
            os.environ.pop(name, None)
        os.environ[wanted] = "1"
    try:
        yield
    finally:
        for name, value in former.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
