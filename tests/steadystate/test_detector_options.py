"""Options of detectors that are out of their range."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steady.errors import InputError
from steady.steadystate import ONLINE, detect
from tests.looped import looped

REFUSED: dict[str, dict[str, list[object]]] = {
    "kb-kssd": {
        "outlier_window": [0],
        "kernel": [0, 26],
        "step_window": [7.5],
        "probability_window": [2],
        "percentiles": [(60.0, 98.0)],
        "t_crit": [0.0, math.nan],
        "probability": [1.5],
    },
    "cp-ssd": {
        "outlier_window": [0],
        "outlier_factor": [0.0, math.inf],
        "unfiltered": [-1],
        "min_change": [0.0],
        "confidence": [1.0],
        "steady_share": [1.5],
        "resamples": [0],
        "seed": [-1, True],
    },
    "sdm": {"batch": [1], "slope_crit": [0.0]},
    "t-test": {"batch": [1], "t_crit": [-1.0]},
    "r-test": {"r_crit": [0.0], "settling": [8], "lambdas": [(0.03, 1.0, 0.05), (0.03, 0.05)]},
    "georges": {"window": [1], "threshold": [0.0]},
    "laaber-cv": {"batch": [0], "threshold": [0.0]},
    "laaber-rciw": {"batch": [0], "threshold": [0.0], "confidence": [1.0]},
    "laaber-kld": {"batch": [0], "threshold": [0.0]},
    "fcn": {"threshold": [math.nan, math.inf]},
    "oscnn": {"threshold": [math.nan, math.inf]},
    "rocket": {"threshold": [math.nan, math.inf]},
    "flat": {"tolerance": [0.0], "fewest": [9]},
    "onset": {"probability": [0.0, 1.0], "level_p": [0.0, 1.0]},
}


@looped("method", REFUSED)
def test_each_is_named_by_the_detector_and_by_its_stop(method: str) -> None:
    for option, values in REFUSED[method].items():
        for value in values:
            with pytest.raises(InputError, match=rf"{option}.*must|{option} of 2 x 26"):
                detect(np.linspace(1, 2, 50), method, **{option: value})
            if value != 26:  # a stop runs again on longer series
                with pytest.raises(InputError, match=option):
                    ONLINE[method].value(**{option: value})


def test_what_is_expected_is_said() -> None:
    for options, message in (
        ({"kernel": 0}, "kernel must be a whole number from 1 up"),
        ({"step_window": 7.5}, "step_window must be a whole number from 1 up, but is 7.5"),
        ({"percentiles": (60.0, 98.0)}, "percentiles must lie on either side of 50"),
        ({"t_crit": 0.0}, "t_crit must be above 0"),
        ({"probability": 1.5}, "probability must lie above 0 and not above 1"),
        ({"kernel": 26}, "a kernel of 2 x 26 iterations is longer than the series"),
    ):
        with pytest.raises(InputError, match=message):
            detect(np.linspace(1, 2, 50), "kb-kssd", **options)
