"""What is not measured: benchmarks that run the same code in base and in head."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence

import numpy as np

from steady.engine.run_file import Target
from steady.readers.same_code import OtherEntry, SameCodeFile
from steady.samecode.decide import Decision
from steady.text.counting import count

CONTROL_SHARE = 0.1
"""The share of benchmarks with the same code that is measured all the same, one at least."""


def select(decisions: Sequence[Decision], versions: Sequence[Target], *, seed: int) -> SameCodeFile:
    """Choose at random which benchmarks with the same code are measured as a control.

    Parameters
    ----------
    decisions : sequence of Decision
        One for each benchmark.
    versions : sequence of Target
        What is run: other builds have other controls.
    seed : int
        Of the choice.
    """
    same = [decision.identity for decision in decisions if decision.same]
    number = math.ceil(CONTROL_SHARE * len(same))
    text = "".join(version.sha256 for version in versions)
    salt = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    generator = np.random.default_rng([seed, salt])
    chosen = {same[place] for place in generator.choice(len(same), number, replace=False)}
    return SameCodeFile(
        1,
        tuple(identity for identity in same if identity not in chosen),
        tuple(identity for identity in same if identity in chosen),
        tuple(OtherEntry(one.identity, one.why) for one in decisions if not one.same),
    )


def selection_sentence(file: SameCodeFile) -> str:
    """Say how many benchmarks run the same code, and what becomes of them."""
    same = len(file.same) + len(file.controls)
    total = same + len(file.others)
    verb = "runs" if 1 in (same, total) else "run"
    first = f"{same} of {count(total, 'benchmark')} {verb} the same compiled code in base and head"
    if not same:
        return first
    controls = count(len(file.controls), "is measured", "are measured")
    others = f", and {len(file.same)} not" * bool(file.same)
    return f"{first}; {controls} as a control{others}"
