"""Environment sizes: the environment of each process of a native program has another length.

The kernel copies the environment to the top of the stack, so its length moves the stack of the
program, which can change the speed of the program (Mytkowicz et al., *Producing wrong data without
doing anything obviously wrong*, ASPLOS 2009). Linux also moves the stack at random, unless the
program or its user turns that off.
"""

from zlib import crc32

import numpy as np

from steady.harness.trial import Trial

VARIABLE = "STEADY_PADDING"
"""The variable that fills the environment."""

_STACK_ALIGNMENT = 16
_PAGE = 4096


def padding_bytes(trial: Trial, seed: int) -> int:
    """Return the length of the variable's value in bytes, below a page of memory.

    Each process has its own. If base and head of a round had the same, its effect would cancel as
    long as their stack frames are equal, and bias the change as soon as they are not.
    """
    label = crc32(f"{trial.version} {trial.identity.label}".encode())
    kind = int(trial.screening)
    generator = np.random.default_rng([seed, label, kind, trial.round])
    return _STACK_ALIGNMENT * int(generator.integers(_PAGE // _STACK_ALIGNMENT))
