"""Lines of JMH's benchmarks in the sources: each method that one class declares or inherits."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from steady.errors import InputError, MissingToolError
from steady.harness.jmh.java.project import JavaProject, NotFoundError
from steady.model import Identity
from steady.source_folder import Limits, SourceLine


def jmh_source_lines(
    folder: Path, identities: Iterable[Identity], limits: Limits
) -> dict[Identity, SourceLine]:
    """Return the lines on which JMH's benchmarks are declared, as far as they are known for sure.

    A method that its class inherits stands for the class. None is found where the Java parser is
    not installed.

    Raises
    ------
    InputError
        If the folder cannot be read.
    """
    project = JavaProject(folder, limits)
    words = (one for one in identities if one.name.replace(".", "_").isidentifier())
    methods = {one: (one.holder, one.method) for one in words if one.holder}
    lines = {both: _line(project, *both) for both in sorted(set(methods.values()))}
    found = ((identity, lines[both]) for identity, both in methods.items())
    return {identity: line for identity, line in found if line is not None}


def _line(project: JavaProject, owner: str, method: str) -> SourceLine | None:
    try:
        file, declared, _ = project.type(owner)
    except (NotFoundError, InputError, MissingToolError):
        return None
    methods = file.benchmark_methods(declared, method)
    own_name = (methods or [declared])[0].child_by_field_name("name")
    if own_name is None:
        return None
    path = file.path.relative_to(project.root).as_posix()
    return SourceLine(path, own_name.start_point[0] + 1)
