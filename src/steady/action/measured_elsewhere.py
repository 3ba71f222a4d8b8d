"""Read results that another job measured; their files are untrusted.

The reader of results limits the length of each text (`steady.readers.lengths`); this module limits
the total amount.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from steady import safe_open
from steady.errors import InputError
from steady.github.artifacts import LIMITS, read_entries
from steady.harness.fields import quoted
from steady.model import Suite
from steady.readers import load, open_document
from steady.readers.sidecars import NOT_RUN
from steady.samecode.choice import FILE_NAME as SAME_CODE

MOST_CELLS = 16_000_000
"""Maximum number of array cells of one side: four for each of `MOST_VALUES`, with padding."""

SIDES = ("base", "head")

_ENDINGS = ("json", "txt")

_SIDECARS = ("environment.json", SAME_CODE, NOT_RUN)

FILES = (*(f"{side}.{ending}" for side in SIDES for ending in _ENDINGS), *_SIDECARS, "run.json")
"""File names allowed in an artifact. ``run.json`` is not read, because it is not needed."""

MOST_BENCHMARKS = 20_000

MOST_LISTS = 500_000
"""Maximum number of JSON lists and objects of one side. JMH writes one per fork, and several per
benchmark."""

MOST_VALUES = 4_000_000
"""Maximum number of values of one side, of any type."""


def source_note(measured_by: str) -> str:
    """Return the source of the results, as Markdown."""
    return (
        f"<sub>Measured by {measured_by}, which runs the pull request's untrusted code; compared "
        "by a job that does not run it.</sub>"
    )


def suites_of(archive: bytes, source: str, *, most: int = MOST_BENCHMARKS) -> tuple[Suite, Suite]:
    """Read base and head from an artifact.

    The files are written under fixed names to a temporary folder.

    Parameters
    ----------
    archive : bytes
        The artifact's archive, as downloaded from GitHub.
    source : str
        Name of the artifact in messages.
    most : int
        Maximum number of benchmarks of one side.

    Raises
    ------
    InputError
        If the archive contains anything but results, or one of its files is invalid.
    """
    entries = read_entries(archive, FILES, source)
    with tempfile.TemporaryDirectory(prefix="steady-") as name, safe_open.also_allow(Path(name)):
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
    names = [name for ending in _ENDINGS if (name := f"{side}.{ending}") in entries]
    if len(names) != 1:
        which = "both" if names else "neither"
        raise InputError(
            f"contains {which} of {side}.json and {side}.txt; expected exactly one of them"
        )
    path = folder / names[0]
    path.write_bytes(entries[names[0]])
    return replace(load_limited([path], most=most), sources=tuple(names))


def load_limited(paths: Sequence[Path], *, most: int = MOST_BENCHMARKS) -> Suite:
    """Read one side of a comparison, within all limits.

    Parameters
    ----------
    paths : sequence of Path
        Its files.
    most : int
        Maximum number of benchmarks.

    Raises
    ------
    InputError
        If a limit is exceeded, or a file is invalid.
    """
    source = ", ".join(map(str, paths))
    _check_amount(paths, source)
    suite = load(list(paths), limit=LIMITS.entry, empty=True)
    left_out = len(suite.not_run) + len(suite.same_code.not_measured)
    if len(suite) + len(suite.failures) + left_out > most:
        raise InputError(f"contains more than {most:,} benchmarks", source=source)
    if sum(benchmark.measurements.size for benchmark in suite.benchmarks) > MOST_CELLS:
        problem = (
            f"needs arrays of more than {MOST_CELLS:,} cells, because its forks have very "
            "different numbers of iterations"
        )
        raise InputError(problem, source=source)
    for benchmark in suite.benchmarks:
        if not benchmark.in_range or (benchmark.measurements < 0).any():
            problem = (
                f"{quoted(benchmark.identity.label)} contains an impossible value; values must be "
                "0, or from 1e-100 to 1e100"
            )
            raise InputError(problem, source=source)
    return suite


def _check_amount(paths: Sequence[Path], source: str) -> None:
    """Reject texts that would take minutes to parse, before parsing them.

    Brackets are counted in addition to commas, because each fork takes time, however short its
    list.
    """
    lists = values = size = 0
    for path in paths:
        text = open_document(path, LIMITS.entry).text
        size += len(text)
        lists += text.count("[") + text.count("{")
        # A JSON file has a comma for each value; a text file has a line.
        values += max(text.count(","), text.count("\n"))
    problem = ""
    if lists > MOST_LISTS:
        shown = f"{MOST_LISTS:,} lists and objects"
        problem = f"contains more than {shown}, and each fork is a list; measure with fewer forks"
    elif values > MOST_VALUES:
        problem = f"contains more than {MOST_VALUES:,} values; measure with fewer iterations"
    elif size > LIMITS.total:
        problem = f"is larger than {LIMITS.total / 2**20:g} MiB"
    if problem:
        raise InputError(problem, source=source)
