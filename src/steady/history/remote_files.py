"""Files of a history wherever `fsspec` reaches: S3, Google's and Azure's stores, and others."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from steady.errors import InputError, MissingToolError

_INSTALL = "pip install 'steady-action[fsspec]'"


class RemoteFiles:
    """The files below an address; the same operations as those of `Folder`.

    Parameters
    ----------
    url : str
        ``s3://bucket/folder``, ``gs://...``, or any other address that `fsspec` knows.

    Raises
    ------
    MissingToolError
        If `fsspec`, or its package for this kind of address, is not installed.
    InputError
        If `fsspec` does not know this kind of address.
    """

    def __init__(self, url: str) -> None:
        self.name = url
        try:
            core: Any = importlib.import_module("fsspec.core")
        except ImportError:
            raise MissingToolError(f"a history at {url} needs fsspec: {_INSTALL}") from None
        try:
            system, root = core.url_to_fs(url)
        except ImportError as error:
            raise MissingToolError(f"a history at {url} needs another package: {error}") from None
        except ValueError as error:
            raise InputError(f"is not an address that fsspec knows ({error})", source=url) from None
        self._system: Any = system
        self._root = root.rstrip("/")

    def find(self, folder: str) -> list[str]:
        """Return all files below a folder."""
        # A cached listing would not show what others have written since.
        self._system.invalidate_cache()
        paths = self._try("listed", self._system.find, self._at(folder)) or []
        return [path.removeprefix(f"{self._root}/") for path in paths]

    def read(self, paths: Sequence[str]) -> dict[str, bytes]:
        """Return the contents of the files that exist."""
        if not paths:
            return {}
        full = {self._at(path): path for path in paths}
        got = self._try("read", self._system.cat, list(full), on_error="return")
        return {path: data for at, path in full.items() if (data := self._data(got.get(at)))}

    def write(self, files: Mapping[str, bytes]) -> None:
        """Write files; an object store shows each one completely or not at all."""
        for path, data in files.items():
            self._try("written", self._write, self._at(path), data)

    def remove(self, paths: Iterable[str]) -> None:
        """Remove files."""
        for path in paths:
            self._try("removed", self._system.rm_file, self._at(path))

    def _at(self, path: str) -> str:
        return f"{self._root}/{path}"

    def _write(self, at: str, data: bytes) -> None:
        try:
            self._system.pipe_file(at, data)
        except FileNotFoundError:  # a file system with folders, which does not have this one yet
            self._system.makedirs(at.rpartition("/")[0], exist_ok=True)
            self._system.pipe_file(at, data)

    def _data(self, got: object) -> bytes | None:
        if got is None or isinstance(got, FileNotFoundError):
            return None
        if isinstance(got, Exception):
            raise self._problem("read", got)
        return bytes(got) if isinstance(got, bytes | bytearray | memoryview) else None

    def _try(self, what: str, call: Any, *arguments: Any, **options: Any) -> Any:
        """Call the file system; return None for a missing file, and explain other failures."""
        try:
            return call(*arguments, **options)
        except FileNotFoundError:
            return None
        except Exception as error:
            # Each file system has its own errors, such as botocore's, without a common base.
            raise self._problem(what, error) from None

    def _problem(self, what: str, error: Exception) -> InputError:
        message = " ".join(str(error).split())[:200]
        return InputError(
            f"cannot be {what} ({type(error).__name__}: {message}); check the address and your "
            "credentials",
            source=self.name,
        )
