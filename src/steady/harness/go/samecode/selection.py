"""Which benchmarks of Go run the same code in the test binaries of two versions."""

from __future__ import annotations

from pathlib import Path

from steady.engine.workload import Held
from steady.harness.go.configure.pattern import split_name
from steady.harness.go.run.test_binaries import binaries
from steady.harness.go.samecode.binaries import GoBuild, differences
from steady.harness.trial import Version
from steady.model import Identity
from steady.samecode.decide import Decision, decided

_UNKNOWN = "its test binary does not say which package it tests"


def go_decisions(base: Version, head: Version, held: Held) -> tuple[Decision, ...]:
    """Decide for each benchmark whether it runs the same code.

    Parameters
    ----------
    base, head : Version
        The two versions.
    held : mapping of str to collection of Identity
        The benchmarks of each.
    """
    whys = differences(_build(base.target), _build(head.target))

    def why(identity: Identity) -> str:
        package, _ = split_name(identity.name)
        return whys.get(package, _UNKNOWN)

    return decided({"base": held[base.name], "head": held[head.name]}, why)


def _build(target: Path) -> GoBuild:
    return GoBuild(target if target.is_dir() else target.parent, binaries(target))
