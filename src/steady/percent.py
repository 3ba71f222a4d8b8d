"""Percentages as people write them: ``5%``, ``5 %`` or ``0.05``."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WRITTEN = re.compile(r"((?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?)(?: ?(%))?")


@dataclass(frozen=True, slots=True)
class Percentage:
    """What a percentage may be in one place.

    A number without a sign is a fraction below 1 in every place: who writes ``5`` means 5 %, and
    it would be 500 %.

    Parameters
    ----------
    expected : str
        As messages say it.
    above_zero : bool
        Whether 0 is refused.
    beyond_all : bool
        Whether 100 % and more are taken, with their sign.
    """

    expected: str
    above_zero: bool = False
    beyond_all: bool = False

    def parse(self, text: str) -> float:
        """Return a percentage as a fraction.

        Raises
        ------
        ValueError
            If it is something else, or out of range; the message says what was expected.
        """
        written = _WRITTEN.fullmatch(text.strip())
        number, sign = written.groups() if written else ("nan", None)
        value = float(number) / 100.0 if sign else float(number)
        limit = float("inf") if sign and self.beyond_all else 1.0
        if not 0.0 <= value < limit or (self.above_zero and value == 0.0):
            shown = text if len(text) <= 80 else text[:79] + "…"
            raise ValueError(f"expected {self.expected}, got {shown!r}")
        return value


SHARE = Percentage("a percentage below 100 such as 5%, or a fraction below 1 such as 0.05")
POSITIVE = Percentage(
    "a percentage above 0 and below 100 such as 5%, or a fraction such as 0.05", above_zero=True
)
LEVEL = Percentage(
    "a percentage above 0 and below 100 such as 99%, or a fraction such as 0.99", above_zero=True
)
BOUND = Percentage(
    "a percentage above 0 such as 20%, or a fraction below 1 such as 0.2",
    above_zero=True,
    beyond_all=True,
)
