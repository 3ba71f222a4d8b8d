"""Train FCN and OSCNN on the windows of the jmh-steady data, in hours on one processor.

Usage: python -m evaluation.train_networks DATA [--output FOLDER] [--only NAME ...] [--fits FIT ...]
                                           [--pause-while FILE]

DATA is the folder that holds jmh-steady. Writes each fit, and what it says of the benchmarks that
it has not seen, to FOLDER (default: build/stoppers); a fit that is there already is kept, so that a
training that was stopped goes on. The fit to all projects goes to
``src/steady/steadystate/fcn.npz`` and ``oscnn.npz``. It takes PyTorch (requirements-training.txt).
"""

from __future__ import annotations

import argparse
import copy
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from evaluation._stopper_calls import Judged, stops, youden_threshold
from evaluation._stopper_data import FOLDS, PER_CLASS, THRESHOLD_WINDOWS, BoolArray, Forks, IntArray
from evaluation.train_rocket import OUTPUT, Clock
from steady.model import FloatArray
from steady.steadystate._learned import Classifier, Float32Array, Scorer
from steady.steadystate._network import Layer, Network, write_network

PACKAGE = Path(__file__).parent.parent / "src" / "steady" / "steadystate"

SEED = 20240916
FORK_WINDOWS = 2 * PER_CLASS
WINDOWS = 4
"""Windows of each fork that an epoch learns from, drawn anew; the authors take all 100."""
EPOCHS = 6
"""The authors train for up to 500."""
BATCH = 128
RATE = 1e-3
"""The first step's; it falls along a cosine, so that few epochs come to rest."""
SCORED = 4
"""Every so many windows of the folds that are left out are judged."""

LAST = torch.channels_last
"""The order in which a processor multiplies matrices fastest."""

Loss = Callable[[Tensor, Tensor], Tensor]


class Branch:
    """Kernels of one width, which look at offsets from `first` to `last`."""

    def __init__(self, width: int, outputs: int) -> None:
        self.first, self.last = -((width - 1) // 2), width // 2
        self.width, self.outputs = width, outputs


class Convolution(nn.Module):
    """Kernels of several widths side by side, the widest first, normalised over the batch.

    Narrower kernels are as wide as the widest and hold zeros at their ends.
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
        """Return the outputs, of unchanged length; both as pictures of one line."""
        padded = functional.pad(series, (-self.first, self.last))
        weights = (self.weight * self.mask)[:, :, None].contiguous(memory_format=LAST)
        return self.norm(functional.conv2d(padded, weights, self.bias)).relu()

    def layer(self) -> Layer:
        """Return it as the package computes it: the norm is part of the weights."""
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
    """Convolutions, the mean over time, and a linear rule."""

    def __init__(self, layers: list[Convolution], head: nn.Linear) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.head = head

    def forward(self, windows: Tensor) -> Tensor:
        """Return the logits, shape (windows, outputs of the head)."""
        series = windows[:, None, None].contiguous(memory_format=LAST)
        for layer in self.layers:
            series = layer(series)
        return self.head(series.mean(dim=(2, 3)))

    def network(self, threshold: float) -> Network:
        """Return it as the package computes it: the last logit is the score's."""
        layers = tuple(one.layer() for one in self.layers if isinstance(one, Convolution))
        coefficients = self.head.weight[-1].detach().numpy()
        return Network(layers, coefficients, self.head.bias[-1].item(), threshold)


def make_fcn() -> Net:
    """Return the network of Wang et al. as Keras would begin it."""
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


ALL = "all"
FITS = (ALL, *map(str, range(FOLDS)))


@dataclass(frozen=True)
class Pause:
    """Stands still while a file exists."""

    file: Path | None

    def __call__(self) -> None:
        """Wait."""
        while self.file is not None and self.file.exists():
            time.sleep(1)


class TorchScorer:
    """A network as PyTorch computes it, in half precision: several times as fast as the package."""

    def __init__(self, net: Net, pause: Pause) -> None:
        self._net, self._pause = net.eval(), pause

    def scores(self, windows: Float32Array) -> FloatArray:
        """Return the score of each window, from 0 to 1."""
        self._pause()
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16):
            parts = [self._net(part)[:, -1] for part in torch.from_numpy(windows).split(BATCH)]
        return np.asarray(torch.sigmoid(torch.cat(parts).double()).numpy())


@dataclass(frozen=True, eq=False)
class Windows:
    """All labelled windows; a fork's 100 stand together.

    Parameters
    ----------
    values : ndarray of float32, shape (windows, 100)
    stable : ndarray of bool, shape (windows,)
    benchmark : ndarray of int, shape (windows,)
    """

    values: Float32Array
    stable: BoolArray
    benchmark: IntArray

    @classmethod
    def of(cls, forks: Forks) -> Windows:
        """Cut them out of all forks."""
        parts = [forks.labelled(benchmark) for benchmark in range(len(forks.benchmarks))]
        benchmark = np.repeat(np.arange(len(parts)), [len(stable) for _, stable in parts])
        values, stable = (np.concatenate(column) for column in zip(*parts, strict=True))
        return cls(values, stable, benchmark)

    def drawn(
        self, which: BoolArray, count: int, random: np.random.Generator
    ) -> npt.NDArray[np.intp]:
        """Return rows: `count` of each fork of these benchmarks, in a random order."""
        begins = np.flatnonzero(which[self.benchmark[::FORK_WINDOWS]]) * FORK_WINDOWS
        places = random.random((len(begins), FORK_WINDOWS)).argsort(axis=1)[:, :count]
        return random.permutation((begins[:, np.newaxis] + places).ravel())


def train(
    name: str,
    windows: Windows,
    learnt: BoolArray,
    aside: BoolArray,
    pause: Pause,
    tell: Callable[[str], None],
) -> Net:
    """Train a network; return that of the epoch with the least loss on what was set aside.

    Parameters
    ----------
    name : str
        A name in `MODELS`.
    windows : Windows
        The data.
    learnt, aside : ndarray of bool, shape (benchmarks,)
        The benchmarks that it learns from, and those that the epoch is chosen by.
    pause : Pause
        Called before every step.
    tell : callable
        Gets a line on each epoch.
    """
    torch.manual_seed(SEED)
    random = np.random.default_rng(SEED)
    make, loss = MODELS[name]
    net = make()
    chosen_by = windows.drawn(aside, WINDOWS, random)
    steps = len(windows.drawn(learnt, WINDOWS, np.random.default_rng(SEED))) // BATCH
    optimizer = torch.optim.Adam(net.parameters(), lr=RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS * steps)
    best, least = net, np.inf
    for epoch in range(EPOCHS):
        net.train()
        total = 0.0
        for rows in _batches(windows.drawn(learnt, WINDOWS, random), steps):
            pause()
            optimizer.zero_grad()
            value = loss(*_run(net, windows, rows))
            value.backward()
            optimizer.step()
            schedule.step()
            total += value.item()
        net.eval()
        with torch.inference_mode():
            parts = np.array_split(chosen_by, max(1, len(chosen_by) // 1024))
            losses = [loss(*_run(net, windows, rows)).item() * len(rows) for rows in parts]
        now = sum(losses) / len(chosen_by)
        tell(f"epoch {epoch + 1}: {total / steps:.4f}, set aside {now:.4f}")
        if now < least:
            best, least = copy.deepcopy(net), now
    return best


def _run(net: Net, windows: Windows, rows: npt.NDArray[np.intp]) -> tuple[Tensor, Tensor]:
    stable = torch.from_numpy(windows.stable[rows].astype(np.float32))
    values = torch.from_numpy(windows.values[rows])
    with torch.autocast("cpu", torch.bfloat16):
        logits = net(values)
    return logits.float(), stable


def _batches(rows: npt.NDArray[np.intp], steps: int) -> Iterator[npt.NDArray[np.intp]]:
    for step in range(steps):
        yield rows[step * BATCH : (step + 1) * BATCH]


class Job:
    """One fit of a network.

    Parameters
    ----------
    name : str
        A name in `MODELS`.
    fold : int or None
        The fold that it does not see; None: it sees all benchmarks.
    output : Path
        Where it writes.
    """

    def __init__(self, name: str, fold: int | None, output: Path) -> None:
        self.name, self.fold = name, fold
        self.title = f"{name}-{'all' if fold is None else fold}"
        self.file = output / f"{self.title}.npz"

    def run(self, forks: Forks, windows: Windows, pause: Pause, clock: Clock) -> None:
        """Train, and judge what it has not seen, unless that is done."""
        if self.file.exists():
            return
        learnt = np.ones(len(forks.benchmarks), dtype=np.bool_)
        if self.fold is not None:
            learnt = forks.folds != self.fold
        aside = forks.validation(learnt)

        def tell(line: str) -> None:
            clock.tell(f"{self.title}: {line}")

        net = train(self.name, windows, learnt & ~aside, aside, pause, tell)
        if self.fold is None:
            network = net.network(0.5)
            network = replace(network, threshold=chosen_threshold(network, forks, aside))
            with self.file.open("wb") as file:
                write_network(network, file)
            shutil.copyfile(self.file, PACKAGE / f"{self.name}.npz")
            tell(f"threshold {network.threshold:.3f}")
            return
        scorer = TorchScorer(net, pause)
        threshold = chosen_threshold(scorer, forks, aside)
        tell(f"threshold {threshold:.3f}")
        rows = np.flatnonzero((~learnt)[windows.benchmark])[::SCORED]
        scores = scorer.scores(windows.values[rows])
        stopped = stops(forks, ~learnt, Classifier(self.name, scorer, threshold))
        judged = Judged(windows.stable[rows], scores, threshold, stopped)
        judged.save(self.file)
        tell(f"area under curve {judged.area:.3f}")


def chosen_threshold(scorer: Scorer, forks: Forks, aside: BoolArray) -> float:
    """Return the threshold that is best on the benchmarks that were set aside."""
    parts = [
        forks.at_random(benchmark, THRESHOLD_WINDOWS, SEED)
        for benchmark in np.flatnonzero(aside).tolist()
    ]
    scores = np.concatenate([scorer.scores(values) for values, _ in parts])
    return youden_threshold(scores, np.concatenate([stable for _, stable in parts]))


def main() -> None:
    """Train all that is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="DATA", help="holds jmh-steady")
    parser.add_argument("--output", type=Path, default=OUTPUT, help=f"default: {OUTPUT}")
    parser.add_argument("--only", nargs="+", choices=MODELS, default=list(MODELS), metavar="NAME")
    parser.add_argument("--fits", nargs="+", choices=FITS, default=FITS, metavar="FIT")
    parser.add_argument(
        "--pause-while", type=Path, metavar="FILE", help="stand still while it exists"
    )
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    clock, pause = Clock(), Pause(options.pause_while)
    forks = Forks.read(options.folder / "jmh-steady")
    windows = Windows.of(forks)
    clock.tell(f"cut {len(windows.stable)} windows")
    for fit in options.fits:
        for name in options.only:
            fold = None if fit == ALL else int(fit)
            Job(name, fold, options.output).run(forks, windows, pause, clock)


if __name__ == "__main__":
    main()
