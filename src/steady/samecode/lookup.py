"""The part of each harness that looks into builds: it is found here, and asked."""

from __future__ import annotations

from collections.abc import Sequence

from steady.harness import HARNESSES
from steady.harness.runs import Runs
from steady.harness.trial import Version
from steady.samecode.builds import Builds


def builds_of(harness: Runs, versions: Sequence[Version]) -> Builds | None:
    """Return builds, as their harness looks into them; None if it does not.

    Parameters
    ----------
    harness : Runs
        What runs the benchmarks.
    versions : sequence of Version
        Base and head.
    """
    search = HARNESSES[harness.name].value.same_code if harness.name in HARNESSES else None
    return None if search is None else search.builds(harness, versions)
