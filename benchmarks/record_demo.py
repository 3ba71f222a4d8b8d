"""Record the demo again: base and head of ``examples/jmh-demo``, measured without a plan.

::

    examples/jmh-demo/build.sh
    python benchmarks/record_demo.py examples/jmh-demo/target
    make docs                       # the figures of the recording, wherever they are quoted

It replaces ``src/steady/demo/results/pull-request`` only if the recording is good: all planted
changes are found, no other change is reported, and no file contains a path of this machine.
``--anyway`` replaces it in any case. The seed also decides which benchmarks are the control. With
seed 0 one of them is ``AuditBenchmark.recordEvent``, which never becomes steady and uses up the
time of the others.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import steady
from docs.planted_changes import false_alarms, finds_renamed, is_found, seen, short
from steady.demo import COMMAND, PACKED, Command, PullRequest, recording
from steady.files import json_text

LARGE = ("base.json", "head.json", "series/base.json")
SMALL = ("same-code.json", "environment.json")
"""Files of the run's folder to keep. They include the results of all forks."""

DIGITS = 6
"""Number of significant digits to keep; further digits are noise and do not compress."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, check the results, and replace the recording."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("jars", type=Path, help="the folder with base.jar and head.jar")
    parser.add_argument("--time-budget", default="5m")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--anyway", action="store_true", help="replace it even if it is not good")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder, fresh = Path(name), PullRequest(Path(name) / "packed")
        words = words_of(options.time_budget, options.seed)
        pack(folder / "results", fresh.folder, measure(folder, options.jars, words))
        wrong = list(problems(fresh))
        for problem in wrong:
            print(f"not good: {problem}", file=sys.stderr)
        if wrong and not options.anyway:
            kept = Path(tempfile.mkdtemp(prefix="demo-recording-")) / "pull-request"
            shutil.copytree(fresh.folder, kept)
            print(f"nothing was replaced; what was measured is in {kept}", file=sys.stderr)
            return 1
        with recording() as recorded:
            target = recorded.pull_request.folder
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(fresh.folder, target)
    print(f"wrote {target}; now run `make docs`")
    return 0


def words_of(time_budget: str, seed: int) -> tuple[str, ...]:
    """Return the recorded command."""
    versions = ("--base", "base.jar", "--head", "head.jar")
    more = ("--time-budget", time_budget, "--seed", str(seed), "--out", "results")
    return ("steady", "run", *versions, *more)


def measure(folder: Path, jars: Path, words: tuple[str, ...]) -> Command:
    """Run the command in a separate folder, so that its output contains no absolute paths."""
    for name in ("base.jar", "head.jar"):
        shutil.copy(jars / name, folder)
    program = Path(sys.executable).with_name(words[0])
    began = time.monotonic()
    subprocess.run([program, *words[1:]], cwd=folder, check=True)
    return Command(words, round(time.monotonic() - began, 1))


def pack(run: Path, target: Path, command: Command) -> None:
    """Keep the files of a run that the demo needs; large ones are rounded and compressed."""
    for name in LARGE:
        packed = target / f"{name}{PACKED}"
        packed.parent.mkdir(parents=True, exist_ok=True)
        content = rounded(json.loads((run / name).read_bytes()))
        text = json.dumps(content, separators=(",", ":"), ensure_ascii=False)
        packed.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    for name in SMALL:
        shutil.copy(run / name, target)
    (target / COMMAND).write_text(json_text(command), encoding="utf-8")


def rounded(value: Any) -> Any:
    """Return plain data with `DIGITS` significant digits of every fraction."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, list):
        return [rounded(one) for one in value]
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    return value


def problems(fresh: PullRequest) -> Iterator[str]:
    """Return deviations from the planted changes, and absolute paths in the files."""
    base, head = steady.load(fresh.base), steady.load(fresh.head)
    comparison = steady.compare(base, head)
    for planted, change in seen(comparison):
        if not is_found(planted, change):
            yield f"{planted.name} was not found: {planted.outcome}, {planted.size}"
    for alarm in false_alarms(comparison):
        yield f"{short(alarm.identity.name)} is a false alarm: {alarm.outcome}"
    if not finds_renamed(comparison):
        yield "the renamed benchmark was not found"
    if comparison.ledger.failed or comparison.ledger.not_run:
        yield "some benchmarks failed or were not looked at"
    if not comparison.controls:
        yield "no benchmark was measured as a control"
    for path in sorted(fresh.folder.rglob("*")):
        if path.is_file():
            yield from (f"{path.name} names {text}" for text in sorted(set(paths_in(path))))


def paths_in(path: Path) -> Iterator[str]:
    """Yield the absolute paths in a JSON file, except that of Java."""
    data = path.read_bytes()
    content = json.loads(gzip.decompress(data) if path.suffix == PACKED else data)
    waiting = [content]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, str) and _names_a_path(one):
            yield one


def _names_a_path(text: str) -> bool:
    words = text.replace("=", " ").split()
    return any(word.startswith("/") and not word.endswith("/bin/java") for word in words)


if __name__ == "__main__":
    raise SystemExit(main())
