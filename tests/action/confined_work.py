"""Work for a process of its own, which imports this module: little, so that it starts soon."""

from __future__ import annotations

import os
import sys

from steady.action.confined import Ask
from steady.errors import InputError


def ask_and_fail(ask: Ask) -> dict[str, str]:
    """End by a mistake of ours."""
    raise ValueError(f"a mistake, {ask('name')}")


def ask_and_refuse(ask: Ask) -> dict[str, str]:
    """End by a mistake of the user."""
    raise InputError(f"no use, {ask('name')}")


def surroundings(_: Ask) -> dict[str, object]:
    """Return what the child sees of this process's environment."""
    return {"names": sorted(os.environ), "safe_path": sys.flags.safe_path}
