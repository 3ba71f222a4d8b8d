"""Annotation of real projects: a synthetic plan for every benchmark, written as a patch.

``python -m evaluation.annotations FOLDER... [--class-path JARS]`` copies the sources of each
folder, creates the patch for a synthetic plan, applies it by ``git apply``, and prints counts.
Afterwards the same plan must require no further changes, and the sources must be unchanged except
for annotations and imports. With ``--class-path``, the patched sources are compiled with JMH, and
JMH's list is compared with the plan: Java by ``javac`` with JMH's processor; Kotlin by the compiler
on that class path (``kotlin-compiler-embeddable``), with JMH's ``jmh-generator-bytecode``.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from steady.harness.jmh.annotate.annotating import annotate, read_folder
from steady.harness.jmh.annotate.benchmarks import SourceBenchmark, source_benchmarks
from steady.harness.jmh.annotate.grammar import parsed
from steady.harness.jmh.annotate.names import Names
from steady.harness.jmh.configure.benchmark_list import BenchmarkListEntry
from steady.harness.jmh.run.jar import declared_by
from steady.model import ExecutionConfiguration, Identity
from steady.plan.suite_plan import BenchmarkPlan, Plan

if TYPE_CHECKING:
    from tree_sitter import Node

_NOT_COMPARED = frozenset({"annotation", "marker_annotation", "import", "import_declaration"})
_SEMICOLONS = "semi"

_PROCESSOR = "org.openjdk.jmh.generators.BenchmarkProcessor"
_GENERATOR = "org.openjdk.jmh.generators.bytecode.JmhBytecodeGenerator"
_KOTLIN = ("-opt-in=kotlin.RequiresOptIn", "-opt-in=kotlinx.coroutines.InternalCoroutinesApi")
"""Options that a project's own build sets for its benchmarks."""


@dataclass(frozen=True)
class Figures:
    """Results for the sources of a project.

    Parameters
    ----------
    sources, benchmarks : int
        Number of files with benchmarks, and number of benchmarks.
    changed : int
        Number of files changed by the patch.
    same_outside : int
        Number of these that are unchanged outside of annotations and imports.
    stable : bool
        Whether the same plan requires no further changes.
    notes : tuple of str
        Notes on benchmarks that were not annotated.
    compiled : str
        Comparison with JMH's list; empty if nothing was compiled.
    """

    sources: int
    benchmarks: int
    changed: int
    same_outside: int
    stable: bool
    notes: tuple[str, ...]
    compiled: str = ""


def made_up(one: SourceBenchmark) -> BenchmarkPlan:
    """Return a plan for a benchmark that depends on its method and declaring class.

    So subclasses that share a method have the same plan, as annotations require.
    """
    number = crc32(".".join(one.members[0].key).encode())
    warmup, iterations, forks = 1 + number % 9, 3 + number // 9 % 9, 2 + number // 81 % 4
    seconds = (1.0, 0.1, 0.25)[number // 324 % 3]
    planned = ExecutionConfiguration(forks, warmup, iterations, seconds, seconds)
    return BenchmarkPlan(Identity(one.name, "avgt"), planned, planned, 1.0, 1.0, "reduced", "")


def measure(folder: Path, work: Path, class_path: str) -> Figures:
    """Annotate a copy of a folder's sources."""
    shutil.copytree(folder, work, ignore=shutil.ignore_patterns(".git", "target", "build"))
    before = read_folder(work)
    found = source_benchmarks(Names(before.files), Plan((), "uoptime"))
    plan = Plan(tuple(map(made_up, found)), "uoptime")
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
    """Compile sources with JMH, and count the benchmarks with the planned configuration."""
    with tempfile.TemporaryDirectory() as place:
        classes = Path(place)
        kotlin = any(work.rglob("*.kt"))
        steps = _kotlin(work, class_path, classes) if kotlin else _java(work, class_path, classes)
        for step in steps:
            done = subprocess.run(step, capture_output=True, text=True, check=False)
            if done.returncode:
                lines = [line for line in done.stderr.splitlines() if "error" in line]
                return f"not compiled: {next(iter(lines), done.stderr)}"
        listed = (classes / "META-INF" / "BenchmarkList").read_text(encoding="utf-8")
    return said(listed, plan)


def said(listed: str, plan: Plan) -> str:
    """Count the records of JMH's list with the planned configuration."""
    records = [BenchmarkListEntry.parse(line) for line in listed.splitlines()]
    wanted = {one.identity.name: one.configuration for one in plan.benchmarks}
    right = sum(
        declared_by(one, "avgt", (1, 37)) == wanted[one.name]
        for one in records
        if one.name in wanted
    )
    return f"compiled; JMH lists {right} of {len(records)} records as planned"


def _java(work: Path, class_path: str, classes: Path) -> list[list[str]]:
    files = [str(path) for path in work.rglob("*.java")]
    options = ["-nowarn", "-encoding", "UTF-8", "-cp", class_path, "-d", str(classes)]
    return [["javac", "-processor", _PROCESSOR, *options, *files]]


def _kotlin(work: Path, class_path: str, classes: Path) -> list[list[str]]:
    """Return the commands that compile Kotlin and Java sources and generate JMH's list."""
    java = [str(path) for path in work.rglob("*.java")]
    names = f"{class_path}{os.pathsep}{classes}"
    compiler = ["java", "-cp", class_path, "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler"]
    options = ["-no-stdlib", "-no-reflect", "-nowarn", *_KOTLIN, "-cp", class_path]
    steps = [[*compiler, *options, "-d", str(classes), str(work)]]
    if java:
        steps.append(["javac", "-nowarn", "-proc:none", "-cp", names, "-d", str(classes), *java])
    return [*steps, ["java", "-cp", names, _GENERATOR, *[str(classes)] * 3, "reflection"]]


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
