"""What to type next where something is not there yet: whole commands."""

from __future__ import annotations

import argparse
import math
import shlex
from collections.abc import Sequence
from pathlib import Path

from steady.cli.remedies import again
from steady.compare import Comparison
from steady.errors import InputError
from steady.run.run_file import read_run

FULL = "5x60"
"""The full run that is proposed: its warm-up is found, and forks are told apart."""

_HEADER = "run.json"
_BUILDS = {
    "pom.xml": "mvn package",
    "build.gradle": "./gradlew jmhJar",
    "build.gradle.kts": "./gradlew jmhJar",
    "build.sbt": "sbt Jmh/assembly",
    "go.mod": "go test -c -o benchmarks/ ./...",
}
"""What builds the benchmarks, by the file that tells how a project is built."""


def listing(arguments: argparse.Namespace) -> str:
    """Return the command that lists the benchmarks of a run."""
    return shlex.join(["steady", "run", "--list", *_harness(arguments), *_versions(arguments)])


def full_run(arguments: argparse.Namespace, out: str = "full") -> str:
    """Return the command of a full run of the newer version."""
    target = _target(arguments)
    words = ["--full", FULL, *_harness(arguments), "--jar", target, "--out", out]
    return shlex.join(["steady", "run", *words])


def without_plan(arguments: argparse.Namespace) -> str:
    """Return the command that needs no plan."""
    base, head = (_side(arguments, side) for side in ("base", "head"))
    pair = ["--base", base or "BASE", "--head", head or _target(arguments)]
    more = ["--time-budget", "10m", "--out", "results"]
    return shlex.join(["steady", "run", *_harness(arguments), *pair, *more])


def plan_is_there(path: Path, arguments: argparse.Namespace) -> Path:
    """Return the path of a plan.

    Raises
    ------
    InputError
        If there is none; the message says how to make one, and what needs none.
    """
    if path.exists():
        return path
    folder = path.parent if path.suffix == ".json" else path
    make = shlex.join(["steady", "optimize", "full", "--out", str(folder)])
    raise InputError(
        f"this plan does not exist yet; make one with `{full_run(arguments)}` and then `{make}`, "
        f"or run without one: `{without_plan(arguments)}`",
        source=path,
    )


def results_are_there(paths: Sequence[str], arguments: argparse.Namespace) -> None:
    """Raise InputError if the folder or file of a full run is not there, and say how to run it."""
    for name in paths:
        path = Path(name)
        if any(character in name for character in "*?[") or path.exists():
            continue
        out = str(path.parent if path.suffix else path)
        raise InputError(
            f"there are no results yet; run the benchmarks with `{full_run(arguments, out)}`",
            source=name,
        )


def build_hint() -> str:
    """Return what builds the benchmarks of the project in this folder; empty if nothing tells."""
    command = next((text for name, text in _BUILDS.items() if Path(name).is_file()), "")
    return f"; build them with `{command}`" if command else ""


def ways_to_tell(arguments: argparse.Namespace, comparison: Comparison) -> list[str]:
    """Return what tells more about what is unclear: a longer run, or a larger smallest change."""
    unclear = comparison.unclear
    if not unclear or not comparison.comparable:
        return []
    lines = []
    longer = _longer_run(Path(arguments.head[0]))
    if longer:
        lines.append(f"twice the time tells more: `{longer}`")
    sizes = sorted(change.excluded for change in unclear if math.isfinite(change.excluded))
    enough = math.floor(100 * sizes[(len(sizes) - 1) // 2]) + 1 if sizes else 100
    if enough < 100:
        command = again(arguments.argv, {"--min-change": f"{enough}%"})
        lines.append(f"to ask for less settles half of them: `{command}`")
    return lines


def _longer_run(results: Path) -> str:
    """Return the command of a run of twice the time; empty if no run of two versions made them."""
    try:
        run = read_run(results.with_name(_HEADER))
    except InputError:
        return ""
    targets = {target.name: target.path for target in run.header.versions}
    spent = sum((stretch.end or stretch.start) - stretch.start for stretch in run.sessions)
    if targets.keys() != {"base", "head"} or spent <= 0:
        return ""
    words = ["--plan", ".steady"] if run.header.plan else []
    for name, target in targets.items():
        words += [f"--{name}", target]
    out = f"{results.parent}-longer"
    minutes = max(math.ceil(2 * spent / 60), 1)
    return shlex.join(["steady", "run", *words, "--time-budget", f"{minutes}m", "--out", out])


def _side(arguments: argparse.Namespace, name: str) -> str:
    """Return the jar or folder of one version; empty where the command takes results instead."""
    value = getattr(arguments, name, None)
    return str(value) if isinstance(value, Path) else ""


def _target(arguments: argparse.Namespace) -> str:
    return _side(arguments, "jar") or _side(arguments, "head") or "BENCHMARKS"


def _versions(arguments: argparse.Namespace) -> list[str]:
    sides = ((name, _side(arguments, name)) for name in ("base", "head", "jar"))
    return [word for name, target in sides if target for word in (f"--{name}", target)]


def _harness(arguments: argparse.Namespace) -> list[str]:
    name = getattr(arguments, "harness", None)
    return ["--harness", name] if name else []
