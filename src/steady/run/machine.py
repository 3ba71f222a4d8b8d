"""The machine that a run happens on: what later readers must know to trust a comparison."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from pathlib import Path

from msgspec import Struct

from steady.parallel import available_processors

_CPUINFO = Path("/proc/cpuinfo")
_GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")


class Machine(Struct, frozen=True, forbid_unknown_fields=True):
    """The processor and the system.

    Parameters
    ----------
    cpu, os : str
        Model name of the processor; operating system, kernel and architecture.
    cores : int
        That this process may use.
    governor : str
        Of the processor's frequency; empty where unknown.
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

    def sidecar(self) -> str:
        """Return ``environment.json``, which `steady.load` reads beside results."""
        return json.dumps({"steady_environment": 1, "cpu": self.cpu, "os": self.os}) + "\n"


def load_average() -> float | None:
    """Return how many processes were at work on average during the last minute."""
    try:
        return round(os.getloadavg()[0], 2)
    except (OSError, AttributeError):  # Windows has none
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
    """Return what a program prints, and nothing where there is no such program."""
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
