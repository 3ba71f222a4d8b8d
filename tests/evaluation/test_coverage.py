"""Coverage of simulated short runs, on forks whose level is known."""

from pathlib import Path

import numpy as np
import pytest

from evaluation._coverage_pairs import Case, Recorded, one_version, other_parameters
from evaluation._markdown import Table
from evaluation._simulated_rounds import FORK_SECONDS, KEPT, kept_part, part_from
from evaluation.coverage import coverages, intervals, main, table
from steady.compare.pair import FORK
from steady.compare.variance.prior import PUBLISHED
from steady.model import FloatArray
from tests.looped import looped

FORKS, ITERATIONS = 10, 1800


def forks(seed: int, level: float = 1e-3, fall: float = 1.0, at: int = 0) -> FloatArray:
    """Return noisy forks whose times are multiplied by `fall` from an iteration on."""
    generator = np.random.default_rng(seed)
    own = 0.004 * generator.standard_normal((FORKS, 1))
    times = level * np.exp(own + 0.003 * generator.standard_normal((FORKS, ITERATIONS)))
    times[:, at:] *= fall
    return np.asarray(times)


# The live stop on recorded iterations.


def test_steady_forks_are_measured_after_three_seconds() -> None:
    base, head = forks(1)[:2]
    part = kept_part(base, head)
    # 30 judged iterations of 0.1 s, one more, five measured, and one more.
    assert (part.start, part.stop, part.cold_seconds) == (31, 37, 0.0)
    kept = part.of(base, head)
    assert kept.shape == (2, KEPT)
    assert np.array_equal(kept[1, :6], head[31:37])
    assert np.isnan(kept[:, 6:]).all()


def test_forks_that_become_faster_are_cold_after_twice_their_time() -> None:
    drift = np.exp(-np.arange(ITERATIONS) / 100)
    part = kept_part(forks(1)[0] * (1 + 9 * drift), forks(2)[0])
    assert 2 * FORK_SECONDS - 1 < part.cold_seconds <= 2 * FORK_SECONDS
    assert part.stop - part.start == 2


@looped(("seconds", "start", "cold"), [(1.0, 11, False), (1.6, 11, False), (1.7, 2, True)])
def test_long_operations_are_judged_if_the_timeout_allows(
    seconds: float, start: int, cold: bool
) -> None:
    part = kept_part(*forks(1, level=seconds)[:2])
    assert part.start == start
    assert (part.cold_seconds > 0) == cold


def test_too_few_recorded_iterations_are_an_error() -> None:
    with pytest.raises(ValueError, match="20 iterations are too few"):
        kept_part(*forks(1)[:2, :20])


# Pairs of benchmarks, and their intervals.


def recorded(name: str, times: FloatArray) -> Recorded:
    return Recorded(f"p#{name}", times)


def test_pairs_are_benchmarks_or_parameters_of_one_method() -> None:
    project = [recorded(name, forks(n)) for n, name in enumerate(("a#1", "a#2", "b#1", "a#3"))]
    generator = np.random.default_rng(0)
    same = one_version(project, generator)
    assert all(
        sorted(fork for pair in case.rounds for fork in pair) == list(range(FORKS)) for case in same
    )
    assert [case.truth for case in same] == [0.0] * 4
    pairs = other_parameters(project, generator)
    assert sorted(case.base.name for case in pairs) == ["p#a#1", "p#a#2", "p#a#3"]
    assert all(case.head.method == "p#a" and case.head is not case.base for case in pairs)
    two = other_parameters(project[:2], generator)
    assert len(two) == 1, "the reverse pair would be the same comparison"


def test_a_change_after_the_measurement_is_missed_unless_measured_late() -> None:
    times = forks(2, level=2e-3, fall=0.8, at=500)
    rounds = [(fork, fork) for fork in range(FORKS)]
    steady = Case(recorded("a#1", forks(1)), recorded("a#2", forks(3, level=2e-3)), rounds)
    faster = Case(recorded("b#1", forks(1)), recorded("b#2", times), rounds)
    assert steady.truth == pytest.approx(np.log(2), abs=0.01)
    assert faster.truth == pytest.approx(np.log(1.6), abs=0.01)
    early = list(intervals([steady, faster], late=False))
    assert [one.holds for one in early] == [True, False]
    assert [one.outcome for one in early] == ["regression"] * 2
    late = list(intervals([steady, faster], late=True))
    assert [one.holds for one in late] == [True, True]
    assert faster.pair(3, late=True).base[0, 0] == faster.base.forks[0, part_from(800).start]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return recorded forks of two projects, in the format of jmh-steady."""
    folder = tmp_path / "jmh-steady" / "series"
    folder.mkdir(parents=True)
    for number, project in enumerate(("p", "q")):
        names = [f"{project}#a#1", f"{project}#a#2", f"{project}#b#"]
        series = np.stack([forks(10 * number + place) for place in range(3)])
        planes = np.moveaxis(series.view(np.uint8).reshape(*series.shape, 8), -1, 0)
        np.savez(folder / f"{project}.npz", benchmark=np.array(names), planes=planes)
    return tmp_path


def test_the_command_prints_the_chosen_pairs(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([str(data), "--pairs", "one version"])
    printed = capsys.readouterr().out
    assert "| one version | live stop | all | 6 |" in printed
    assert "| other" not in printed


def test_the_table_counts_every_pair_and_leaves_the_prior_alone(data: Path) -> None:
    before = PUBLISHED[FORK]
    found = coverages(data)
    assert before == PUBLISHED[FORK]
    assert {key: len(own) for key, own in found.items() if not key[1]} == {
        ("one version", False): 6, ("other parameters", False): 2, ("other benchmarks", False): 6,
    }  # fmt: skip
    section = table(data)
    shown = section[-1]
    assert isinstance(shown, Table)
    every = [row for row in shown.rows if row[2] == "all"]
    assert [row[:2] for row in every] == [[*key] for key in (
        ("one version", "live stop"), ("one version", "late"),
        ("other parameters", "live stop"), ("other parameters", "late"),
        ("other benchmarks", "live stop"), ("other benchmarks", "late"),
    )]  # fmt: skip
    assert every[0][3:6] == ["6", "100.0 %", "54.1 to 100.0 %"], "Clopper and Pearson, 6 of 6"
