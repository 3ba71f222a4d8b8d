"""A plan as a patch that changes annotations in sources."""

from __future__ import annotations

import os
import stat
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from steady import safe_open
from steady.errors import InputError
from steady.harness.jmh.annotate import java, kotlin
from steady.harness.jmh.annotate.benchmarks import KEPT, source_benchmarks
from steady.harness.jmh.annotate.decide import Change, Decisions
from steady.harness.jmh.annotate.edits import edited
from steady.harness.jmh.annotate.grammar import parser
from steady.harness.jmh.annotate.names import Names
from steady.harness.jmh.annotate.patch import patch_of
from steady.harness.jmh.annotate.source import SourceFile
from steady.harness.jmh.configure.command_lines import check_plan, configuration_arguments
from steady.harness.plan_files import Patched
from steady.plan.suite_plan import Plan
from steady.text.numbers import count, listed

_READERS = {".java": java.read, ".kt": kotlin.read}
_BUILT = frozenset({"target", "build", "out", "bin"})
"""Names of output folders, which are skipped beside a build file."""
_BUILD_FILES = frozenset({"pom.xml", "build.gradle", "build.gradle.kts"})

MOST_FILES = 20_000
LARGEST_FILE = 2 * 2**20
"""Bytes."""
LARGEST_FOLDER = 128 * 2**20
"""Bytes of all files."""


@dataclass(frozen=True, slots=True)
class Folder:
    """Source files of Java and Kotlin.

    Parameters
    ----------
    root : Path
        The folder to which the patch's paths are relative: the root of the Git repository, or
        the given folder if there is none.
    files : tuple of SourceFile
        The parsed files.
    skipped : tuple of str
        Files that were not read, each with the reason.
    """

    root: Path
    files: tuple[SourceFile, ...]
    skipped: tuple[str, ...] = ()

    def shown(self, path: Path) -> str:
        """Return a path relative to the root, with forward slashes."""
        return path.relative_to(self.root).as_posix()


def read_file(path: Path, text: bytes) -> SourceFile:
    """Parse a source file of Java or Kotlin."""
    return _READERS[path.suffix](path, text)


def require_source(source: Path) -> None:
    """Check that the path of the sources exists.

    Raises
    ------
    InputError
        If it does not.
    """
    if not source.exists():
        raise InputError(
            "does not exist; give the folder of the benchmarks' sources", source=source
        )


def read_folder(source: Path) -> Folder:
    """Read one source file, or all source files of Java and Kotlin in a folder.

    Symbolic links are not followed, and nothing is executed.

    Raises
    ------
    InputError
        If the path does not exist, or contains no sources or too many.
    MissingToolError
        If the parser is not installed.
    """
    require_source(source)
    top = Path(os.path.realpath(source))
    home = top if top.is_dir() else top.parent
    paths = [*_paths(top)] if top.is_dir() else [top]
    if not paths or paths[0].suffix not in _READERS:
        raise InputError(
            "contains no .java or .kt file; give the folder of the benchmarks' sources",
            source=source,
        )
    if len(paths) > MOST_FILES:
        raise InputError(
            f"contains more than {MOST_FILES:,} source files; give only the folder of the "
            "benchmarks",
            source=source,
        )
    root = next((p for p in (home, *home.parents) if (p / ".git").exists()), home)
    files, skipped, size = list[SourceFile](), list[str](), 0
    for path in paths:
        text = safe_open.read_untrusted(path, LARGEST_FILE, home)
        size += len(text)
        if size > LARGEST_FOLDER:
            raise InputError(
                f"contains more than {LARGEST_FOLDER // 2**20} MiB of sources; give only the "
                "folder of the benchmarks",
                source=source,
            )
        if len(text) > LARGEST_FILE:
            skipped.append(
                f"{path.relative_to(root).as_posix()}: larger than {LARGEST_FILE >> 20} MiB"
            )
        else:
            files.append(read_file(path, text))
    return Folder(root, tuple(files), tuple(skipped))


def _paths(top: Path) -> Iterator[Path]:
    """Yield the source files of a folder in sorted order, except links and build outputs."""
    for here, folders, names in os.walk(top):
        skipped = _BUILT if _BUILD_FILES.intersection(names) else frozenset()
        folders[:] = sorted(n for n in folders if not n.startswith(".") and n not in skipped)
        for name in sorted(names):
            path = Path(here, name)
            if path.suffix in _READERS and stat.S_ISREG(path.lstat().st_mode):
                yield path


def ready(source: Path) -> None:
    """Check that the sources exist and that the parser is installed.

    Raises
    ------
    InputError
        If the path does not exist.
    MissingToolError
        If the parser is not installed.
    """
    require_source(source)
    parser("java")
    parser("kotlin")


def annotate(plan: Plan, source: Path) -> Patched:
    """Return a patch that writes a plan into the sources; see `steady.harness.contract`.

    Parameters
    ----------
    plan : Plan
        The plan.
    source : Path
        A source file, or a folder of them.

    Raises
    ------
    InputError
        If there are no sources, or JMH does not accept the plan.
    MissingToolError
        If the parser is not installed.
    """
    check_plan(plan)
    folder = read_folder(source)
    names = Names(folder.files)
    found = source_benchmarks(names, plan)
    decisions = Decisions(names, found)
    decisions.decide()
    texts = _texts(names, decisions)
    patch = patch_of({folder.shown(file.path): (file.text, text) for file, text in texts.items()})
    notes = (*_notes(plan, folder, decisions), *agreed_settings(plan))
    return Patched(patch, {file.path: text for file, text in texts.items()}, notes)


def _texts(names: Names, decisions: Decisions) -> dict[SourceFile, bytes]:
    """Return the new texts of the changed files.

    Each text is parsed again; a file whose types or methods would change is left unchanged.
    """
    of_file: dict[SourceFile, list[Change]] = defaultdict(list)
    for change in decisions.changes:
        of_file[change.place.file].append(change)
    of_package: dict[str, set[str]] = defaultdict(set)
    for file in names.files:
        of_package[file.package].update(one.name for one in file.types)
    texts: dict[SourceFile, bytes] = {}
    for file, changes in of_file.items():
        text = edited(file, changes, of_package[file.package])
        if read_file(file.path, text).shape == file.shape:
            texts[file] = text
        else:
            decisions.unchanged.update(
                (one.name, f"{file.path.name}: cannot be parsed with the new annotations")
                for one in decisions.found
                if one.planned and any(member.place.file is file for member in one.members)
            )
    return texts


def _notes(plan: Plan, folder: Folder, decisions: Decisions) -> Iterator[str]:
    found = {one.name: one for one in decisions.found}
    several = [name for name, places in decisions.names.places.items() if len(places) > 1]
    planned = [*dict.fromkeys(entry.identity.name for entry in plan.benchmarks)]
    absent = [name for name in planned if name not in found]
    if absent:
        yield f"the sources lack these benchmarks of the plan: {listed(absent)}"
    if doubled := sorted(
        {name for name in several if any(one.startswith(f"{name}.") for one in absent)}
    ):
        yield f"several files declare these: {listed(doubled)}; give the folder of one of them"
    if kept := [name for name in planned if name in found and found[name].reason == KEPT]:
        number = count(len(kept), "benchmark that is", "benchmarks that are")
        yield f"unchanged annotations of {number} not reduced: {listed(kept)}"
    for reason, names in _by_reason(decisions.unchanged).items():
        yield f"unchanged, {reason}: {listed(names)}"
    several_cases = {one.name for one in decisions.found if one.cases > 1}
    if sharing := sorted((several_cases | decisions.shared) - decisions.unchanged.keys()):
        yield (
            "one annotation applies to all parameters and modes of a method, with the largest "
            f"numbers of their plans: {listed(sharing)}"
        )
    broken = [
        f"{folder.shown(file.path)}:{line}"
        for file in folder.files
        if b"org.openjdk.jmh" in file.text
        for line in [file.error_line, *(one.error_line for one in file.types)]
        if line is not None
    ]
    if broken:
        yield listed([f"{one}: not parsed" for one in dict.fromkeys(broken)])
    if folder.skipped:
        yield f"not read: {listed(folder.skipped)}"


def _by_reason(unchanged: Mapping[str, str]) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = defaultdict(list)
    for name, reason in unchanged.items():
        reasons[reason].append(name)
    return reasons


_GRADLE = {
    "-f": "fork",
    "-wi": "warmupIterations",
    "-w": "warmup",
    "-i": "iterations",
    "-r": "timeOnIteration",
    "-wbs": "warmupBatchSize",
    "-bs": "batchSize",
}
"""Settings of the Gradle plugin me.champeau.jmh, by JMH's option."""


def agreed_settings(plan: Plan) -> Iterator[str]:
    """Yield a note with the settings of build tools, if all benchmarks have the same ones."""
    all_arguments = {
        tuple(configuration_arguments(one.configuration, one.identity.mode))
        for one in plan.benchmarks
    }
    if len(all_arguments) != 1 or any(one.status != "reduced" for one in plan.benchmarks):
        return
    words = all_arguments.pop()
    options = dict(zip(words[::2], words[1::2], strict=True))
    for option in ("-wbs", "-bs"):
        if options[option] == "1":
            del options[option]
    line = " ".join(f"{option} {value}" for option, value in options.items())
    yield (
        f"all benchmarks agree: `java -jar benchmarks.jar {line}`, or in Gradle's plugin "
        f"`jmh {{ {_gradle(options)} }}`"
    )


def _gradle(options: Mapping[str, str]) -> str:
    values = (
        (_GRADLE[option], value if value.isdigit() else f"'{value}'")
        for option, value in options.items()
    )
    return "; ".join(f"{name} = {value}" for name, value in values)
