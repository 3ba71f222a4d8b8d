"""Summary of the detectors that judged the benchmarks of a plan, with reasons."""

from collections.abc import Iterable

from steady.steadystate import BY_LENGTH, LONG_ENOUGH, SHORTEST, detector_for
from steady.text.numbers import count

DRIFT_TEST = "drift-test"
"""Name of the test for forks that are too short for any detector."""


TITLES = {
    "kb-kssd": "KB-KSSD", "cp-ssd": "CP-SSD", "sdm": "SDM", "r-test": "R-test",
    "georges": "Georges' rule", "recommended": "onset", DRIFT_TEST: "drift test",
    "": "the detector",
}  # fmt: skip
"""Titles of detectors in sentences; other detectors have their name as the title."""


Judged = tuple[str, int]
"""Detector of a benchmark (see `Analysis.judge`), and the number of iterations of its forks."""


def title_of(judge: str) -> str:
    """Return the title of a detector in a sentence."""
    return TITLES.get(judge, judge)


def judged_sentence(judged: Iterable[Judged], detector: object) -> str:
    """Return a sentence with the number of benchmarks of each detector, and the reasons.

    Parameters
    ----------
    judged : iterable of (str, int)
        For each benchmark, its detector and the number of iterations of its shortest fork; the name
        is empty if there were too few measurements.
    detector : object
        Requested detector; "by-length" chooses by the length of the forks.

    Returns
    -------
    str
        The sentence; empty if no benchmark was judged.
    """
    lengths: dict[str, list[int]] = {}
    for judge, iterations in judged:
        if judge:
            lengths.setdefault(judge, []).append(iterations)
    every = sum(map(len, lengths.values()))
    parts = [
        f"{_titles(judge, detector)} judged {_benchmarks(len(those), every)}{_of(those)}"
        f"{_why(judge, detector)}"
        for judge, those in sorted(lengths.items(), key=lambda one: -max(one[1]))
    ]
    line = "; ".join(parts)
    return f"{line[:1].upper()}{line[1:]}." if line else ""


def _titles(judge: str, detector: object) -> str:
    test = f"the {title_of(DRIFT_TEST)}"
    if judge == DRIFT_TEST:
        return test
    both = detector == BY_LENGTH and judge != detector_for(LONG_ENOUGH)
    return f"{title_of(judge)} and {test}" if both else title_of(judge)


def _benchmarks(some: int, every: int) -> str:
    if some < every:
        return count(some, "benchmark")
    return "the benchmark" if every == 1 else f"all {count(every, 'benchmark')}"


def _of(lengths: list[int]) -> str:
    least, most = min(lengths), max(lengths)
    return f" of {least:,} iterations" if least == most else f" of {least:,} to {most:,} iterations"


def _why(judge: str, detector: object) -> str:
    if detector != BY_LENGTH:
        return ", as requested"
    if judge == DRIFT_TEST:
        return f": too short for a detector, which needs {SHORTEST}"
    if judge == detector_for(LONG_ENOUGH):
        return ", which is long enough for it"
    return f": too short for {title_of(detector_for(LONG_ENOUGH))}, which needs {LONG_ENOUGH}"
