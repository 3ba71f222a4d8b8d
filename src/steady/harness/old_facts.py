"""Facts about forks in results of earlier releases, when each harness had its own format.

JMH's records had seven keys that begin with ``steady``, and Go's text had options such as
``block=ab12:0`` before each process. Both are turned into the present form. An entry of a program's
JSON had the present form without a version.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from steady.files import plain
from steady.harness.fields import Field
from steady.harness.fork_facts import NO_FACTS, ForkFacts, Wrong, read_facts
from steady.model import ExecutionConfiguration

STOP = "steadyStop"

_OF_EACH = {"steadyBlocks": "block", "steadyTurns": "in_turn", "steadySeconds": "", STOP: "stop"}
"""Keys in a record of JMH with one item for each fork."""

_OF_ALL = {"steadyLooks": "looks", "steadyNotRun": "not_run", "steadyDeclared": "declared"}


def of_jmh(
    record: Field, forks: int, declared: Callable[[Field], ExecutionConfiguration | None]
) -> tuple[ForkFacts, ...]:
    """Read the facts about the forks in a record of JMH; raise InputError for an invalid key.

    `declared` reads a configuration in the form of JMH's records.
    """
    table = record.table()
    if table.keys().isdisjoint(_OF_EACH | _OF_ALL):
        return (NO_FACTS,) * forks
    common: dict[str, Any] = {name: table[key] for key, name in _OF_ALL.items() if key in table}
    if "declared" in common:
        common["declared"] = plain(declared(record.member("steadyDeclared")))
    facts = [dict(common) for _ in range(forks)]
    for key in [key for key in _OF_EACH if key in table]:
        values = table[key]
        items = record.member(key).array() if not isinstance(values, dict) else [values]
        if len(items) != forks:
            raise record.error(f"has {len(items)} {key} for {forks} forks; run `steady run` again")
        for one, value in zip(facts, items, strict=True):
            if key != "steadySeconds":
                one[_OF_EACH[key]] = value
            else:  # the whole fork, and its iterations if known
                pair = value if isinstance(value, list) and len(value) in (1, 2) else [value]
                one |= zip(("seconds", "active_seconds"), pair, strict=False)
    return tuple(read_facts(one, record.error) for one in facts)


_WHOLE = re.compile(r"\d{1,9}", re.ASCII)
_SECONDS = re.compile(r"\d{1,9}(?:\.\d{1,9})?", re.ASCII)


def of_go(options: Mapping[str, str], wrong: Wrong) -> ForkFacts:
    """Read the facts about a process of Go; raise the error of `wrong` for invalid turns or looks.

    Other numbers were ignored if they were none.
    """
    turns = options.get("turns", "0")
    facts: dict[str, Any] = {
        "block": options.get("block", ""),
        "in_turn": {"0": False, "1": True}.get(turns, turns),
    }
    for key, name in (("forks", "forks"), ("cpu", "threads")):
        if _WHOLE.fullmatch(options.get(key, "")):
            facts[name] = int(options[key])
    if _SECONDS.fullmatch(options.get("seconds", "")):
        facts["seconds"] = float(options["seconds"])
    if "looks" in options:
        rounds = options["looks"].split(",")
        facts["looks"] = [int(one) if _WHOLE.fullmatch(one) else one for one in rounds]
    return read_facts(facts, wrong)
