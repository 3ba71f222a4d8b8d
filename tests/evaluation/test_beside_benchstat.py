"""The table beside benchstat, from a small folder of results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evaluation.beside_benchstat import dealt, main, read


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    generator = np.random.default_rng(1)
    for side in ("base", "head"):
        lines = []
        for block in range(6):
            for number in range(3):
                lines += [f"# steady process block=aa:{block} benchtime=20ms cpu=2 forks=6"]
                lines += ["goos: linux", "goarch: amd64", "pkg: example.com/a"]
                lines += [
                    f"BenchmarkB{number}-2 100 {value:.4f} ns/op"
                    for value in generator.normal(100, 2, 5)
                ]
        (tmp_path / f"{side}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def test_a_row_for_each_rule_and_for_benchstat(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([str(folder), "--rounds", "3", "--deals", "2"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "12 comparisons of equal versions."
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[4:]]
    assert [row[0].split(",")[0] for row in rows] == [
        "`overlap`", "`moderated-t`", "`paired-t`", "benchstat", "benchstat",
    ]  # fmt: skip
    assert {row[-1] for row in rows} == {"100 %"}


def test_every_round_is_dealt_once_and_keeps_its_two_forks(folder: Path) -> None:
    whole = read(folder)
    runs = dealt(whole, 3, seed=0)
    assert [len(run) for run in runs] == [3, 3]
    for place, pair in enumerate(whole):
        given = {
            tuple(sorted(sides)) for sides in zip(pair.base[:, 0], pair.head[:, 0], strict=True)
        }
        kept = {
            tuple(sorted(sides))
            for run in runs
            for sides in zip(run[place].base[:, 0], run[place].head[:, 0], strict=True)
        }
        assert kept == given
