"""The tables about pairs of forks, from forks that were drawn."""

import json
from pathlib import Path

import numpy as np
import pytest

from evaluation import beside_benchstat, three_rounds, turns
from evaluation.beside_benchstat import dealt
from evaluation.fork_priors import PublishedSuite, evidence, fitted, gains
from evaluation.three_rounds import by_benchstat, by_rule, go_case, parts
from evaluation.turns import factor_needed
from steady.compare import RULES, Estimate
from steady.compare.pair import Pair
from steady.compare.power import DetectableEffect
from steady.compare.rule import Judgement, RuleOptions
from tests.jmh_records import jmh_record
from tests.looped import looped

# The tables about turns, from forks that share what the machine does.


ROUNDS, ITERATIONS = 6, 12


@pytest.fixture
def jmh(tmp_path: Path) -> Path:
    generator = np.random.default_rng(1)
    machine = np.cumsum(generator.normal(0, 0.1, (3, ROUNDS, ITERATIONS)), axis=-1)
    for side in ("base", "head"):
        values = np.exp(machine + generator.normal(0, 0.005, machine.shape))
        records = [
            jmh_record(
                f"org.example.B.b{place}",
                forks.tolist(),
                steady=[{"block": f"aa:{n}", "in_turn": place < 2} for n in range(ROUNDS)],
            )
            for place, forks in enumerate(values)
        ]
        (tmp_path / f"{side}.json").write_text(json.dumps(records), encoding="utf-8")
    return tmp_path


def test_turns_gain_and_shuffling_takes_the_gain_away(
    jmh: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert list(turns.read(jmh)) == ["org.example.B.b0", "org.example.B.b1"], "those with turns"
    turns.main([str(jmh), "--rounds", "3", "7", "--deals", "3"])
    spreads, verdicts = capsys.readouterr().out.split("\n\n", 1)[1].split("\n\n")
    median = [float(cell) for cell in cells(spreads)[-1][2:]]
    assert 1.5 * median[0] < min(median[1:])
    rows = cells(verdicts)[2:]
    assert [row[:3] for row in rows[:3]] == [
        ["3", "turns", "12"], ["3", "shuffled", "12"], ["3", "fork medians", "12"],
    ]  # fmt: skip
    assert float(rows[0][-1].split()[0]) < min(float(row[-1].split()[0]) for row in rows[1:3])
    assert [row[2] for row in rows[3:]] == ["0"] * 3


def cells(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]


@looped(("reach", "expected"), [(0.1, 1.1 / 1.02), (0.001, 1.03 / 1.02)])
def test_the_factor_needed_moves_the_change_to_where_it_is_reported(
    reach: float, expected: float
) -> None:
    base, head = (Estimate(value, value, value, 3, 30) for value in (1.0, 1.02))
    judgement = Judgement(base, head, False, None, DetectableEffect(reach, reach))
    assert factor_needed(judgement) == pytest.approx(expected)


# The table beside benchstat, from a small folder of results.


@pytest.fixture
def go(tmp_path: Path) -> Path:
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
    go: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    beside_benchstat.main([str(go), "--rounds", "3", "--deals", "2"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "12 comparisons of equal versions."
    rows = cells("\n".join(lines[4:]))
    assert [row[0].split(",")[0] for row in rows] == [
        "`overlap`", "`moderated-t`", "`paired-t`", "benchstat", "benchstat",
    ]  # fmt: skip
    assert {row[-1] for row in rows} == {"100 %"}


def test_every_round_is_dealt_once_and_keeps_its_two_forks(go: Path) -> None:
    whole = beside_benchstat.read(go)
    runs = dealt(whole, 3, seed=0)
    assert [len(run) for run in runs] == [3, 3]
    for place, pair in enumerate(whole):
        kept = [sides for run in runs for sides in both_sides(run[place])]
        assert sorted(kept) == sorted(both_sides(pair))


def both_sides(pair: Pair) -> list[tuple[float, ...]]:
    """Return the first iterations of each round's two forks, whichever side is which."""
    rounds = zip(pair.base[:, 0].tolist(), pair.head[:, 0].tolist(), strict=True)
    return [tuple(sorted(sides)) for sides in rounds]


# What published forks teach, and what three rounds find, from forks that were drawn.


def drawn(seed: int, spread: float, rounds: int = 5) -> PublishedSuite:
    generator = np.random.default_rng(seed)
    levels = spread / np.sqrt(2) * generator.standard_normal((2, 12, rounds, 1))
    noise = 0.002 * generator.standard_normal((2, 12, rounds, 10))
    return PublishedSuite("jmh", f"p{seed}", *np.exp(levels + noise))


def test_the_middle_of_the_levels_is_found_and_helps_a_suite_that_was_left_out() -> None:
    logs = np.array([evidence(drawn(seed, 0.02)) for seed in range(12)])
    share, middle, width = fitted(logs[:8])
    assert middle == pytest.approx(0.02, rel=0.5)
    assert width == pytest.approx(0.7, abs=0.3)
    assert gains(logs[8:], (share, middle, width)).mean() > 0.3
    assert gains(logs[8:], (share, middle / 100, width)).mean() < 0


def test_levels_are_those_at_which_the_rule_would_just_report() -> None:
    suite = drawn(1, 0.02, rounds=3)
    found = by_rule([suite], lambda _: "fork")
    for confidence in (0.5, 0.9, 0.99):
        judged = RULES["paired-t"].value.judge(suite.pairs(), RuleOptions(confidence))
        assert [j.apart for j in judged] == (found.levels[:, 0] < 1 - confidence).tolist()


def test_benchstat_reports_a_change_and_parts_keep_every_benchmark_once() -> None:
    suite = drawn(2, 0.0001)
    shares = by_benchstat([suite]).shares(0.01)
    assert shares[0] == 0
    assert shares[2] == 1
    assert [len(part.base) for part in parts([suite], 5)] == [5, 5]
    assert parts([suite], 0) == [suite]


def test_both_changes_of_a_busy_go_suite_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(three_rounds, "RUNS", 4)
    table = go_case()
    assert [row[0] for row in table] == ["steady", "benchstat, p < 0.001"]
    assert all(float(cell.rstrip("%")) >= 50 for row in table for cell in row[1:3])
