"""Facts about forks that a run adds to results, in one versioned format for every harness.

A harness's own file does not name the round of a fork, its duration, or how many were planned.
`ForkFacts` does, under the key `KEY`: one object in each entry of a program's JSON, a list with one
object for each fork in a record of JMH, and one object in the comment before each process in Go's
text. The harness's own tools ignore it, and it stays with a file that is copied without others.

Readers ignore unknown fields, so a field can be added at any time. A field that changes its meaning
needs a new `VERSION`, which older releases refuse.

The readers of JMH and Go also read the older formats of earlier releases. In a program's JSON,
these had the present form without a version.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import astuple
from functools import partial
from itertools import pairwise
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from steady.errors import InputError
from steady.files import decode_json
from steady.harness.fields import Field
from steady.harness.runs import ForkResult, RunFacts
from steady.model import ExecutionConfiguration, Spent

VERSION = 1
KEY = "steady"
_AGAIN = "run `steady run` again"

_LARGEST = 2**53
_Count = Annotated[int, Meta(ge=0, lt=_LARGEST)]
_Rounds = tuple[Annotated[int, Meta(ge=1, lt=_LARGEST)], ...]
_Seconds = Annotated[float, Meta(ge=0, le=1e9)]
Counters = tuple[tuple[str, float | None], ...]
"""Names and values of counters; None if counting failed."""

Wrong = Callable[[str], InputError]
"""Returns an error that names a position in a file."""


class Stop(Struct, frozen=True):
    """End of a fork that was stopped early (`steady.execution.live_stop.Stopped`)."""

    method: str = ""
    start: _Count | None = None
    warmup: _Count = 0
    iterations: _Count = 0
    reason: str = ""
    cold_seconds: _Seconds = 0.0


class ForkFacts(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Facts about one fork, defined in ``docs/series-format.md``; unknown ones are absent.

    The fields from `forks` on describe its benchmark, so they are the same for all its forks.
    """

    version: _Count = 0
    block: str = ""
    in_turn: bool = False
    seconds: _Seconds | None = None
    active_seconds: _Seconds | None = None
    stop: Stop | None = None
    counts: Counters = ()
    screening: bool = False
    processor: _Count | None = None
    layout: str = ""
    process: str = ""
    forks: _Count = 0
    warmup: _Count = 0
    iterations: _Count = 0
    iteration_seconds: _Seconds = 0.0
    batch_size: _Count = 1
    threads: _Count = 0
    looks: _Rounds = ()
    declared: ExecutionConfiguration | None = None
    not_run: _Count = 0

    def __post_init__(self) -> None:
        if any(earlier >= later for earlier, later in pairwise(self.looks)):
            raise ValueError("looks are not in ascending order")
        if self.declared and not all(0 <= one < _LARGEST for one in astuple(self.declared)):
            raise ValueError("a declared number is below 0, or too large")

    @property
    def configuration(self) -> ExecutionConfiguration | None:
        """Planned configuration; None if it is unknown."""
        if not self.iterations:
            return None
        lengths = (self.iteration_seconds,) * 2 + (self.batch_size,) * 2
        return ExecutionConfiguration(self.forks, self.warmup, self.iterations, *lengths)

    @property
    def spent(self) -> Spent | None:
        """Duration of the fork; None if it is unknown."""
        return None if self.seconds is None else Spent(self.seconds, self.active_seconds)


NO_FACTS = ForkFacts()

_FIELDS = ForkFacts.__struct_encode_fields__
_OF_BENCHMARK = ("version", *_FIELDS[_FIELDS.index("forks") :])
"""Fields that a list of facts has in its first item only."""


def facts_of(
    fork: ForkResult, run: RunFacts, *, counts: Counters = (), stop: Stop | None = None
) -> dict[str, Any]:
    """Return the facts about a fork as plain data; `counts` and `stop` are from its own file."""
    identity, how = fork.trial.identity, fork.trial.configuration
    seconds, active = (fork.spent.seconds, fork.spent.iterations) if fork.spent else (None, None)
    facts = ForkFacts(
        version=VERSION,
        block=fork.block,
        in_turn=fork.in_turn,
        seconds=None if seconds is None else round(seconds, 3),
        active_seconds=None if active is None else round(active, 3),
        stop=stop,
        counts=counts,
        screening=fork.screening,
        processor=fork.processor,
        layout=fork.layout,
        process=fork.process,
        forks=run.planned_forks.get(identity, 0),
        warmup=how.warmup_iterations,
        iterations=how.iterations,
        iteration_seconds=how.iteration_seconds,
        batch_size=how.batch_size,
        threads=identity.threads,
        looks=run.looks.get(identity, ()),
        declared=run.declared.get(identity),
        not_run=run.not_run.get(identity, 0),
    )
    return dict(msgspec.to_builtins(facts))


def as_list(forks: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the facts about forks; only the first has those about the benchmark."""
    own = [{k: v for k, v in one.items() if k not in _OF_BENCHMARK} for one in forks[1:]]
    return [*forks[:1], *own]


def read_facts(value: object, wrong: Wrong) -> ForkFacts:
    """Read the facts about a fork; raise the error of `wrong` if they have another format."""
    _check_version(value, wrong)
    try:
        return msgspec.convert(value, ForkFacts)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        raise wrong(f"has facts about forks in another format ({error}); {_AGAIN}") from None


def _check_version(value: object, wrong: Wrong) -> None:
    version = value.get("version") if isinstance(value, dict) else None
    if isinstance(version, int) and VERSION < version < _LARGEST:
        raise wrong(
            f"has facts about forks of version {version}; this release of steady reads up to "
            f"version {VERSION}: install a newer release"
        )


def facts_in(entry: Field) -> ForkFacts:
    """Read the facts in an entry for one fork; `NO_FACTS` if it has none."""
    value = entry.table().get(KEY)
    return NO_FACTS if value is None else read_facts(value, entry.error)


def facts_in_list(record: Field, forks: int) -> tuple[ForkFacts, ...]:
    """Read the facts in a record of several forks; raise InputError unless each fork has some."""
    value = record.member(KEY)
    _check_version(value.value, record.error)
    items = [one.table() for one in value.items()]
    for one in items[:1]:
        _check_version(one, record.error)
    if len(items) != forks:
        raise record.error(f"has facts about {len(items)} forks for {forks} forks; {_AGAIN}")
    common = {key: items[0][key] for key in _OF_BENCHMARK if key in items[0]} if items else {}
    return tuple(read_facts(common | one, record.error) for one in items)


def as_text(fork: ForkResult, run: RunFacts) -> str:
    """Return the facts about a fork as one line of text."""
    return json.dumps(facts_of(fork, run))


def facts_in_text(text: str, source: str, line: int) -> ForkFacts:
    """Read the facts in a line of text; errors name the file and the number of the line."""
    wrong = partial(InputError, source=source, where=f"line {line}")
    try:
        value = decode_json(text)
    except (ValueError, RecursionError):
        raise wrong(f"has facts about forks that are not JSON; {_AGAIN}") from None
    return read_facts(value, wrong)


def of_forks(facts: Sequence[ForkFacts]) -> dict[str, Any]:
    """Return the arguments of `Benchmark` that follow from the facts about its forks."""
    columns = {
        "blocks": tuple(one.block for one in facts),
        "in_turn": tuple(one.in_turn for one in facts),
        "spent": tuple(one.spent for one in facts),
        "cold_seconds": tuple(one.stop.cold_seconds if one.stop else 0.0 for one in facts),
        "layouts": tuple(one.layout for one in facts),
    }
    return {
        **{name: values if any(values) else () for name, values in columns.items()},
        "looks": tuple(sorted({look for one in facts for look in one.looks})),
        "declared": next((one.declared for one in facts if one.declared), None),
    }
