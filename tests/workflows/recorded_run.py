"""Stands in for `steady run`: it leaves recorded results of base and head.

A benchmark of head is slower where its jar, a text here, holds the word "slower" and the one of
base does not: so a verdict tells which checkout each jar was built from.
"""

import argparse
from pathlib import Path

from written_runs import NAMES, write_run


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["run"])
    for name in ("base", "head", "out", "time-budget"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    asked = parser.parse_args()
    for side, jar in (("base", asked.base), ("head", asked.head)):
        factor = 1.5 if "slower" in jar.read_text() else 1.0
        factors = {**dict.fromkeys(NAMES, 1.0), NAMES[0]: factor}
        write_run(asked.out / f"{side}.json", factors)


if __name__ == "__main__":
    main()
