"""Times as people write them."""

from __future__ import annotations

from contextlib import suppress

_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0}


def seconds_of(text: str) -> float:
    """Parse a time above 0: ``600``, ``600s``, ``10m`` or ``1.5h``.

    Raises
    ------
    ValueError
        If it is not such a time.
    """
    unit = _SECONDS.get(text[-1:])
    with suppress(ValueError):
        value = float(text if unit is None else text[:-1]) * (unit or 1.0)
        if 0.0 < value < float("inf"):
            return value
    raise ValueError(f"{text!r} is not a time; write 600, 10m or 1.5h")
