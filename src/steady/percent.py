"""Parsing of percentages: ``5%``, ``5 %`` or ``0.05``."""

import numbers
import re
from dataclasses import dataclass

from steady.errors import InputError

_WRITTEN = re.compile(r"((?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?)(?: ?(%))?")


@dataclass(frozen=True, slots=True)
class Percentage:
    """The allowed range of a percentage.

    Numbers without a percent sign are fractions and must be below 1, because ``5`` probably means 5
    %, not 500 %.

    Parameters
    ----------
    expected : str
        Description in messages.
    above_zero : bool
        Whether 0 is rejected.
    allow_above_100 : bool
        Whether 100 % and more are allowed, with a percent sign.
    """

    expected: str
    above_zero: bool = False
    allow_above_100: bool = False

    def parse(self, text: str, write: str = "{}") -> float:
        """Parse a percentage to a fraction.

        Parameters
        ----------
        text : str
            Text of the percentage.
        write : str
            Syntax of the option in hints, with ``{}`` for the percentage: ``--min-change {}``.

        Raises
        ------
        ValueError
            If it is not a percentage or out of range; the message contains the expected range.
        """
        written = _WRITTEN.fullmatch(text.strip())
        number, sign = written.groups() if written else ("nan", None)
        value = float(number) / 100.0 if sign else float(number)
        limit = float("inf") if sign and self.allow_above_100 else 1.0
        if not 0.0 <= value < limit or (self.above_zero and value == 0.0):
            shown = text if len(text) <= 80 else text[:79] + "…"
            hint = percent_hint(text, write)
            raise ValueError(f"expected {self.expected}, got {shown!r}{hint}")
        return value

    def of(self, name: str, value: float | str) -> float:
        """Validate an argument of a Python function: ``0.05``, or ``"5%"``.

        Parameters
        ----------
        name : str
            Name of the argument.
        value : float or str
            Value of the argument.

        Raises
        ------
        InputError
            If it is not a percentage, or out of range.
        """
        written = value if isinstance(value, str) else _number(value)
        try:
            fraction = self.parse(written, f"{name}='{{}}'")
        except ValueError:
            hint = percent_hint(written, f"{name}='{{}}'")
            raise InputError(f"{name} is {value!r}; give {self.expected}{hint}") from None
        return fraction if isinstance(value, str) else float(value)


def percent_hint(text: str, write: str = "{}") -> str:
    """Return a hint on writing a bare number from 1 to 99 as a percentage, or an empty string.

    Parameters
    ----------
    text : str
        Text of the percentage.
    write : str
        Syntax of the option; see `Percentage.parse`.

    Returns
    -------
    str
        End of a sentence; empty if the text is not such a number.
    """
    written = _WRITTEN.fullmatch(text.strip())
    if written is None or written[2] is not None or not 1.0 <= float(written[1]) < 100.0:
        return ""
    return f"; write {write.format(f'{float(written[1]):g}%')}"


def _number(value: object) -> str:
    """Return a number as text; empty for other types."""
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
    allow_above_100=True,
)
