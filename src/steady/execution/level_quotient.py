"""Steady state in the quotient of two interleaved forks, also on a noisy machine."""

import numpy as np

from steady.model import FloatArray
from steady.steadystate.online import BLOCKS, JUDGED_FRACTION, block_medians, block_range

TOLERANCE = 0.02
"""Largest relative difference of two medians of a level quotient on a quiet machine."""

NOISIEST = 0.1
"""Upper bound of the relative difference of two medians of a level quotient, for any noise."""

FASTER = 0.2
"""A fork whose first block takes longer than its last by more than this share is warming up."""


class LevelQuotient:
    """A detector of steady state in the quotient of two interleaved forks.

    Other load makes a machine slower for some seconds, so the times of a fork are not level. Two
    forks that are interleaved every tenth of a second are slowed equally, so their quotient is
    level. The quotient is also level while both forks warm up equally. Therefore neither fork may
    become much faster, and the caller of `feed` reports active compilers by `hold`.

    Notes
    -----
    In published suites, the forks' own times are steady within 6.6 s in 45 % of all pairs of forks
    of one benchmark, and their quotient in 65 %; with added noise, 30 % and 66 %. The measured
    quotient is then wrong by more than 10 % in 6 % and 9 % of the pairs; with added noise, 14 % and
    10 % (`python -m evaluation.warm_up`).
    """

    def __init__(self) -> None:
        self._times: list[tuple[float, float]] = []
        self.start: int | None = None
        """The first iteration in steady state; None until the quotient is level."""

    def feed(self, base: float, head: float, *, hold: bool = False) -> None:
        """Add the times per operation of two interleaved iterations.

        Parameters
        ----------
        base, head : float
            Finite times; if one is not positive, the quotient does not count as level.
        hold : bool
            Whether other evidence shows that the warm-up is not over.
        """
        self._times.append((base, head))
        if self.start is None and not hold and self._is_level():
            self.start = len(self._times)

    def _is_level(self) -> bool:
        seen = len(self._times)
        if seen < 2 * BLOCKS:
            return False
        times = np.array(self._times[-int(JUDGED_FRACTION * seen) :])
        if times.min() <= 0 or _becomes_faster(times[:, 0]) or _becomes_faster(times[:, 1]):
            return False
        spread, noise = block_range(times[:, 1] / times[:, 0])
        return spread <= max(TOLERANCE, min(noise, NOISIEST))


def _becomes_faster(times: FloatArray) -> bool:
    medians = block_medians(times)
    return bool(medians[0] > (1 + FASTER) * medians[-1])
