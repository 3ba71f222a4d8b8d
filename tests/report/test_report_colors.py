"""Every colour of a text can be read on what it stands on, in light and in dark."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from tests.looped import looped

CSS = (files("steady.report") / "templates" / "pictures.css").read_text(encoding="utf-8")
LIGHT, DARK = (dict(re.findall(r"(--\w+): (#\w+);", block)) for block in
               re.findall(r":root \{(.*?)\}", CSS, re.DOTALL))  # fmt: skip
ENOUGH = 4.5
"""For small text (WCAG 2.2, success criterion 1.4.3)."""


def luminance(color: str) -> float:
    digits = color.removeprefix("#")
    digits = "".join(2 * c for c in digits) if len(digits) == 3 else digits
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_what_the_standard_says() -> None:
    assert contrast("#000", "#fff") == pytest.approx(21)
    assert contrast("#777", "#fff") == pytest.approx(4.48, abs=0.01)


@looped("scheme", ["light", "dark"])
@looped("text", ["ink", "soft", "worse", "better", "open", "same"])
def test_text_can_be_read(text: str, scheme: str) -> None:
    colors = LIGHT if scheme == "light" else DARK
    for ground in ("paper", "band"):
        assert contrast(colors[f"--{text}"], colors[f"--{ground}"]) >= ENOUGH, ground


def test_both_schemes_have_the_same_colors() -> None:
    assert LIGHT.keys() == DARK.keys()
