"""``run.sh``: the plan as a script that needs only Java and a POSIX shell."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from importlib import resources

from steady.emit.checksum import posix_checksum
from steady.emit.jmh_check import is_control
from steady.emit.jmh_groups import Invocation, include_pattern, split_names
from steady.emit.jmh_overlay import Overlay
from steady.model import Identity

_PLACES = re.compile(r"^# @(sums|runs|expected)@$", re.MULTILINE)


def render_script(
    identities: Iterable[Identity],
    groups: Sequence[Invocation],
    overlay: Overlay | None = None,
    remaining: Sequence[Invocation] = (),
    benchmark_list: bytes = b"",
) -> str:
    """Return the script.

    Parameters
    ----------
    identities : iterable of Identity
        All of the plan's: those that must leave a result.
    groups : sequence of Invocation
        What runs all of them without an overlay.
    overlay : Overlay, optional
        What runs most of them at once.
    remaining : sequence of Invocation
        What runs the others.
    benchmark_list : bytes
        The list from which the overlay was made.
    """
    overlay_runs = [] if overlay is None else list(split_names(overlay.names))
    parts = {
        "sums": "\n".join(
            f"{name}={shlex.quote(posix_checksum(data) if overlay else '')}"
            for name, data in (
                ("list_sum", benchmark_list),
                ("overlay_sum", overlay.content if overlay else b""),
            )
        ),
        "runs": "\n\n".join(
            (
                _function("run_with_overlay", map(_overlay_run, overlay_runs), remaining),
                _function("run_by_groups", (), groups),
            )
            if overlay
            else (_function("run_with_overlay", (), ()), _function("run_by_groups", (), groups))
        ),
        "expected": "\n".join(map(result_line, identities)),
    }
    return _PLACES.sub(lambda place: parts[place[1]], _template())


def result_line(identity: Identity) -> str:
    """Return what the script's ``identities`` makes of this benchmark's result.

    JMH sorts the parameters by name, leaves control characters out of their values, and escapes
    quotation marks and backslashes (``JSONResultFormat.toJsonString``).
    """
    params = "".join(f' "{key}" : {_json(value)}' for key, value in sorted(identity.params))
    return f'"{identity.name}" "{identity.mode}" {identity.threads}{params}'


def _template() -> str:
    return resources.files(__package__).joinpath("run.sh").read_text(encoding="utf-8")


def _json(value: str) -> str:
    printed = "".join(character for character in value if not is_control(character))
    return '"' + printed.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _function(name: str, overlay_runs: Iterable[str], groups: Sequence[Invocation]) -> str:
    calls = [*overlay_runs, *map(_group_run, groups)]
    body = [f"  total={len(calls)}", *calls]
    return "\n".join([f"{name}() {{", *body, "}"])


def _overlay_run(names: Sequence[str]) -> str:
    return _call([], names)


def _group_run(group: Invocation) -> str:
    options = group.arguments[: -len(group.names)]
    return _call(options, group.names)


def _call(options: Sequence[str], names: Sequence[str]) -> str:
    first = " ".join(['  jmh "$@"', *map(shlex.quote, options)])
    return " \\\n    ".join([first, *(shlex.quote(include_pattern(name)) for name in names)])
