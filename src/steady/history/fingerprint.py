"""The surroundings of a whole run, short enough for an index."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import asdict

from steady.model import Suite

_Values = Annotated[tuple[Annotated[str, Meta(max_length=1000)], ...], Meta(max_length=1000)]

_KINDS = {"cpu": "CPU", "os": "operating system", "jdk": "JDK", "vm": "JVM"}


class Fingerprint(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The surroundings of a run: the different values of each kind, sorted.

    Parameters
    ----------
    cpu, os, jdk, vm : tuple of str
        See `steady.model.Environment`; empty if the harness did not say.
    """

    cpu: _Values = ()
    os: _Values = ()
    jdk: _Values = ()
    vm: _Values = ()

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
