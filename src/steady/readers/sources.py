"""The search for result files in paths, folders and patterns."""

import glob
from collections.abc import Iterator, Sequence
from pathlib import Path

from steady import safe_open
from steady.errors import InputError
from steady.harness import Format
from steady.harnesses import HARNESSES
from steady.registry import Registered

_BEGINNING = 2**16


def find_files(paths: str | Path | Sequence[str | Path]) -> list[Path]:
    """Return the files that `paths` refer to, in the given order.

    Parameters
    ----------
    paths : str, Path, or sequence of them
        Files, folders or, as str, glob patterns. A folder stands for its ``*.json``,
        ``*.json.gz`` and Go's ``*.txt``; if there are none, for result files in a harness's
        subfolders. The matches of a pattern are sorted by name.

    Raises
    ------
    InputError
        If a path matches no file, or two paths match the same file.
    """
    named = [paths] if isinstance(paths, str | Path) else list(paths)
    if not named:
        raise InputError("no result file was given; give at least one")
    files = [file for name in named for file in _expand(name)]
    seen: dict[Path, Path] = {}
    for file in files:
        first = seen.setdefault(file.absolute(), file)
        if first is not file:
            raise InputError("is given twice; give each result file once", source=file)
    return files


def left_nothing(path: str | Path) -> bool:
    """Return whether `path` is missing because no fork of a version succeeded.

    `steady run` first writes ``run.json``, and then a file for each version with results.
    """
    place = Path(path)
    try:
        return (
            place.suffixes[:1] in ([".json"], [".txt"])
            and place.name.partition(".")[0] in ("base", "head")
            and not place.exists()
            and (place.parent / "run.json").is_file()
        )
    except (OSError, ValueError):
        return False


def _expand(name: str | Path) -> list[Path]:
    try:
        path = Path(name)
        if path.is_dir():
            return _in_folder(path)
        if isinstance(name, str) and glob.has_magic(name) and not path.exists():
            # Not Path.glob: a pattern may be absolute.
            matches = map(Path, sorted(glob.glob(name, recursive=True)))  # noqa: PTH207
            files = [match for match in matches if match.is_file()]
            if not files:
                raise InputError("no file matches this pattern", source=name)
            return files
        if not path.exists():
            raise InputError(
                "does not exist; check the path, and run the benchmarks first", source=name
            )
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"is not a usable path ({error})", source=repr(name)) from None
    return [path]


def _in_folder(folder: Path) -> list[Path]:
    files: list[Path] = []
    for patterns in result_patterns():
        files = files or sorted(
            file
            for pattern in patterns
            for file in folder.glob(pattern)
            if file.is_file() and (file.suffix != ".txt" or _begins_like_results(file))
        )
    if not files:
        raise InputError(
            "is a folder without *.json files and without *.txt files of Go; give the result "
            f"files, or a pattern such as '{folder / '**' / '*.json'}'",
            source=folder,
        )
    return files


def result_patterns() -> Iterator[Sequence[str]]:
    """Yield the patterns of result files in a folder; later ones apply if it has none."""
    yield ("*.json", "*.json.gz", "*.txt")
    yield [one.value.files for one in harness_formats() if one.value.files]


def _begins_like_results(file: Path) -> bool:
    """Return whether a text file in a folder begins like a harness's results."""
    data = safe_open.read_untrusted(file, _BEGINNING)
    begins = (one.value.begins for one in harness_formats())
    return any(begin is not None and begin(data) for begin in begins)


def harness_formats() -> Iterator[Registered[Format]]:
    """Return the formats of all harnesses, each imported on demand."""
    return (one for entry in HARNESSES.values() for one in entry.value.formats)
