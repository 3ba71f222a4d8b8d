"""Percentages as people write them: ``5%``, ``5 %`` or ``0.05``."""

import numbers
import re
from dataclasses import dataclass

from steady.errors import InputError

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

    def parse(self, text: str, write: str = "{}") -> float:
        """Return a percentage as a fraction.

        Parameters
        ----------
        text : str
            What somebody wrote.
        write : str
            How it is written in this place, ``{}`` for the percentage: ``--min-change {}``.

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
            hint = in_percent(text, write)
            raise ValueError(f"expected {self.expected}, got {shown!r}{hint}")
        return value

    def of(self, name: str, value: float | str) -> float:
        """Return what a program gave as a fraction: ``0.05``, or ``"5%"``.

        Parameters
        ----------
        name : str
            What the program calls it.
        value : float or str
            What it gave.

        Raises
        ------
        InputError
            If it is something else, or out of range.
        """
        written = value if isinstance(value, str) else _number(value)
        try:
            fraction = self.parse(written, f"{name}='{{}}'")
        except ValueError:
            hint = in_percent(written, f"{name}='{{}}'")
            raise InputError(f"{name} is {value!r}; give {self.expected}{hint}") from None
        return fraction if isinstance(value, str) else float(value)


def in_percent(text: str, write: str = "{}") -> str:
    """Return the end of a sentence that says how to write a bare number from 1 to 99 as percent.

    Parameters
    ----------
    text : str
        What somebody wrote.
    write : str
        How it is written in this place; see `Percentage.parse`.

    Returns
    -------
    str
        Empty if the text is anything else.
    """
    written = _WRITTEN.fullmatch(text.strip())
    if written is None or written[2] is not None or not 1.0 <= float(written[1]) < 100.0:
        return ""
    return f"; write {write.format(f'{float(written[1]):g}%')}"


def _number(value: object) -> str:
    """Return a number as text; empty for what is not one."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    return repr(float(value)) if is_number else ""  # type: ignore[arg-type]


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
