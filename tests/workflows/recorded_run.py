"""Stands in for `steady run`: it notes what it was asked for, and leaves recorded results.

A benchmark of head is slower where its jar, a text here, holds the word "slower" and the one of
base does not: so a verdict tells which checkout each jar was built from.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from written_runs import NAMES, write_full_run, write_run

NOTES = "RECORDED_RUNS"
"""The variable that names the file for the notes, a line of JSON each."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--version", action="version", version="steady of a recorded run")
    parser.add_argument("command", choices=["run", "merge"])
    parser.add_argument("parts", nargs="*", type=Path)
    for name in ("base", "head", "jar", "out", "only", "plan", "time-budget", "full", "shard"):
        parser.add_argument(f"--{name}")
    asked = vars(parser.parse_args())
    parts = asked.pop("parts")
    note = {"asked": asked, "parts": [p.name for p in parts], "environment": dict(os.environ)}
    with Path(os.environ[NOTES]).open("a") as notes:
        notes.write(json.dumps(note) + "\n")
    out = Path(asked["out"])
    if asked["command"] == "merge":
        records = [r for part in parts for r in json.loads((part / "results.json").read_text())]
        (out / "results.json").write_text(json.dumps(records))
    elif asked["full"]:
        write_full_run(out / "results.json")
        if asked["shard"]:
            _keep_part(out / "results.json", *map(int, asked["shard"].split("/")))
    else:
        for name in ("base", "head"):
            if asked[name]:
                _write_side(out / f"{name}.json", Path(asked[name]))
        if asked["jar"]:
            _write_side(out / "results.json", Path(asked["jar"]))


def _keep_part(path: Path, part: int, parts: int) -> None:
    records = json.loads(path.read_text())
    path.write_text(json.dumps(records[part - 1 :: parts]))


def _write_side(path: Path, target: Path) -> None:
    slow = target.is_file() and "slower" in target.read_text()
    write_run(path, {n: 1.0 + 0.5 * (slow and n == NAMES[0]) for n in NAMES})


if __name__ == "__main__":
    main()
