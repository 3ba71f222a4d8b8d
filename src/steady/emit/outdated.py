"""What an earlier plan, or an earlier release, left in the folder of the configuration."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from steady.errors import InputError
from steady.harness import HARNESSES

_SIGN_OF_SCRIPT = b"Written by steady; made anew with each plan."


def configuration_files() -> tuple[str, ...]:
    """Return where a configuration may stand below its folder; the last name may be a pattern.

    No plan has all of them, and none has ``run.sh`` any more.
    """
    parts = (entry.value.configuring for entry in HARNESSES.values())
    return (*(name for part in parts if part is not None for name in part.files), "run.sh")


def remove_outdated(folder: Path, written: Collection[Path]) -> tuple[str, ...]:
    """Remove what earlier plans wrote and this one did not.

    Parameters
    ----------
    folder : Path
        Where configurations go.
    written : collection of Path
        Files of this plan.

    Returns
    -------
    tuple of str
        What the user should know, one sentence each.

    Raises
    ------
    InputError
        If a file cannot be read or removed.
    """
    notes = []
    for path in (path for path in _configuration_in(folder) if path not in written):
        try:
            if path.name == "run.sh":
                if _SIGN_OF_SCRIPT not in path.read_bytes():
                    continue
                notes.append(
                    "removed run.sh, which an earlier release wrote: `steady run --plan` runs the "
                    "plan, and takes base and head in turn"
                )
            path.unlink()
        except OSError as error:
            raise InputError(
                f"is of an earlier plan and cannot be removed ({error.strerror}); remove it",
                source=path,
            ) from None
    return tuple(notes)


def _configuration_in(folder: Path) -> Iterator[Path]:
    for pattern in configuration_files():
        place = folder / pattern
        yield from (path for path in sorted(place.parent.glob(place.name)) if path.is_file())
