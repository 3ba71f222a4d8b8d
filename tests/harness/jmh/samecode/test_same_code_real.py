"""Real jars of JMH: what is decided of their benchmarks, and what a run leaves out."""

from __future__ import annotations

import json
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from steady.cli.main import main
from steady.engine import HarnessSettings, Version
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.jmh.samecode.decide import JmhBuilds
from steady.model import Identity
from steady.readers import load
from steady.samecode.decision import Decision

BuildJar = Callable[[str], Path]

pytestmark = pytest.mark.needs("java", "mvn")

SOURCES = Path(__file__).parents[3] / "emit" / "project" / "src" / "main" / "java" / "suite"

ODD = Identity("suite.Suite.twoModesMore")
COUNTS = Identity("suite.Misbehaving.counts")
ALONE = Identity("suite.Misbehaving.prints")
NAMES = "twoModesMore|counts|prints"


@pytest.fixture
def jars(build_jar: BuildJar, tmp_path: Path) -> tuple[Path, Path]:
    """Return a jar, and one in which lines have moved and one class inside of another differs."""
    base = build_jar("1.37")
    head = edited(
        base,
        tmp_path / "head",
        {
            "Suite": lambda source: source.replace("\n", "\n\n"),
            "Misbehaving": lambda source: source.replace(
                "public long done;", "public long done = 7;"
            ),
        },
    )
    return base, head


def edited(base: Path, folder: Path, edits: dict[str, Callable[[str], str]]) -> Path:
    """Return a copy of a jar with some of its sources edited and compiled again."""
    sources, classes = folder / "src", folder / "classes"
    sources.mkdir(parents=True)
    for name, edit in edits.items():
        before = (SOURCES / f"{name}.java").read_text(encoding="utf-8")
        after = edit(before)
        assert after != before
        (sources / f"{name}.java").write_text(after, encoding="utf-8")
    options = ("-J-XX:TieredStopAtLevel=1", "-g", "-proc:none", "-nowarn", "-source", "8")
    command = ["javac", *options, "-target", "8", "-cp", str(base)]
    files = list(map(str, sources.iterdir()))
    done = subprocess.run([*command, "-d", str(classes), *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    compiled = {str(p.relative_to(classes)): p.read_bytes() for p in classes.rglob("*.class")}
    path = folder / "head.jar"
    with zipfile.ZipFile(base) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, compiled.get(name) or old.read(name))
    return path


def decisions(jars: tuple[Path, Path], *identities: Identity) -> dict[Identity, Decision]:
    versions = [Version(name, jar) for name, jar in zip(("base", "head"), jars, strict=True)]
    builds = JmhBuilds(JmhRuns(HarnessSettings()), versions)
    decided = builds.decisions({"base": identities, "head": identities})
    return {decision.identity: decision for decision in decided}


def test_moved_lines_are_the_same_code_and_a_field_is_not(jars: tuple[Path, Path]) -> None:
    decided = decisions(jars, ODD, COUNTS, ALONE)
    assert decided[ODD].same
    assert decided[ALONE].same
    assert decided[COUNTS].why == (
        "may run the constructor of suite.Misbehaving$Operations, which changed"
    )


@pytest.mark.thorough
def test_an_old_jmh_is_read_the_same_way(build_jar: BuildJar, tmp_path: Path) -> None:
    base = build_jar("1.21")
    edits: dict[str, Callable[[str], str]] = {
        "Misbehaving": lambda source: source.replace("public long done;", "public long done = 7;")
    }
    decided = decisions((base, edited(base, tmp_path / "head", edits)), ODD, COUNTS)
    assert decided[ODD].same
    assert not decided[COUNTS].same


@pytest.mark.thorough
def test_a_run_leaves_out_what_is_the_same_and_goes_on_so(
    jars: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = _plan(tmp_path, jars[0])
    out = tmp_path / "out"
    command = ["run", f"--plan={plan}", "--all-rounds", "--new=skip", f"--out={out}"]
    sides = [f"--base={jars[0]}", f"--head={jars[1]}"]
    assert main([*command, *sides]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "2 of 3 benchmarks run the same code in base and head; 1 is measured" in said
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


@pytest.mark.thorough
def test_the_list_can_be_printed(
    jars: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    sides = [f"--base={jars[0]}", f"--head={jars[1]}", f"--only={NAMES}"]
    assert main(["changed", *sides]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("may differ  suite.Misbehaving.counts: may run the constructor of ")
    assert lines[-1] == "2 of 3 benchmarks run the same code"
    assert main(["changed", *sides, "--json"]) == 0
    entries = json.loads(capsys.readouterr().out)["benchmarks"]
    assert [entry["same"] for entry in entries].count(True) == 2


def _plan(folder: Path, jar: Path) -> Path:
    """Plan three benchmarks from a full run."""
    full = folder / "full"
    what = [f"--jar={jar}", "--full=2x5", "--iteration-seconds=0.01", f"--only={NAMES}"]
    assert main(["run", *what, f"--out={full}"]) == 0
    assert main(["optimize", f"{full}/results.json", f"--out={folder}/.steady", "--jobs=1"]) == 0
    return folder / ".steady"
