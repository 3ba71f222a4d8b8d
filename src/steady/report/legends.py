"""What the signs in pictures mean, in sentences that stand beside them."""

from __future__ import annotations

SERIES = (
    "Shaded: warm-up. Dashed frame and thick line below: the iterations that are measured. Arrows: "
    "values outside the axis."
)
"""Of the lines of forks."""

DETECTORS = (
    "Marks below a full run: where a detector sees a fork become steady; the dot and bold type "
    "name the detector that the plan was made with."
)
"""Of the lanes below them."""

MAP = (
    "The map tells how wide the 99 % interval of the median would be with fewer forks or "
    "iterations, in percent of the median; its frame is the plan."
)
"""Of the map of stability."""


def strips(*, forks: bool, rounds: bool) -> str:
    """Explain a strip.

    Parameters
    ----------
    forks, rounds : bool
        Whether there are marks of forks, and of rounds.
    """
    marks = "Round marks are the forks of base, square marks those of head"
    within = ", and upright marks the change within each round" if rounds else ""
    return (
        (f"{marks}{within}. " if forks else "")
        + "The bar is the interval of the change, and the line across it the change itself. An "
        "arrow points to what lies beyond the scale. A change counts where its bar leaves out zero "
        "and its line lies outside the shaded band, unless a note says otherwise."
    )
