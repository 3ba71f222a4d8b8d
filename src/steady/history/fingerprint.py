"""The surroundings of a whole run, short enough for an index."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass

from steady.model import Suite

_KINDS = {"cpu": "CPU", "os": "operating system", "jdk": "JDK", "vm": "JVM"}


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The surroundings of a run: the different values of each kind, sorted.

    Parameters
    ----------
    cpu, os, jdk, vm : tuple of str
        See `steady.model.Environment`; empty if the harness did not say.
    """

    cpu: tuple[str, ...] = ()
    os: tuple[str, ...] = ()
    jdk: tuple[str, ...] = ()
    vm: tuple[str, ...] = ()

    @classmethod
    def of(cls, suite: Suite) -> Fingerprint:
        """Return the fingerprint of a suite."""
        environments = suite.environments
        return cls(
            **{
                kind: tuple(sorted({v for e in environments if (v := getattr(e, kind))}))
                for kind in _KINDS
            }
        )

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits, short enough for a table; equal if everything is equal."""
        return hashlib.sha256(json.dumps(asdict(self)).encode()).hexdigest()[:12]

    def differences(self, other: Fingerprint) -> tuple[str, ...]:
        """Name the kinds in which the two differ, where both of them say something.

        Returns
        -------
        tuple of str
            ``CPU: AMD EPYC 7763 there, Intel Xeon 8370C here``, `self` being there.
        """
        return tuple(
            f"{name}: {', '.join(there)} there, {', '.join(here)} here"
            for kind, name in _KINDS.items()
            for there, here in [(getattr(self, kind), getattr(other, kind))]
            if there and here and there != here
        )
