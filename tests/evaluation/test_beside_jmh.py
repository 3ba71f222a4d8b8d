"""What steady said, held against what a stand-in for stock JMH measures."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from evaluation import beside_jmh
from evaluation.beside_jmh import cases, main
from steady.compare.benchmark_change import Outcome
from steady.compare.comparison_files import ChangeEntry, EstimateEntry
from steady.model import Identity

JAVA = f"""#!{sys.executable}
import json, os, sys
words = sys.argv[1:]
jar = words[words.index("-jar") + 1]
value = {{"base.jar": 100.0, "head.jar": 120.0}}[jar]
file = words[words.index("-rff") + 1]
fork = int(file.rpartition("-")[2].split(".")[0])
scores = [value * (1 + fork / 1000 + one / 10_000) for one in range(3)]
json.dump([{{"primaryMetric": {{"rawData": [scores]}}}}], open(file, "w"))
open(file[: -len("part")] + "on", "w").write(f"{{jar}} {{sorted(os.sched_getaffinity(0))}}")
open("words", "a").write(" ".join(words) + "\\n")
"""


def entry(
    name: str,
    outcome: Outcome,
    interval: tuple[float, float],
    excluded: float | None = None,
    mode: str = "avgt",
) -> ChangeEntry:
    side = EstimateEntry(1.0, 0.9, 1.1, 3, 10)
    identity = Identity(name, mode, params=(("n", "1"),))
    return ChangeEntry(
        *(identity, "ns/op", "lower", side, side, outcome, 0.1, interval, (), None, None, excluded),
        lacking="",
        refused=(),
    )


def test_what_steady_said_is_held_against_stock_jmh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = (
        entry("a.Right", "regression", (0.15, 0.3), excluded=0.3),
        entry("a.WrongSign", "improvement", (-0.3, -0.1)),
        entry("a.Hidden", "unclear", (-0.1, 0.1), excluded=0.05),
        entry("a.Shot", "regression", (0.1, 0.2), mode="ss"),
    )
    monkeypatch.setattr(beside_jmh, "compared", lambda results: said)
    monkeypatch.chdir(tmp_path)
    java = tmp_path / "java"
    java.write_text(JAVA)
    java.chmod(0o755)
    words = ["measure", "run", "base.jar", "head.jar", "truth", "--forks", "2"]
    for _ in range(2):  # the second time everything is there
        main([*words, "--iterations", "3", "--seconds", "0.5", f"--java={java}"])
    ran = Path("words").read_text().splitlines()
    assert len(ran) == 3 * 2 * 2
    main([*words[:4], "elsewhere", "--only", "Hidden", f"--java={java}"])
    assert len(list(Path("elsewhere").glob("a.Hidden*.json"))) == 10
    assert ran[0].startswith(
        "-jar base.jar ^a\\.Right$ -p n=1 -bm avgt -t 1 -f 1 -foe true -wi 3 -i 3 -w 500ms -r 500ms"
    )
    assert [line.split()[1] for line in ran[:4]] == ["base.jar", "head.jar", "head.jar", "base.jar"]

    if shutil.which("taskset") and {0, 1} <= os.sched_getaffinity(0):
        main([*words[:4], "beside", "--only", "Hidden", f"--java={java}", "--side-by-side"])
        places = {path.read_text() for path in Path("beside").glob("*.on")}
        assert places == {f"{jar}.jar [{n}]" for jar in ("base", "head") for n in (0, 1)}

    found = {case.change.identity.name: case for case in cases(Path("run"), Path("truth"))}
    assert "a.Shot" not in found
    assert found["a.Right"].ratio == pytest.approx(1.2)
    right = {name: case.right(nearest=True) for name, case in found.items()}
    assert right["a.Right"] == {"sign": True, "interval": True}
    assert right["a.WrongSign"] == {"sign": False, "interval": False}
    assert right["a.Hidden"] == {"interval": False, "excluded": False}

    main(["table", "run:truth"])
    shown = capsys.readouterr().out
    assert "| sign | 1 of 2 | 1 of 2 |" in " ".join(shown.split())
    assert "| excluded | 0 of 1 | 0 of 1 |" in " ".join(shown.split())
