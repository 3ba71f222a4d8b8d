"""Annotations of real projects: a plan that is made up for every benchmark, written as a patch.

``python -m evaluation.annotations FOLDER... [--class-path JARS]`` copies the sources of each
folder, makes the patch for a made-up plan, has ``git apply`` apply it, and counts. After it, the
same plan must change nothing more, and the sources must be what they were outside of annotations
and imports. With ``--class-path``, ``javac`` compiles the patched sources of Java with JMH's
processor, and JMH's list is held against the plan.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from steady.harness.jmh.annotate.annotating import annotate
from steady.harness.jmh.annotate.benchmarks import found_benchmarks
from steady.harness.jmh.annotate.folder import read_folder
from steady.harness.jmh.annotate.grammar import parsed
from steady.harness.jmh.annotate.names import Names
from steady.harness.jmh.configure.benchmark_list import BenchmarkListEntry
from steady.harness.jmh.run.jar import declared_by
from steady.model import ExecutionConfiguration, Identity
from steady.optimize.suite_plan import BenchmarkPlan, Plan

if TYPE_CHECKING:
    from tree_sitter import Node

_NOT_COMPARED = frozenset({"annotation", "marker_annotation", "import", "import_declaration"})
_SEMICOLONS = "semi"


@dataclass(frozen=True)
class Figures:
    """What became of the sources of a project.

    Parameters
    ----------
    sources, benchmarks : int
        Files that hold benchmarks, and benchmarks.
    changed : int
        Files that the patch changes.
    same_outside : int
        Those of them that are as before outside of annotations and imports.
    stable : bool
        Whether the same plan changes nothing more.
    notes : tuple of str
        What was left alone, and why.
    compiled : str
        What JMH's list says; empty where nothing was compiled.
    """

    sources: int
    benchmarks: int
    changed: int
    same_outside: int
    stable: bool
    notes: tuple[str, ...]
    compiled: str = ""


def made_up(name: str) -> BenchmarkPlan:
    """Return a plan for a benchmark, which depends on the name of its method alone."""
    number = crc32(name.encode())
    warmup, iterations, forks = 1 + number % 9, 3 + number // 9 % 9, 2 + number // 81 % 4
    seconds = (1.0, 0.1, 0.25)[number // 324 % 3]
    one = ExecutionConfiguration(forks, warmup, iterations, seconds, seconds)
    return BenchmarkPlan(Identity(name, "avgt"), one, one, 1.0, 1.0, "reduced", "")


def measure(folder: Path, work: Path, class_path: str) -> Figures:
    """Annotate a copy of a folder's sources."""
    shutil.copytree(folder, work, ignore=shutil.ignore_patterns(".git", "target", "build"))
    before = read_folder(work)
    found = found_benchmarks(Names(before.files), Plan((), "uoptime"))
    plan = Plan(tuple(made_up(one.name) for one in found), "uoptime")
    patched = annotate(plan, work)
    if patched.patch:
        subprocess.run(["git", "apply", "-"], cwd=work, input=patched.patch, check=True)
    texts = {file.path: file.text for file in before.files}
    same = sum(
        [*tokens(path, texts[path])] == [*tokens(path, path.read_bytes())] for path in patched.files
    )
    held = {member.place.file.path for one in found for member in one.members}
    return Figures(
        len(held), len(found), len(patched.files), same, annotate(plan, work).patch == b"",
        patched.notes, compiled(work, class_path, plan) if class_path else "",
    )  # fmt: skip


def tokens(path: Path, text: bytes) -> Iterator[bytes]:
    """Yield the words of a source outside of annotations and imports."""
    stack: list[Node] = [parsed({".java": "java", ".kt": "kotlin"}[path.suffix], text)]
    while stack:
        node = stack.pop()
        if node.type in _NOT_COMPARED or node.type.endswith(_SEMICOLONS):
            continue
        if not node.children:
            yield node.text or b""
        stack.extend(reversed(node.children))


def compiled(work: Path, class_path: str, plan: Plan) -> str:
    """Compile sources of Java with JMH's processor; say how many benchmarks are as planned."""
    with tempfile.TemporaryDirectory() as classes:
        files = [str(path) for path in work.rglob("*.java")]
        command = ["javac", "-nowarn", "-encoding", "UTF-8", "-cp", class_path, "-d", classes]
        done = subprocess.run([*command, *files], capture_output=True, text=True, check=False)
        if done.returncode:
            return f"not compiled: {done.stderr.splitlines()[0]}"
        listed = (Path(classes) / "META-INF" / "BenchmarkList").read_text(encoding="utf-8")
    records = [BenchmarkListEntry.parse(line) for line in listed.splitlines()]
    wanted = {one.identity.name: one.configuration for one in plan.benchmarks}
    times = [record for record in records if record.name in wanted]
    right = sum(declared_by(one, "avgt", (1, 37)) == wanted[one.name] for one in times)
    return f"JMH lists {right} of {len(records)} records as planned"


def main() -> int:
    """Print a line of figures for each folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--class-path", default="")
    arguments = parser.parse_args()
    for folder in arguments.folders:
        with tempfile.TemporaryDirectory() as place:
            figures = measure(folder, Path(place) / "sources", arguments.class_path)
        sys.stdout.write(
            f"{folder}: {figures.sources} sources, {figures.benchmarks} benchmarks, "
            f"{figures.changed} files changed, {figures.same_outside} the same outside, "
            f"stable: {figures.stable}; {figures.compiled}\n"
        )
        sys.stdout.writelines(f"  {note}\n" for note in figures.notes)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
