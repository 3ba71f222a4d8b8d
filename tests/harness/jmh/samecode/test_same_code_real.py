"""Decisions about benchmarks of real jars, and runs that skip some."""

import json
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from made_jars import edited

from steady.cli.main import main
from steady.engine import HarnessSettings, Version
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.jmh.samecode.decide import JmhBuilds
from steady.model import Identity
from steady.readers import load
from tests.harness.program_trials import written

BuildJar = Callable[[str], Path]

pytestmark = pytest.mark.needs("java", "mvn")

SOURCES = Path(__file__).parents[3] / "emit" / "project" / "src" / "main" / "java" / "suite"

NAMES = "twoModesMore|counts|prints"


@pytest.fixture
def jars(build_jar: BuildJar, tmp_path: Path, request: pytest.FixtureRequest) -> tuple[Path, Path]:
    """Return a jar, and one with moved lines and a different nested class."""
    base, head = build_jar(getattr(request, "param", "1.37")), tmp_path / "head.jar"
    for name, old, new in (
        ("Suite", "\n", "\n\n"),
        ("Misbehaving", "public long done;", "public long done = 7;"),
    ):
        source = edited((SOURCES / f"{name}.java").read_text(encoding="utf-8"), [(old, new)])
        written(tmp_path / "src", {f"{name}.java": source})
    options = ("-g", "-proc:none", "-nowarn", "-source", "8", "-target", "8", "-cp", str(base))
    files = map(str, (tmp_path / "src").iterdir())
    command = ["javac", "-J-XX:TieredStopAtLevel=1", *options, "-d", str(tmp_path / "new"), *files]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(base) as old_jar, zipfile.ZipFile(head, "w") as new_jar:
        for entry in old_jar.namelist():
            anew = tmp_path / "new" / entry
            new_jar.writestr(entry, anew.read_bytes() if anew.is_file() else old_jar.read(entry))
    return base, head


@pytest.mark.parametrize(
    "jars", ["1.37", pytest.param("1.21", marks=pytest.mark.thorough)], indirect=True
)
def test_moved_lines_are_identical_and_a_field_is_not(jars: tuple[Path, Path]) -> None:
    names = [f"suite.{name}" for name in ("Suite.twoModesMore", "Misbehaving.prints")]
    held = [Identity(name) for name in (*names, "suite.Misbehaving.counts")]
    versions = [Version(name, jar) for name, jar in zip(("base", "head"), jars, strict=True)]
    builds = JmhBuilds(JmhRuns(HarnessSettings()), versions)
    assert [one.why for one in builds.decisions({"base": held, "head": held})] == [
        *("", ""),
        "may run the constructor of suite.Misbehaving$Operations, which changed",
    ]


@pytest.mark.thorough
def test_run_and_resumed_run_skip_identical_benchmarks(
    jars: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    full, plan, out = (tmp_path / name for name in ("full", ".steady", "out"))
    what = [f"--jar={jars[0]}", "--full=2x5", "--iteration-seconds=0.01", f"--only={NAMES}"]
    assert main(["run", *what, f"--out={full}"]) == 0
    assert main(["optimize", f"{full}/results.json", f"--out={plan}", "--jobs=1"]) == 0
    command = ["run", f"--plan={plan}", "--all-rounds", "--new=skip", f"--out={out}"]
    sides = [f"--base={jars[0]}", f"--head={jars[1]}"]
    assert main([*command, *sides]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "2 of 3 benchmarks run the same code in base and head; 1 is a control, and 1 is" in said
    listed = json.loads((out / "same-code.json").read_text())
    assert (len(listed["same"]), len(listed["controls"]), len(listed["others"])) == (1, 1, 1)
    base = load(out / "base.json")
    assert len(base) == 2
    assert {i.name for i in base.same_code.not_measured} == {listed["same"][0]["name"]}
    assert main([*command, *sides, "--resume"]) == 0
    assert main([*command, *sides, "--resume", "--same-code=run"]) == 2
    assert "its --same-code was skip" in capsys.readouterr().err
    compared = ["compare", f"--base={out}/base.json", f"--head={out}/head.json", f"--plan={plan}"]
    assert main(compared) in (0, 1)
    text = " ".join(capsys.readouterr().out.split())
    assert "2 of 3 benchmarks run the same code, and 1 of them was not measured" in text
