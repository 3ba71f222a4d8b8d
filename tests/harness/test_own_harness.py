"""A harness of another package: the one in examples/own-harness, installed."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from steady.cli.main import main
from steady.errors import InputError
from steady.harnesses import _known
from steady.registry import Registry
from tests.harness.program_trials import written

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "own-harness"


def steady(words: str, cwd: Path, *paths: Path) -> subprocess.CompletedProcess[str]:
    """Run a command where Python finds the packages of some folders."""
    search = os.pathsep.join(map(str, (*paths, ROOT / "src")))
    return subprocess.run(
        [sys.executable, "-m", "steady.cli", *words.split()],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": search},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_it_is_short() -> None:
    files = [EXAMPLE / name for name in ("README.md", "pyproject.toml", "steady_lines.py")]
    assert {path for path in EXAMPLE.iterdir() if path.is_file()} == set(files)
    assert sum(len(path.read_text().splitlines()) for path in files) <= 150


def test_it_is_run_and_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    packages = tmp_path / "packages"
    how = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target", str(packages))
    command = [sys.executable, "-m", "pip", "install", *how, str(EXAMPLE)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    for side in ("base", "head"):
        program = Path(__file__).with_name("programs") / "random-lines"
        shutil.copy(program, tmp_path / f"{side}.lines")
    words = "run --base base.lines --head head.lines --full 8x6 --out results"
    measured = steady(words, tmp_path, packages)
    assert measured.returncode == 0, measured.stderr
    found = steady("compare results --json", tmp_path, packages)
    assert found.returncode == 1, found.stderr
    changes = json.loads(found.stdout)["changes"]
    outcomes = {one["identity"]["name"]: one["outcome"] for one in changes}
    assert outcomes == {"sort/small": "unchanged", "sort/large": "regression"}
    assert all(one["base"]["score"] is not None for one in changes)
    # Without the package its results are of no known format.
    assert main(["compare", str(tmp_path / "results")]) == 2
    assert "known format" in capsys.readouterr().err


def point(folder: Path, name: str, value: str, module: str = "") -> None:
    """Write a package with an entry point, as it stands where it is installed."""
    files = {
        "METADATA": "Metadata-Version: 2.1\nName: odd-package\nVersion: 1\n",
        "entry_points.txt": f"[steady.harnesses]\n{name} = {value}\n",
    }
    written(folder / "odd_package-1.dist-info", files)
    written(folder, {"odd.py": module})


PATH = [*sys.path]
IMPORT = "from steady.harness import Harness\n"


def test_a_broken_package_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, (name, value, module, problem) in enumerate(
        (
            ("odd", "absent:ODD", "", "cannot be imported from absent:ODD (ModuleNotFoundError"),
            ("odd", "odd:ODD", "raise OSError('no\\nway')", "(OSError: no way)"),
            ("odd", "odd:ODD", "ODD = 1", "is not a steady.harness.Harness"),
            ("go", "odd:ODD", "", "has the name 'go', which is steady's own"),
            ("series", "odd:ODD", "", "has the name 'series', which is steady's own"),
            ("odd", "odd:ODD", f"{IMPORT}ODD = Harness('x')", "is called 'x', and its entry poin"),
        )
    ):
        point(tmp_path / str(number), name, value, module)
        monkeypatch.setattr(sys, "path", [str(tmp_path / str(number)), *PATH])
        monkeypatch.delitem(sys.modules, "odd", raising=False)
        with pytest.raises(InputError) as caught:
            list(Registry("harness", further=_known))
        said = str(caught.value)
        assert said.startswith("the harness of package odd-package ")
        assert problem in said
        assert "\n" not in said


def test_two_packages_of_one_name(tmp_path: Path) -> None:
    point(tmp_path / "one", "odd", "odd:ODD", f"{IMPORT}ODD = Harness('odd')")
    info = tmp_path / "one" / "other-1.dist-info"
    shutil.copytree(tmp_path / "one" / "odd_package-1.dist-info", info)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1\n")
    done = steady("methods", tmp_path, tmp_path / "one")
    assert done.returncode == 2
    assert done.stderr.startswith("steady: the harness of package ")
    assert "also uses" in done.stderr
    assert done.stderr.count("\n") == 1
    assert steady("--version", tmp_path, tmp_path / "one").returncode == 0
