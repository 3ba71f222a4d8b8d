"""Series for tests of all detectors and stops, and a list of the slow ones."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from steady.model import FloatArray

NETWORKS = {"fcn", "oscnn"}
"""Detectors that take a second or more per series."""


def those_in_time(names: Iterable[str]) -> list[Any]:
    """Return test parameters; slow ones are marked as thorough."""
    return [
        pytest.param(name, marks=pytest.mark.thorough) if name in NETWORKS else name
        for name in names
    ]


def warming_up(length: int, seed: int = 1) -> FloatArray:
    """Return a series that falls to half in its first fifth."""
    random = np.random.default_rng(seed)
    values = 1 + 0.02 * random.standard_normal(length)
    values[: length // 5] += 1
    return values
