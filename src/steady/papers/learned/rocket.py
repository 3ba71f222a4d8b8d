"""ROCKET: random kernels and a linear rule say whether a window of iterations is stable."""

from __future__ import annotations

import numpy.typing as npt

from steady.papers.learned.windows import Classifier, WindowStop
from steady.papers.learned.rocket_model import stored_model
from steady.steadystate.detection import SteadyState

NAME = "rocket"


class RocketStop(WindowStop):
    """Online stop of `rocket`; same options. It ends the warm-up after 500 iterations at most."""

    def __init__(self, *, threshold: float | None = None) -> None:
        super().__init__(_classifier(threshold))


def rocket(values: npt.ArrayLike, *, threshold: float | None = None) -> SteadyState:
    """Find the end of one fork's warm-up with ROCKET, trained on the change points of CP-SSD.

    The steady state starts with the first window of 100 iterations that the model calls stable:
    one that begins behind the last change point, as far as its 100 values tell.

    Parameters
    ----------
    values : array-like, shape (n,)
        Time per operation of each iteration, in any unit, warm-up first; iterations of 0.1 s, as
        the model knows them. NaN at the end marks iterations that did not run. Never modified.
    threshold : float, optional
        Least score of a stable window, from about -1 to 1. Left out, the one with the largest
        sum of sensitivity and specificity on benchmarks that the model had not seen. The paper
        takes 0, which calls many more windows stable.

    Returns
    -------
    SteadyState
        ``start`` is the first iteration of a window, at most 499; None if none is stable, or if
        there are fewer than 100 iterations.

    Raises
    ------
    InputError
        If `values` is not one series of finite numbers, or an option is out of its range.

    References
    ----------
    L. Traini, F. Di Menna, V. Cortellessa, *AI-driven Java performance testing: balancing result
    quality with testing time*, ASE 2024. The method: A. Dempster, F. Petitjean, G. I. Webb,
    *ROCKET: exceptionally fast and accurate time series classification using random convolutional
    kernels*, 2020. ``evaluation/train_rocket.py`` made the weights.
    """
    return _classifier(threshold).judge(values)


def _classifier(threshold: float | None) -> Classifier:
    model = stored_model()
    return Classifier(NAME, model, model.threshold if threshold is None else threshold)
