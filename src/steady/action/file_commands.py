"""The files through which GitHub's runner takes outputs and the job summary."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path

SUMMARY_BYTES = 1024 * 1024
"""The most that GitHub keeps of one step's summary; a larger one is dropped whole."""

_CUT = "\n\nThe rest does not fit into a job summary; it stands in the report.\n"


def write_outputs(path: str, outputs: Mapping[str, str]) -> None:
    """Append outputs to the file at `path`; nothing where no path is given.

    Each value stands between two lines that nobody can have guessed, so that no value can end
    itself and begin another output.
    """
    if not path:
        return
    with Path(path).open("a", encoding="utf-8", newline="\n") as file:
        for name, value in outputs.items():
            boundary = f"steady-{secrets.token_hex(16)}"
            file.write(f"{name}<<{boundary}\n{value}\n{boundary}\n")


def write_summary(path: str, markdown: str) -> None:
    """Append `markdown` to the job summary at `path`, cut at a line where it would not fit."""
    if not path:
        return
    file = Path(path)
    room = SUMMARY_BYTES - (file.stat().st_size if file.exists() else 0)
    data = markdown.encode()
    if len(data) > room:
        kept = data[: max(room - len(_CUT.encode()), 0)]
        data = kept[: kept.rfind(b"\n") + 1] + _CUT.encode()
        data = data if len(data) <= room else b""
    with file.open("ab") as stream:
        stream.write(data)
