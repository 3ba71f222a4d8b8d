"""JMH's time values: ``100 ms``, ``10 s``, ``single-shot``."""

from __future__ import annotations

import re

from steady.model.units import exact_seconds

_TIME_VALUE = re.compile(r"([0-9]{1,18}) ?(ns|us|ms|s|sec|min|hr|day)")
"""``sec`` is what kotlinx-benchmark writes."""


def parse_time_value(text: str) -> float:
    """Turn JMH's text of a duration into seconds.

    Parameters
    ----------
    text : str
        A whole number and a unit as JMH prints them (``TimeValue.toString``), or
        ``single-shot``, which JMH prints for zero.

    Returns
    -------
    float
        Seconds.

    Raises
    ------
    ValueError
        If `text` is not such a duration.
    """
    if text == "single-shot":
        return 0.0
    match = _TIME_VALUE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a duration such as '100 ms'")
    return float(int(match[1]) * exact_seconds(match[2]))
