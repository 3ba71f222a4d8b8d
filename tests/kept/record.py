"""Makes the files of this folder: ``python -m tests.kept.record FOLDER JAR GO_BINARY``.

The jar is that of `tests/emit/project`, and the binary is ``go test -c`` of
``tests/readers/recorded/go/module/plain``. Programs of the tests stand in for other harnesses.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.harness.program_trials import PYTEST, program, written

STAND_IN = Path(__file__).parents[1] / "harness" / "criterion" / "stand_in.c"

LENGTH = ["--full", "3x4", "--iteration-seconds", "0.01", "--seed", "1"]

PROGRAMS = {
    "google-benchmark": ({"p/p": program("google")}, "p", "./p", "BM_x"),
    "pytest-benchmark": (
        {"p/test_p.py": program("pytest"), "p/.venv/bin/pytest": PYTEST},
        "p",
        "pytest",
        "test_x$",
    ),
    "pyperf": ({"p/bench.py": program("pyperf")}, "p", f"{sys.executable} bench.py", "^x$"),
    "tinybench": ({"p/tinybench": program("tinybench")}, "p", "./tinybench", "^x$"),
    "command": ({"p/p": program("command")}, "p", "./p", ""),
}
"""For each harness: files, the folder in which it runs, its command, and which benchmarks."""


def record(folder: Path, name: str, target: Path, only: str, *more: str) -> None:
    """Run a harness's benchmarks and keep the merged results of base."""
    with tempfile.TemporaryDirectory() as out:
        pair = ["--base", str(target), "--head", str(target), "--same-code", "run"]
        which = ["--only", only] if only else []
        words = ["run", "--harness", name, *pair, *which, "--out", out, *more]
        subprocess.run([sys.executable, "-m", "steady.cli", *words], check=True)
        [merged] = [*Path(out).glob("base.json"), *Path(out).glob("base.txt")]
        shutil.copy(merged, folder / f"{name}{merged.suffix}")


def record_all(folder: Path, jar: Path, binary: Path) -> None:
    """Run every harness that `steady run` knows."""
    folder.mkdir(parents=True, exist_ok=True)
    record(folder, "jmh", jar, "twoModesMore$", *LENGTH, "--stop", "georges")
    record(folder, "go", binary, "BenchmarkWork$", *LENGTH)
    for name, (files, place, command, only) in PROGRAMS.items():
        with tempfile.TemporaryDirectory() as programs:
            target = written(Path(programs), files) / place
            record(folder, name, target, only, *LENGTH, "--", *command.split())
    with tempfile.TemporaryDirectory() as programs:
        target = Path(programs, "p")
        subprocess.run(["cc", "-O1", "-DWORK=1000", str(STAND_IN), "-o", str(target)], check=True)
        record(folder, "criterion", target, "plain$", *LENGTH)


if __name__ == "__main__":
    record_all(*map(Path, sys.argv[1:]))
