"""The outputs of commands with ``--json``, declared once: printing and JSON schemas follow from it.

What `steady compare` and `steady plan` print are files of their own, and `steady.history`
declares what `steady history` prints.
"""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from steady.model import Identity


class AnalysisEntry(Struct, frozen=True):
    """Where the forks of one benchmark are steady, and whether they agree.

    Starts and odd forks count from 0. A start of null is a fork that is never steady, and a
    `warmup` of null is a benchmark without a steady state; the reason says why. `similar` is null
    where there are too few forks to tell.
    """

    identity: Identity
    starts: tuple[int | None, ...]
    warmup: int | None
    similar: bool | None
    odd_forks: tuple[int, ...]
    reason: str


class AnalysisListing(Struct, frozen=True):
    """What `steady analyze --json` prints."""

    steady_analysis: Literal[1]
    benchmarks: tuple[AnalysisEntry, ...]


class ChangedEntry(Struct, frozen=True):
    """Whether one benchmark runs the same code in base and head; if not, why it may differ."""

    identity: Identity
    same: bool
    why: str | UnsetType = UNSET


class ChangedListing(Struct, frozen=True):
    """What `steady changed --json` prints."""

    steady_changed: Literal[1]
    benchmarks: tuple[ChangedEntry, ...]


class ShardEntry(Struct, frozen=True):
    """A part of a plan: `seconds` is what one version takes."""

    shard: str
    seconds: float
    benchmarks: tuple[Identity, ...]


class ShardsListing(Struct, frozen=True):
    """What `steady plan --shards N --json` prints."""

    steady_shards: Literal[1]
    shards: tuple[ShardEntry, ...]


class MethodEntry(Struct, frozen=True):
    """Something that can be named. The option is empty where none takes the name."""

    kind: str
    option: str
    name: str
    summary: str
    source: str


class MethodsListing(Struct, frozen=True):
    """What `steady methods --json` prints."""

    steady_methods: Literal[1]
    methods: tuple[MethodEntry, ...]
