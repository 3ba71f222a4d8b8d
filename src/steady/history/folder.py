"""Files of a history in a folder of this machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from steady.errors import InputError
from steady.files import write_bytes


class Folder:
    """The files below a folder, which need not exist yet; paths are relative to it, with ``/``.

    Parameters
    ----------
    root : Path
        The folder.
    """

    def __init__(self, root: Path) -> None:
        if root.exists() and not root.is_dir():
            raise InputError("is a file; name a folder for the history", source=root)
        self.name = str(root)
        self._root = root

    def find(self, folder: str) -> list[str]:
        """Return all files below a folder of it; none if there is no such folder."""
        paths = (self._root / folder).rglob("*")
        return [path.relative_to(self._root).as_posix() for path in paths if path.is_file()]

    def read(self, paths: Sequence[str]) -> dict[str, bytes]:
        """Return the contents of the files that exist."""
        return {path: data for path in paths if (data := self._read(path)) is not None}

    def write(self, files: Mapping[str, bytes]) -> None:
        """Write files, each completely or not at all."""
        for path, data in files.items():
            write_bytes(self._root / path, data)

    def remove(self, paths: Iterable[str]) -> None:
        """Remove files; one that is not there is not an error."""
        for path in paths:
            try:
                (self._root / path).unlink(missing_ok=True)
            except OSError as error:
                raise InputError(
                    f"cannot be removed ({error.strerror})", source=self._root / path
                ) from None

    def _read(self, path: str) -> bytes | None:
        try:
            return (self._root / path).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InputError(
                f"cannot be read ({error.strerror})", source=self._root / path
            ) from None
