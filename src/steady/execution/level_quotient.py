"""The quotient of two interleaved forks, which can be level on a machine that is not."""

import numpy as np

from steady.model import FloatArray
from steady.steadystate.online import BLOCKS, JUDGED_FRACTION, block_medians, block_range

TOLERANCE = 0.02
"""Largest ratio of two medians of the quotient, less one, where the machine is quiet."""

NOISIEST = 0.1
"""No noise excuses medians of the quotient that are further apart than this."""

FASTER = 0.2
"""A fork still becomes warm if its first block took so much longer than its last one."""


class LevelQuotient:
    """A detector of steady state in the quotient of two interleaved forks.

    A machine on which others work is slower for seconds, and then faster again: no fork's times are
    level there. Two forks that take turns every tenth of a second meet the same moments, so that
    their quotient is level. Forks that warm up in step have such a quotient, too: therefore neither
    may become faster by much, and others see to it that compilers are done.

    Notes
    -----
    Of pairs of forks of one benchmark in published suites, their own times call 45 % warm within
    6.6 s and this 65 %; where the machine is made noisy, 30 and 66 %. The quotient that is measured
    then is off by more than 10 % in 6 and 9 %, and in 14 and 10 % (`python -m evaluation.warm_up`).
    """

    def __init__(self) -> None:
        self._times: list[tuple[float, float]] = []
        self.start: int | None = None
        """The first iteration after those that were needed to decide; None until then."""

    def feed(self, base: float, head: float, *, hold: bool = False) -> None:
        """Take the times per operation of two iterations that ran one after the other.

        Parameters
        ----------
        base, head : float
            Finite; where one is not positive, nothing is decided.
        hold : bool
            Whether something else shows that the warm-up is not over: then a yes does not count.
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
