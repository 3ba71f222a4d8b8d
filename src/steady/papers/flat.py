"""steady's own stop for short runs: the warm-up ends when nothing shows a trend any more."""

from __future__ import annotations

from steady.number_checks import check_between, check_whole
from steady.papers.replay import NamedStop, Replay
from steady.steadystate.online import BLOCKS, spread_of_blocks

SHARE = 2 / 3
"""Part of all iterations so far that is judged: a longer warm-up needs a longer level."""

NOISIEST = 0.2
"""No noise excuses medians that are further apart than this."""


class FlatStop(NamedStop):
    """The stop of `flat`: at the first window whose blocks are level.

    The latest two thirds of all iterations are cut into five blocks of equal length. The warm-up
    ends when their medians all lie within the tolerance. A trend, a step and a hump move one of
    the medians; what disturbs single iterations does not. The window grows with the warm-up, so
    that the criterion is the same whatever an iteration lasts. On a noisy machine the tolerance is
    larger: as large as the noise from iteration to iteration explains, up to 20 %.
    ``start`` is the first iteration after those that were needed to decide.

    Parameters
    ----------
    tolerance : float
        Largest ratio of two medians, less one.
    fewest : int
        Iterations before which it never says yes, at least 10.

    References
    ----------
    steady's own; `python -m evaluation.warm_up` judges it project by project.
    """

    name = "flat"

    def __init__(self, *, tolerance: float = 0.02, fewest: int = 10) -> None:
        super().__init__()
        check_between(0, 1, tolerance=tolerance)
        check_whole(10, fewest=fewest)
        self._tolerance = tolerance
        self.least = fewest
        self._values: list[float] = []
        self.criterion = f"five medians in a row within {100 * tolerance:g} %, or their noise"

    def _judge(self, value: float) -> int | None:
        self._values.append(value)
        if self.seen < self.least:
            return None
        latest = self._values[-max(int(SHARE * self.seen), BLOCKS) :]
        spread, noise = spread_of_blocks(latest)
        return self.seen if spread <= max(self._tolerance, min(noise, NOISIEST)) else None


flat = Replay(FlatStop)
