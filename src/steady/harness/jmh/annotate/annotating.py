"""A plan as a patch of annotations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from steady.harness.jmh.annotate.benchmarks import KEPT, Found, found_benchmarks
from steady.harness.jmh.annotate.decide import Change, Decisions
from steady.harness.jmh.annotate.edits import edited
from steady.harness.jmh.annotate.folder import Folder, read_file, read_folder, require_source
from steady.harness.jmh.annotate.grammar import parser
from steady.harness.jmh.annotate.names import Names
from steady.harness.jmh.annotate.patch import patch_of
from steady.harness.jmh.annotate.settings import agreed_settings
from steady.harness.jmh.annotate.source import SourceFile
from steady.harness.jmh.configure.expressible import check_plan
from steady.harness.plan_files import Patched
from steady.plan.suite_plan import Plan
from steady.text.numbers import count, listed


def ready(source: Path) -> None:
    """Check that sources are there, and their parser.

    Raises
    ------
    InputError
        If there is no such path.
    MissingToolError
        If the parser is not installed.
    """
    require_source(source)
    parser("java")
    parser("kotlin")


def annotate(plan: Plan, source: Path) -> Patched:
    """Return a patch that writes a plan into sources; see `steady.harness.contract`.

    Parameters
    ----------
    plan : Plan
        The plan.
    source : Path
        A source file, or a folder of them.

    Raises
    ------
    InputError
        If there is no source, or JMH does not accept the plan.
    MissingToolError
        If the parser is not installed.
    """
    check_plan(plan)
    folder = read_folder(source)
    names = Names(folder.files)
    found = found_benchmarks(names, plan)
    decisions = Decisions(names, found)
    decisions.decide()
    texts = _texts(names, decisions)
    patch = patch_of({folder.shown(file.path): (file.text, text) for file, text in texts.items()})
    notes = (*_notes(plan, folder, decisions), *agreed_settings(plan))
    return Patched(patch, {file.path: text for file, text in texts.items()}, notes)


def _texts(names: Names, decisions: Decisions) -> dict[SourceFile, bytes]:
    """Return the new texts of files, after a check that types and methods are unchanged."""
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
            decisions.left.update(
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
        benchmarks = count(len(kept), "benchmark")
        yield f"unchanged annotations of {benchmarks} that keep the full run: {listed(kept)}"
    for reason, names in _by_reason(decisions.left).items():
        yield f"unchanged, {reason}: {listed(names)}"
    if sharing := _sharing(found, decisions):
        yield (
            "one annotation applies to all parameters and modes of a method, with the largest "
            f"numbers of their plans: {listed(sharing)}"
        )
    broken = [
        f"{folder.shown(file.path)}:{line}"
        for file in folder.files
        if b"org.openjdk.jmh" in file.text
        for line in [file.broken, *(one.broken for one in file.types)]
        if line is not None
    ]
    if broken:
        yield f"{listed([f'{one}: not parsed' for one in dict.fromkeys(broken)])}"
    if folder.left:
        yield f"not read: {listed(folder.left)}"


def _by_reason(left: Mapping[str, str]) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = defaultdict(list)
    for name, reason in left.items():
        reasons[reason].append(name)
    return reasons


def _sharing(found: Mapping[str, Found], decisions: Decisions) -> list[str]:
    cases = {one.name for one in found.values() if one.cases > 1}
    return sorted((cases | decisions.shared) - decisions.left.keys())
