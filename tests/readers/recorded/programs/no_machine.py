"""A plugin of pytest that leaves the name of the machine out of what is recorded."""

from typing import Any


def pytest_benchmark_update_machine_info(machine_info: dict[str, Any]) -> None:
    machine_info.update(node="", release="", cpu={"brand_raw": "A cpu", "arch": "X86_64"})
