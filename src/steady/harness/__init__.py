"""Benchmark harnesses: the contract of one, and a folder for each."""

from __future__ import annotations

from collections.abc import Iterator

from steady.harness.contract import Format, Harness, Running
from steady.registry import OnRequest, Registered, Registry

__all__ = ["Format", "HARNESSES", "Harness", "RUNNABLE", "Running"]

_OWN = (OnRequest("steady.harness.jmh:JMH"), OnRequest("steady.harness.go:GO"))


def _known() -> Iterator[Registered[Harness]]:
    for ask in _OWN:
        one: Harness = ask.load()
        yield Registered(one.name, one.summary, one.source, one)


HARNESSES = Registry("harness", further=_known)
"""What steady knows of each harness, by its name in results and plans."""


def _runnable() -> Iterator[Registered[Running]]:
    for entry in HARNESSES.values():
        if entry.value.running is not None:
            yield Registered(entry.name, entry.summary, entry.source, entry.value.running)


RUNNABLE = Registry("harness", further=_runnable)
"""The harnesses that `steady run` can run."""
