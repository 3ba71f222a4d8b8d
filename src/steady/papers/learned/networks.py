"""FCN and OSCNN: convolutional networks say whether a window of iterations is stable."""

from __future__ import annotations

import numpy.typing as npt

from steady.papers.learned.windows import Classifier, WindowStop
from steady.papers.learned.network import stored_network
from steady.steadystate.detection import SteadyState


class FcnStop(WindowStop):
    """Online stop of `fcn`; same options. It ends the warm-up after 500 iterations at most."""

    def __init__(self, *, threshold: float | None = None) -> None:
        super().__init__(_classifier("fcn", threshold))


class OscnnStop(WindowStop):
    """Online stop of `oscnn`; same options. It ends the warm-up after 500 iterations at most."""

    def __init__(self, *, threshold: float | None = None) -> None:
        super().__init__(_classifier("oscnn", threshold))


def fcn(values: npt.ArrayLike, *, threshold: float | None = None) -> SteadyState:
    """Find the end of one fork's warm-up with a fully convolutional network.

    It has learnt what `rocket` has, and finds the first stable window as `rocket` does.

    Parameters
    ----------
    values : array-like, shape (n,)
        As for `rocket`.
    threshold : float, optional
        Least score of a stable window, from 0 to 1. Left out, it is tuned as for `rocket`; so it
        is in the paper.

    Returns
    -------
    SteadyState
        As from `rocket`.

    Raises
    ------
    InputError
        As from `rocket`.

    References
    ----------
    L. Traini, F. Di Menna, V. Cortellessa, *AI-driven Java performance testing: balancing result
    quality with testing time*, ASE 2024. The network: Z. Wang, W. Yan, T. Oates, *Time series
    classification from scratch with deep neural networks: a strong baseline*, IJCNN 2017.
    ``evaluation/train_networks.py`` made the weights.
    """
    return _classifier("fcn", threshold).judge(values)


def oscnn(values: npt.ArrayLike, *, threshold: float | None = None) -> SteadyState:
    """Find the end of one fork's warm-up with a network of kernels of many widths.

    As `fcn`, with another network: each of its layers has kernels of prime widths up to 23 side
    by side.

    Parameters
    ----------
    values : array-like, shape (n,)
        As for `fcn`.
    threshold : float, optional
        As for `fcn`.

    Returns
    -------
    SteadyState
        As from `fcn`.

    Raises
    ------
    InputError
        As from `fcn`.

    References
    ----------
    L. Traini, F. Di Menna, V. Cortellessa, *AI-driven Java performance testing: balancing result
    quality with testing time*, ASE 2024. The network: W. Tang, G. Long, L. Liu, T. Zhou,
    M. Blumenstein, J. Jiang, *Omni-scale CNNs: a simple and effective kernel size configuration
    for time series classification*, ICLR 2022. ``evaluation/train_networks.py`` made the weights.
    """
    return _classifier("oscnn", threshold).judge(values)


def _classifier(name: str, threshold: float | None) -> Classifier:
    network = stored_network(name)
    return Classifier(name, network, network.threshold if threshold is None else threshold)
