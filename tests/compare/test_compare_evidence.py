"""False alarms and power on forks of the same version, as the reports claim them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "evaluation" / "verdicts.py"


@pytest.fixture(scope="module")
def verdicts() -> ModuleType:
    spec = importlib.util.spec_from_file_location("verdicts", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["verdicts"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def three_forks(verdicts: ModuleType, shared: Path) -> list[list[object]]:
    """Split every benchmark of the jmh-steady data in two: 3 forks x 20 iterations of 10 s each."""
    suites = verdicts.jmh_steady(shared / "data" / "jmh-steady")
    joined = [verdicts.join(suite, 20, 100) for suite in suites]
    return list(verdicts.Experiment("", joined, 3, 3, 1).pairs())


def rates(verdicts: ModuleType, dealt: list[list[object]], rule: str) -> tuple[float, float]:
    """Return false alarms, and the share of slowdowns by 10 % that are found."""
    judge = {name: judge for name, c, judge in verdicts.judges() if c == 0.99}[rule]
    total = sum(map(len, dealt))
    alarms = sum(verdicts.count(judge(pairs, 0.99))[0] for pairs in dealt)
    slowed = (verdicts.slow_down(pairs, 1.1) for pairs in dealt)
    return alarms / total, sum(verdicts.count(judge(pairs, 0.99))[1] for pairs in slowed) / total


def test_pooled_iterations_raise_false_alarms(
    verdicts: ModuleType, three_forks: list[list[object]]
) -> None:
    alarms, power = rates(verdicts, three_forks, "overlap")
    assert 0.05 < alarms < 0.17
    assert power > 0.85


def test_moderated_t_keeps_them_below_two_per_cent(
    verdicts: ModuleType, three_forks: list[list[object]]
) -> None:
    alarms, power = rates(verdicts, three_forks, "moderated-t")
    _, alone = rates(verdicts, three_forks, "(t, each benchmark alone)")
    assert alarms < 0.02
    assert power > 0.68
    assert power > alone + 0.04


def test_joining_keeps_the_mean_of_the_last_iterations(verdicts: ModuleType) -> None:
    suite = np.arange(24.0).reshape(1, 2, 12)
    np.testing.assert_array_equal(verdicts.join(suite, 2, 5)[0, 0], [4.0, 9.0])


def test_the_script_says_how_it_is_used(
    verdicts: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verdicts.main([]) == 2
    assert "Usage:" in capsys.readouterr().err
