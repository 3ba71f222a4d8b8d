"""Work for a sandboxed process; this module imports little, so that the process starts fast."""

import os
import signal
import sys
import time

from steady.action.confined import Ask
from steady.errors import InputError


def ask_and_fail(ask: Ask) -> dict[str, str]:
    """Raise an internal error."""
    raise ValueError(f"a mistake, {ask('name')}")


def ask_and_refuse(ask: Ask) -> dict[str, str]:
    """Raise a user error."""
    raise InputError(f"no use, {ask('name')}")


def surroundings(_: Ask) -> dict[str, object]:
    """Return the child's environment variables and resource limits."""
    import resource  # not available on every system

    limited = (resource.RLIMIT_CPU, resource.RLIMIT_AS, resource.RLIMIT_CORE)
    limits = [resource.getrlimit(kind)[0] for kind in limited]
    return {"names": sorted(os.environ), "safe_path": sys.flags.safe_path, "limits": limits}


def run_out_of_time(_: Ask) -> dict[str, str]:
    """Die as a process that has exceeded its CPU time on Linux."""
    signal.raise_signal(signal.SIGXCPU)
    return {}


def wait(_: Ask) -> dict[str, str]:
    """Use no CPU time, and all wall-clock time."""
    time.sleep(60.0)
    return {}


def run_out_of_memory(_: Ask) -> dict[str, str]:
    """Exhaust the memory, and raise a different error while cleaning up."""
    try:
        return {"length": str(len(bytearray(2**30)))}
    except MemoryError:
        raise OSError("no room to close the file") from None
