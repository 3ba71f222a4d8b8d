"""FCN and OSCNN: convolutional networks that classify windows of iterations as stable or not.

Inference is implemented by matrix products.
"""

from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np

from steady.model import FloatArray
from steady.papers.stopping import WINDOW, Classifier, Float32Array, Replay, WindowStop

BLOCK = 8
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
        blocks = range(0, len(windows), BLOCK)
        logits = np.concatenate([self._logits(windows[i : i + BLOCK]) for i in blocks])
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
