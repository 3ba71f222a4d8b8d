"""Training and inference of FCN and OSCNN with PyTorch."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from steady.model import FloatArray
from steady.papers.stopping import Float32Array
from steady.papers.window_classifiers import Layer, Network

BATCH = 128
"""Number of windows evaluated at once."""

LAST = torch.channels_last
"""The memory format with the fastest matrix multiplication on CPUs."""

Loss = Callable[[Tensor, Tensor], Tensor]


class Branch:
    """Kernels of one width, with offsets from `first` to `last`."""

    def __init__(self, width: int, outputs: int) -> None:
        self.first, self.last = -((width - 1) // 2), width // 2
        self.width, self.outputs = width, outputs


class Convolution(nn.Module):
    """Kernels of several widths side by side, the widest first, normalised over the batch.

    Narrower kernels are padded with zeros to the widest.
    """

    mask: Tensor

    def __init__(self, inputs: int, branches: list[Branch], *, keras: bool) -> None:
        super().__init__()
        self.first = min(branch.first for branch in branches)
        self.last = max(branch.last for branch in branches)
        weights, biases, masks = [], [], []
        for branch in branches:
            own = torch.empty(branch.outputs, inputs, branch.width)
            bias = torch.zeros(branch.outputs)
            if keras:
                nn.init.xavier_uniform_(own)
            else:
                limit = (inputs * branch.width) ** -0.5
                nn.init.uniform_(own, -limit, limit)
                nn.init.uniform_(bias, -limit, limit)
            around = (branch.first - self.first, self.last - branch.last)
            weights.append(functional.pad(own, around))
            masks.append(functional.pad(torch.ones_like(own), around))
            biases.append(bias)
        self.weight = nn.Parameter(torch.cat(weights))
        self.bias = nn.Parameter(torch.cat(biases))
        self.register_buffer("mask", torch.cat(masks))
        how = {"eps": 1e-3, "momentum": 0.01} if keras else {"eps": 1e-5, "momentum": 0.1}
        self.norm = nn.BatchNorm2d(len(self.bias), **how)

    def forward(self, series: Tensor) -> Tensor:
        """Return the outputs, of the same length; input and output are images of height 1."""
        padded = functional.pad(series, (-self.first, self.last))
        weights = (self.weight * self.mask)[:, :, None].contiguous(memory_format=LAST)
        outputs = functional.conv2d(padded, weights, self.bias)
        return self.norm(outputs.contiguous(memory_format=LAST)).relu()

    def layer(self) -> Layer:
        """Return the package's layer, with the normalization folded into the weights."""
        norm = self.norm
        assert norm.running_var is not None
        assert norm.running_mean is not None
        scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
        weights = (self.weight * self.mask * scale[:, None, None]).detach().numpy()
        biases = ((self.bias - norm.running_mean) * scale + norm.bias).detach().numpy()
        used = self.mask[:, 0].numpy().sum(axis=0).astype(int).tolist()
        taps = [weights[:count, :, tap].T for tap, count in enumerate(used)]
        return Layer(tuple(range(self.first, self.last + 1)), tuple(taps), biases)


class Net(nn.Module):
    """Convolutions, global average pooling and a linear layer."""

    def __init__(self, layers: list[Convolution], head: nn.Linear) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.head = head

    def forward(self, windows: Tensor) -> Tensor:
        """Return the logits, shape (windows, outputs of the head)."""
        series = windows[:, None, None].contiguous(memory_format=LAST)
        for layer in self.layers:
            series = layer(series)
        return self.head(series.permute(0, 2, 3, 1).mean(dim=(1, 2)))

    def network(self, threshold: float) -> Network:
        """Return the package's network, whose score is the last logit."""
        layers = tuple(one.layer() for one in self.layers if isinstance(one, Convolution))
        coefficients = self.head.weight[-1].detach().numpy()
        return Network(layers, coefficients, self.head.bias[-1].item(), threshold)


def make_fcn() -> Net:
    """Return the network of Wang et al. with the initialization of Keras."""
    sizes = [(1, 8, 128), (128, 5, 256), (256, 3, 128)]
    layers = [Convolution(one, [Branch(width, many)], keras=True) for one, width, many in sizes]
    head = nn.Linear(128, 1)
    nn.init.xavier_uniform_(head.weight)
    nn.init.zeros_(head.bias)
    return Net(layers, head)


def make_oscnn() -> Net:
    """Return the network of Tang et al. for windows of 100."""
    primes = [23, 19, 17, 13, 11, 7, 5, 3, 2, 1]
    layers = [
        Convolution(1, [Branch(width, 10) for width in primes], keras=False),
        Convolution(100, [Branch(width, 22) for width in primes], keras=False),
        Convolution(220, [Branch(2, 100), Branch(1, 100)], keras=False),
    ]
    return Net(layers, nn.Linear(200, 2))


def binary_loss(logits: Tensor, stable: Tensor) -> Tensor:
    """Return the mean logarithmic loss of a single logit."""
    return functional.binary_cross_entropy_with_logits(logits[:, 0], stable)


def softmax_loss(logits: Tensor, stable: Tensor) -> Tensor:
    """Return the mean logarithmic loss of two logits."""
    return functional.cross_entropy(logits, stable.long())


MODELS: dict[str, tuple[Callable[[], Net], Loss]] = {
    "fcn": (make_fcn, binary_loss),
    "oscnn": (make_oscnn, softmax_loss),
}


class TorchScorer:
    """A network in half precision with PyTorch, several times faster than the package."""

    def __init__(self, net: Net) -> None:
        self._net = net.eval()

    def scores(self, windows: Float32Array) -> FloatArray:
        """Return the score of each window, from 0 to 1."""
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16):
            parts = [self._net(part)[:, -1] for part in torch.from_numpy(windows).split(BATCH)]
        return np.asarray(torch.sigmoid(torch.cat(parts).double()).numpy())
