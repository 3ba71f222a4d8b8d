"""The machine of a run, as results record it."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from steady.processors import available_processors

_CPUINFO = Path("/proc/cpuinfo")
_GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")


class Machine(Struct, frozen=True, forbid_unknown_fields=True):
    """The processor and the system.

    Parameters
    ----------
    cpu, os : str
        Model name of the processor; operating system, kernel and architecture.
    cores : int
        How many cores this process may use.
    governor : str
        The governor of the processor's frequency; empty if it is unknown.
    """

    cpu: str
    os: str
    cores: int
    governor: str

    @classmethod
    def here(cls) -> Machine:
        """Describe this machine."""
        name = platform.uname()
        return cls(
            cpu=_processor(),
            os=f"{name.system} {name.release} {name.machine}",
            cores=available_processors(),
            governor=_read(_GOVERNOR).strip(),
        )


def sidecar(machines: Sequence[Machine]) -> str:
    """Return ``environment.json``, which `steady.load` reads beside results."""
    cpu = _joined(machine.cpu for machine in machines)
    system = _joined(machine.os for machine in machines)
    return json.dumps({"steady_environment": 1, "cpu": cpu, "os": system}) + "\n"


def _joined(names: Iterable[str]) -> str:
    # Sorted, so that it does not matter which shard ran on which machine.
    return "; ".join(sorted(set(filter(None, names))))


def load_average() -> float | None:
    """Return the load average of the last minute; None if it is unknown."""
    try:
        return round(os.getloadavg()[0], 2)
    except (OSError, AttributeError):  # Windows does not have it
        return None


def _processor() -> str:
    """Return the processor's name, from Linux or macOS; elsewhere its architecture."""
    return (
        _value("model name", _read(_CPUINFO))
        or _answer("sysctl", "-n", "machdep.cpu.brand_string")
        or _value("Model name", _answer("lscpu"))
        or platform.machine()
    )


def _value(key: str, text: str) -> str:
    pairs = (line.partition(":") for line in text.splitlines())
    return next((value.strip() for name, _, value in pairs if name.strip() == key), "")


def _answer(*command: str) -> str:
    """Return the output of a program; empty if it is not installed or fails."""
    program = shutil.which(command[0])
    if program is None:
        return ""
    run = subprocess.run(  # noqa: S603 - fixed arguments
        [program, *command[1:]], capture_output=True, text=True, check=False
    )
    return run.stdout.strip() if run.returncode == 0 else ""


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
