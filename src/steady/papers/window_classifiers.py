"""Trained classifiers of stable windows of iterations: ROCKET, FCN and OSCNN.

ROCKET is a linear classifier of random kernels; FCN and OSCNN are convolutional networks, whose
inference is implemented by matrix products.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources

import numpy as np
import numpy.typing as npt

from steady.model import FloatArray
from steady.papers.stopping import WINDOW, Classifier, Float32Array, Replay, WindowStop

MODEL_FILE = "rocket.npz"

MARGIN = WINDOW // 2
"""Number of zeros at either end of a window, enough for every kernel."""

KERNEL_BLOCK = 64
"""Number of windows transformed at once; their features fit into the processor's cache."""


class RocketStop(WindowStop):
    """ROCKET, trained on the change points of CP-SSD.

    The steady state starts with the first window of 100 iterations that the model classifies as
    stable, which means after the last change point. The model is trained on iterations of 0.1 s.
    ``start`` is at most 499; None if no window is stable, or if there are fewer than 100
    iterations. As an online stop, it ends the warm-up after 500 iterations at most.

    Parameters
    ----------
    threshold : float, optional
        Minimum score of a stable window, from about -1 to 1. The default maximizes the sum of
        sensitivity and specificity on held-out benchmarks. The paper uses 0, which classifies many
        more windows as stable.

    References
    ----------
    L. Traini, F. Di Menna, V. Cortellessa, *AI-driven Java performance testing: balancing result
    quality with testing time*, ASE 2024. The method: A. Dempster, F. Petitjean, G. I. Webb,
    *ROCKET: exceptionally fast and accurate time series classification using random convolutional
    kernels*, 2020. The weights were trained by ``evaluation/train_rocket.py``.
    """

    def __init__(self, *, threshold: float | None = None) -> None:
        model = stored_model()
        limit = model.threshold if threshold is None else threshold
        super().__init__(Classifier("rocket", model, limit))


rocket = Replay(RocketStop)


@dataclass(frozen=True)
class Group:
    """Kernels of the same shape.

    Parameters
    ----------
    members : ndarray of int, shape (kernels,)
        Indices of the kernels.
    taps : ndarray of int, shape (length, outputs)
        Index of the input of each tap for each output, in a window with `MARGIN` zeros at either
        end.
    weights : ndarray of float32, shape (kernels, length)
    biases : ndarray of float32, shape (kernels, 1)
    """

    members: npt.NDArray[np.intp]
    taps: npt.NDArray[np.intp]
    weights: Float32Array
    biases: Float32Array

    def features(self, padded: Float32Array) -> tuple[FloatArray, Float32Array]:
        """Return the fraction of positive outputs and the largest output, shape (kernels, windows).

        Parameters
        ----------
        padded : ndarray of float32, shape (MARGIN + WINDOW + MARGIN, windows)
            Padded windows, one per column.
        """
        length, size = self.taps.shape
        outputs = self.weights @ padded[self.taps].reshape(length, -1)
        outputs += self.biases
        by_time = outputs.reshape(len(self.members), size, -1)
        positive = (by_time > 0).view(np.uint8).sum(axis=1, dtype=np.uint8)
        return positive / size, by_time.max(axis=1)


@dataclass(frozen=True)
class Kernels:
    """Random dilated convolution kernels.

    Parameters
    ----------
    lengths, dilations, paddings : ndarray of int, shape (kernels,)
        Number of taps of each kernel, distance between its taps, and zeros at either end of a
        window.
    biases : ndarray of float32, shape (kernels,)
    weights : ndarray of float32, shape (kernels, taps of the longest)
        Weights; those beyond a kernel's length are unused.
    """

    lengths: npt.NDArray[np.intp]
    dilations: npt.NDArray[np.intp]
    paddings: npt.NDArray[np.intp]
    biases: Float32Array
    weights: Float32Array

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Kernels grouped by shape; each group is evaluated by one matrix product."""
        return tuple(self._grouped())

    def _grouped(self) -> Iterator[Group]:
        shapes = np.stack([self.lengths, self.dilations, self.paddings], axis=1)
        kinds, kind_of = np.unique(shapes, axis=0, return_inverse=True)
        for kind, (length, dilation, padding) in enumerate(kinds.tolist()):
            members = np.flatnonzero(kind_of.ravel() == kind)
            outputs = WINDOW + 2 * padding - (length - 1) * dilation
            first = MARGIN - padding + dilation * np.arange(length)
            taps = first[:, np.newaxis] + np.arange(outputs)
            weights = np.ascontiguousarray(self.weights[members, :length])
            yield Group(members, taps, weights, self.biases[members, np.newaxis])

    def features(self, windows: Float32Array) -> Float32Array:
        """Return two features of each kernel for each window, shape (windows, 2 kernels).

        The fractions of positive outputs come first, then the largest outputs.
        """
        kernels = len(self.lengths)
        features = np.empty((2 * kernels, len(windows)), dtype=np.float32)
        for begin in range(0, len(windows), KERNEL_BLOCK):
            columns = slice(begin, begin + KERNEL_BLOCK)
            part = windows[columns]
            padded = np.zeros((WINDOW + 2 * MARGIN, len(part)), dtype=np.float32)
            padded[MARGIN:-MARGIN] = part.T
            for group in self.groups:
                shares, largest = group.features(padded)
                features[group.members, columns] = shares
                features[kernels + group.members, columns] = largest
        return features.T


@dataclass(frozen=True)
class RocketModel:
    """Kernels, and a linear classifier of their features.

    Parameters
    ----------
    kernels : Kernels
    coefficients : ndarray of float64, shape (2 kernels,)
    intercept : float
    threshold : float
        Tuned minimum score of a stable window; the paper uses 0.
    """

    kernels: Kernels
    coefficients: FloatArray
    intercept: float
    threshold: float

    def scores(self, windows: Float32Array) -> FloatArray:
        """Return the score of each window: near 1 if it is stable, near -1 if not."""
        features = self.kernels.features(windows)
        return np.asarray(features @ self.coefficients + self.intercept)


@cache
def stored_model() -> RocketModel:
    """Load the model stored by ``evaluation/train_rocket.py``."""
    file = resources.files("steady.papers").joinpath(MODEL_FILE)
    with file.open("rb") as stream, np.load(stream) as stored:
        lengths, dilations, paddings = stored["shapes"].astype(np.intp)
        kernels = Kernels(lengths, dilations, paddings, stored["biases"], stored["weights"])
        rule = stored["rule"]
    return RocketModel(kernels, rule[:-2], float(rule[-2]), float(rule[-1]))


NETWORK_BLOCK = 8
"""Number of windows evaluated at once; more would exceed the processor's cache."""


class NetworkStop(WindowStop):
    """Base class of stops with a stored network.

    Training data and the search for the first stable window are the same as for `RocketStop`.

    Parameters
    ----------
    threshold : float, optional
        Minimum score of a stable window, from 0 to 1. By default it is tuned as for `RocketStop`,
        and as in the paper.
    """

    def __init__(self, *, threshold: float | None = None) -> None:
        network = stored_network(self.name)
        limit = network.threshold if threshold is None else threshold
        super().__init__(Classifier(self.name, network, limit))


class FcnStop(NetworkStop):
    """A fully convolutional network.

    References
    ----------
    L. Traini, F. Di Menna, V. Cortellessa, *AI-driven Java performance testing: balancing result
    quality with testing time*, ASE 2024. The network: Z. Wang, W. Yan, T. Oates, *Time series
    classification from scratch with deep neural networks: a strong baseline*, IJCNN 2017. The
    weights were trained by ``evaluation/train_networks.py``.
    """

    name = "fcn"


class OscnnStop(NetworkStop):
    """A network whose layers combine kernels of prime widths up to 23.

    References
    ----------
    Traini et al. 2024, as for `FcnStop`. The network: W. Tang, G. Long, L. Liu, T. Zhou, M.
    Blumenstein, J. Jiang, *Omni-scale CNNs: a simple and effective kernel size configuration for
    time series classification*, ICLR 2022. The weights were trained by
    ``evaluation/train_networks.py``.
    """

    name = "oscnn"


fcn = Replay(FcnStop)
oscnn = Replay(OscnnStop)


@dataclass(frozen=True)
class Layer:
    """A length-preserving convolution, followed by a ReLU.

    Parameters
    ----------
    offsets : tuple of int
        Offset of each tap relative to the output's iteration.
    taps : tuple of ndarray of float32, shape (inputs, outputs)
        Weights of each tap. A tap may apply to the first outputs only.
    biases : ndarray of float32, shape (outputs,)
    """

    offsets: tuple[int, ...]
    taps: tuple[Float32Array, ...]
    biases: Float32Array

    def __call__(self, series: Float32Array) -> Float32Array:
        """Return the outputs, shape (windows, WINDOW, outputs), of (windows, WINDOW, inputs)."""
        before, after = -min(self.offsets), max(self.offsets)
        padded = np.pad(series, ((0, 0), (before, after), (0, 0)))
        outputs = np.empty((*series.shape[:2], len(self.biases)), dtype=np.float32)
        outputs[:] = self.biases
        for offset, weights in zip(self.offsets, self.taps, strict=True):
            begin = before + offset
            outputs[:, :, : weights.shape[1]] += padded[:, begin : begin + WINDOW] @ weights
        return np.maximum(outputs, 0, out=outputs)


@dataclass(frozen=True)
class Network:
    """Convolutional layers, global average pooling and logistic regression.

    Parameters
    ----------
    layers : tuple of Layer
    coefficients : ndarray of float32, shape (outputs of the last layer,)
    intercept : float
    threshold : float
        Minimum score of a stable window.
    """

    layers: tuple[Layer, ...]
    coefficients: Float32Array
    intercept: float
    threshold: float

    def scores(self, windows: Float32Array) -> FloatArray:
        """Return the score of each window, from 0 to 1."""
        blocks = range(0, len(windows), NETWORK_BLOCK)
        logits = np.concatenate([self._logits(windows[i : i + NETWORK_BLOCK]) for i in blocks])
        return np.asarray(1 / (1 + np.exp(-logits.astype(np.float64))))

    def _logits(self, windows: Float32Array) -> Float32Array:
        series = windows[:, :, np.newaxis]
        for layer in self.layers:
            series = layer(series)
        return np.asarray(series.mean(axis=1) @ self.coefficients + self.intercept)


@cache
def stored_network(name: str) -> Network:
    """Load a network stored by ``evaluation/train_networks.py``."""
    file = resources.files("steady.papers").joinpath(f"{name}.npz")
    with file.open("rb") as stream, np.load(stream) as stored:
        layers: list[Layer] = []
        while f"offsets{len(layers)}" in stored:
            number = len(layers)
            offsets = tuple(stored[f"offsets{number}"].tolist())
            taps = [stored[f"taps{number}_{tap}"] for tap in range(len(offsets))]
            widened = tuple(np.ascontiguousarray(tap, dtype=np.float32) for tap in taps)
            layers.append(Layer(offsets, widened, stored[f"biases{number}"]))
        rule = stored["rule"]
    coefficients = rule[:-2].astype(np.float32)
    return Network(tuple(layers), coefficients, float(rule[-2]), float(rule[-1]))
