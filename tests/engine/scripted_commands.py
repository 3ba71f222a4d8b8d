"""Commands with the scripted harness as the only one."""

import re
import shlex
from pathlib import Path

import pytest
from scripted_harness import ScriptedHarness

import steady.cli.run
import steady.engine.discovery
import steady.engine.harness_detection
import steady.engine.request
import steady.harnesses
from steady.cli import main
from steady.engine import HarnessSettings
from steady.harness import Running
from steady.registry import Registered, Registry

MODULES = (
    steady.engine.discovery,
    steady.engine.harness_detection,
    steady.engine.request,
    steady.harnesses,
    steady.cli.run,
)
"""Those that look up a harness by its name."""


def only_harness(
    monkeypatch: pytest.MonkeyPatch, own: ScriptedHarness | None = None
) -> ScriptedHarness:
    """Register one scripted harness as the only one; it records its settings."""
    harness = ScriptedHarness() if own is None else own

    def make(settings: HarnessSettings) -> ScriptedHarness:
        harness.settings = settings  # type: ignore[attr-defined]
        return harness

    kind = Running(lambda target: target.suffix == ".jar", make)
    registry = Registry("harness", Registered(harness.name, "a script", "here", kind))
    for module in MODULES:
        monkeypatch.setattr(module, "RUNNABLE", registry)
    for name in ("GITHUB_ACTIONS", "GITHUB_REF", "GITHUB_RUN_NUMBER"):
        monkeypatch.delenv(name, raising=False)
    return harness


def stand_in_folder_of_jars(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Change to a folder with the jars of base and head."""
    monkeypatch.chdir(folder)
    for name in ("base.jar", "head.jar"):
        Path(name).write_text(f"content of {name}")


def typed(command: str) -> int:
    """Run a command as it was printed."""
    words = shlex.split(command)
    assert words[0] == "steady"
    return main(words[1:])


def commands_of(text: str) -> list[str]:
    """Return the commands in a text."""
    return re.findall(r"`(steady [^`]+)`", text)
