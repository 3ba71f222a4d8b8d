"""The results of a job without rights: the files of an artifact become suites, nothing else.

No honest suite comes near the limits of texts: the longest name and parameters of 586 benchmarks of
30 open-source projects have 247 characters together. A name of a million characters would be copied
to comment, page and summary, and each copy would cost more than all the numbers.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from steady.errors import InputError
from steady.github.archive import LIMITS, read_entries
from steady.model import Environment, Failure, Identity, Suite
from steady.readers import load, open_document
from steady.readers.beside_results import NOT_RUN
from steady.readers.fields import quoted
from steady.samecode.file import FILE_NAME as SAME_CODE

LONGEST_NAME = 2_000
"""Characters of a benchmark's name; a class and its package may have 255 bytes a part."""

MOST_PARAMS = 100
LONGEST_PARAMS = 20_000
"""Characters of all parameters of one benchmark together, names and values."""

LONGEST_UNIT = 1_000
"""Characters of a unit, and of a mode."""

MOST_UNITS = 100
"""Different units of one side: the benchmarks of each unit are judged by themselves."""

LONGEST_REASON = 10_000
"""Characters of what a harness says of a failure."""

MOST_ENVIRONMENTS = 1_000
LONGEST_ENVIRONMENT = 100_000
"""Characters of processor, system, virtual machine and its arguments together."""

MOST_CHARACTERS = 16_000_000
"""Of all names and parameters of one side together."""

MOST_CELLS = 16_000_000
"""Of all arrays of one side together: four for each value that is read."""

SIDES = ("base", "head")

_ENDINGS = ("json", "txt")

_SIDECARS = ("environment.json", SAME_CODE, NOT_RUN)

FILES = (
    *(f"{side}.{ending}" for side in SIDES for ending in _ENDINGS),
    *_SIDECARS,
    "run.json",
)
"""All that an artifact may hold. ``run.json`` is not read: nothing depends on it."""

MOST_BENCHMARKS = 20_000

MOST_LISTS = 500_000
"""Lists and objects of one side. JMH writes one for each fork, and some for each benchmark."""

MOST_VALUES = 4_000_000
"""Values of one side, of any kind."""


def check_lengths(suite: Suite, source: Path) -> None:
    """Refuse texts that are longer than any harness's.

    Parameters
    ----------
    suite : Suite
        What was read from one file.
    source : Path
        That file.

    Raises
    ------
    InputError
        With one sentence that names the first thing that is too long, and the limit.
    """
    for problem in _problems(suite):
        raise InputError(problem, source=source)


def _problems(suite: Suite) -> Iterator[str]:
    same_code = suite.same_code
    failed = (failure.identity for failure in suite.failures)
    not_run = (entry.identity for entry in suite.not_run)
    identities = [*suite, *failed, *not_run, *same_code.not_measured, *same_code.controls]
    for identity in identities:
        yield from _of_identity(identity)
    if sum(map(_characters, identities)) > MOST_CHARACTERS:
        yield f"holds names and parameters of more than {MOST_CHARACTERS:,} characters in all"
    yield from _of_units({benchmark.unit for benchmark in suite.benchmarks})
    environments = suite.environments
    if len(environments) > MOST_ENVIRONMENTS:
        yield f"names more than {MOST_ENVIRONMENTS:,} different machines"
    for environment in environments:
        yield from _of_environment(environment)
    for failure in suite.failures:
        yield from _of_failure(failure)
    if sum(benchmark.measurements.size for benchmark in suite.benchmarks) > MOST_CELLS:
        yield (
            f"becomes arrays of more than {MOST_CELLS:,} cells, since its forks have very "
            "different numbers of iterations"
        )


def _characters(identity: Identity) -> int:
    return len(identity.name) + sum(len(key) + len(value) for key, value in identity.params)


def _of_identity(identity: Identity) -> Iterator[str]:
    shown = quoted(identity.name)
    if len(identity.name) > LONGEST_NAME:
        yield f"{shown} is a name of more than {LONGEST_NAME:,} characters; give it a shorter one"
    if len(identity.params) > MOST_PARAMS:
        yield f"{shown} has more than {MOST_PARAMS} parameters"
    if _characters(identity) - len(identity.name) > LONGEST_PARAMS:
        yield (
            f"the parameters of {shown} have more than {LONGEST_PARAMS:,} characters together; "
            "name what is long, and look it up in the benchmark"
        )
    if len(identity.mode) > LONGEST_UNIT:
        yield f"the mode of {shown} has more than {LONGEST_UNIT:,} characters"


def _of_units(units: set[str]) -> Iterator[str]:
    if len(units) > MOST_UNITS:
        yield f"holds results in more than {MOST_UNITS} different units"
    if any(len(unit) > LONGEST_UNIT for unit in units):
        yield f"holds a unit of more than {LONGEST_UNIT:,} characters"


def _of_environment(environment: Environment) -> Iterator[str]:
    texts = (environment.cpu, environment.os, environment.jdk, environment.vm)
    if sum(map(len, (*texts, *environment.jvm_args))) > LONGEST_ENVIRONMENT:
        yield (
            f"describes a machine and its JVM arguments in more than {LONGEST_ENVIRONMENT:,} "
            "characters; give the arguments in a file (-jvmArgs @file)"
        )


def _of_failure(failure: Failure) -> Iterator[str]:
    if len(failure.reason) > LONGEST_REASON:
        yield (
            f"says in more than {LONGEST_REASON:,} characters why "
            f"{quoted(failure.identity.name)} failed"
        )


def suites_of(archive: bytes, source: str, *, most: int = MOST_BENCHMARKS) -> tuple[Suite, Suite]:
    """Read base and head from an artifact.

    The files are written to a fresh folder, under names of our own, which is deleted at the end.

    Parameters
    ----------
    archive : bytes
        The artifact as GitHub hands it out.
    source : str
        What messages call it.
    most : int
        Benchmarks of one side that are taken at most.

    Raises
    ------
    InputError
        If the archive holds anything else than results, or one of its files cannot be used.
    """
    entries = read_entries(archive, FILES, source)
    with tempfile.TemporaryDirectory(prefix="steady-") as name:
        folder = Path(name)
        for sidecar in _SIDECARS:
            if sidecar in entries:
                (folder / sidecar).write_bytes(entries[sidecar])
        try:
            base, head = (_suite(side, entries, folder, most) for side in SIDES)
        except InputError as error:
            message = str(error).replace(f"{folder}/", "")
            raise InputError(message, source=source) from None
    return base, head


def _suite(side: str, entries: dict[str, bytes], folder: Path, most: int) -> Suite:
    names = [name for name in (f"{side}.{ending}" for ending in _ENDINGS) if name in entries]
    if len(names) != 1:
        which = "both" if names else "neither"
        raise InputError(f"holds {which} of {side}.json and {side}.txt; one of them is expected")
    path = folder / names[0]
    path.write_bytes(entries[names[0]])
    _check_amount(path)
    suite = load(path, limit=LIMITS.entry, empty=True)
    left_out = len(suite.not_run) + len(suite.same_code.not_measured)
    if len(suite) + len(suite.failures) + left_out > most:
        raise InputError(f"holds more than {most} benchmarks", source=path)
    check_lengths(suite, path)
    for benchmark in suite.benchmarks:
        if not benchmark.in_range or (benchmark.measurements < 0).any():
            raise InputError(
                f"{quoted(benchmark.identity.label)} holds a value that no measurement has; "
                "values are 0, or from 1e-100 to 1e100",
                source=path,
            )
    return replace(suite, sources=tuple(names))


def _check_amount(path: Path) -> None:
    """Refuse a text that would take minutes to read, before it is parsed.

    Brackets and commas are counted, since each fork takes time, however short its list is.
    """
    text = open_document(path, LIMITS.entry).text
    if text.count("[") + text.count("{") > MOST_LISTS:
        raise InputError(
            f"holds more than {MOST_LISTS:,} lists and objects, and each fork is a list; measure "
            "with fewer forks",
            source=path,
        )
    # A JSON file has a comma for each value, a text a line.
    if max(text.count(","), text.count("\n")) > MOST_VALUES:
        raise InputError(
            f"holds more than {MOST_VALUES:,} values; measure with fewer iterations", source=path
        )
