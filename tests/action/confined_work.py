"""Work for a process of its own, which imports this module: little, so that it starts soon."""

import os
import signal
import sys
import time

from steady.action.confined import Ask
from steady.errors import InputError


def ask_and_fail(ask: Ask) -> dict[str, str]:
    """End by a mistake of ours."""
    raise ValueError(f"a mistake, {ask('name')}")


def ask_and_refuse(ask: Ask) -> dict[str, str]:
    """End by a mistake of the user."""
    raise InputError(f"no use, {ask('name')}")


def surroundings(_: Ask) -> dict[str, object]:
    """Return what the child sees of this process's environment, and its limits."""
    import resource  # which not every system has

    limited = (resource.RLIMIT_CPU, resource.RLIMIT_AS, resource.RLIMIT_CORE)
    limits = [resource.getrlimit(kind)[0] for kind in limited]
    return {"names": sorted(os.environ), "safe_path": sys.flags.safe_path, "limits": limits}


def run_out_of_time(_: Ask) -> dict[str, str]:
    """End as Linux ends a process that has used up its processor time."""
    signal.raise_signal(signal.SIGXCPU)
    return {}


def wait(_: Ask) -> dict[str, str]:
    """Take no processor time, and all time by the clock."""
    time.sleep(60.0)
    return {}


def run_out_of_memory(_: Ask) -> dict[str, str]:
    """Take more memory than there is, and fail with something else while cleaning up."""
    try:
        return {"length": str(len(bytearray(2**30)))}
    except MemoryError:
        raise OSError("no room to close the file") from None
