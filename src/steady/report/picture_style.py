"""The style of pictures that stand in a file of their own: few programs know CSS's variables."""

from __future__ import annotations

import re
from collections.abc import Mapping

_SCHEMES = re.compile(
    r"@media[^{]{0,200}\{\s{0,20}:root\s{0,20}\{([^{}]*)\}\s{0,20}\}|:root\s{0,20}\{([^{}]*)\}"
)
_VARIABLE = re.compile(r"(--[a-z]+):\s{0,20}([^;\s][^;{}]{0,200});")
_USE = re.compile(r"var\((--[a-z]+)\)")
_RULE = re.compile(r"(?:\A|(?<=[{}]))([^{}]+)\{([^{}]*)\}")


def plain_style(css: str, *, dark: bool) -> str:
    """Return a style sheet with plain colours for those of its variables.

    Parameters
    ----------
    css : str
        Light colours in a rule ``:root``, dark ones in the same rule for readers who prefer
        them, and then the rules that use both.
    dark : bool
        Whether those readers get the dark ones. Programs that are no browsers show the light
        ones, whatever their readers prefer.
    """
    found = {bool(match[1]): match[1] or match[2] for match in _SCHEMES.finditer(css)}
    light, night = (dict(_VARIABLE.findall(found[is_dark])) for is_dark in (False, True))
    rules = _SCHEMES.sub("", css).strip()
    plain = _with_colors(rules, light)
    if not dark:
        return plain
    colored = "".join(
        f"{selector.strip()} {{ {' '.join(uses)} }}\n"
        for selector, body in _RULE.findall(rules)
        if (uses := [f"{part.strip()};" for part in body.split(";") if _USE.search(part)])
    )
    return f"{plain}\n@media (prefers-color-scheme: dark) {{\n{_with_colors(colored, night)}}}"


def _with_colors(rules: str, colors: Mapping[str, str]) -> str:
    return _USE.sub(lambda use: colors[use[1]], rules)
