"""The choice of what a run leaves out because base and head run the same code."""

import hashlib
import math
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace

from steady.harness.builds import Builds, Decision, Nearness, nearness
from steady.harness.trial import Held, Version
from steady.model import Identity
from steady.samecode.file import SameCodeFile
from steady.text.numbers import count

SAME_CODE = "same-code"
"""Key, in a run's header, of what becomes of benchmarks that run the same code in base and head
(`--same-code`). It is there where they were left out."""

SKIP = "skip"

CONTROL_SHARE = 0.1
"""The share of benchmarks with the same code that is measured all the same, but no more than may
differ, since time is for these; and one at the least."""


@dataclass(frozen=True, slots=True)
class SameCodeChoice:
    """What of a run is left out.

    Parameters
    ----------
    file : SameCodeFile, optional
        What runs the same code, and what is measured of it; None if nobody asked.
    """

    file: SameCodeFile | None = None

    @property
    def left_out(self) -> frozenset[Identity]:
        """The benchmarks that are not measured."""
        return frozenset() if self.file is None else frozenset(self.file.same)

    @property
    def controls(self) -> frozenset[Identity]:
        """The benchmarks that are measured although they run the same code in base and head."""
        return frozenset() if self.file is None else frozenset(self.file.controls)

    @property
    def nearness(self) -> Mapping[Identity, Nearness]:
        """What sorts the benchmarks that may differ, as far as the way to a change is known."""
        others = () if self.file is None else self.file.others
        return {one.identity: nearness(one.distance, one.share) for one in others if one.distance}

    @property
    def far(self) -> frozenset[Identity]:
        """As in `SameCode`."""
        return frozenset() if self.file is None else frozenset(self.file.meaning.far)

    @property
    def facts(self) -> dict[str, str]:
        """What the run's header says of it."""
        return {} if self.file is None else {SAME_CODE: SKIP}

    def measured(self, held: Held) -> dict[str, dict[Identity, None]]:
        """Return what is measured of the benchmarks of each version."""
        left_out = self.left_out
        return {n: dict.fromkeys(i for i in own if i not in left_out) for n, own in held.items()}


def choose(
    builds: Builds,
    versions: Sequence[Version],
    held: Held,
    *,
    digests: Iterable[str],
    seed: int,
    tell: Callable[[str], None],
) -> SameCodeChoice:
    """Choose what is left out, and say so; a run that goes on keeps its choice instead.

    Parameters
    ----------
    builds : Builds
        The two builds (`builds_of`).
    versions : sequence of Version
        Base and head.
    held : mapping of str to collection of Identity
        The benchmarks of each version, as far as this run is about them.
    digests : iterable of str
        Of what is run, and `seed`: see `select`.
    seed : int
        Of the choice of controls.
    tell : callable
        Gets lines for the user.
    """
    decisions = builds.decisions(held)
    share = 0.0 if builds.nothing_differs else CONTROL_SHARE
    file = select(decisions, digests, seed=seed, share=share)
    base, head = versions
    why = shlex.join(["steady", "changed", "--base", str(base.target), "--head", str(head.target)])
    others = f"; `{why}` says why others may differ" * bool(file.others)
    tell(f"{selection_sentence(file)}{others}")
    return SameCodeChoice(file)


def select(
    decisions: Sequence[Decision],
    digests: Iterable[str],
    *,
    seed: int,
    share: float = CONTROL_SHARE,
) -> SameCodeFile:
    """Choose at random which benchmarks with the same code are measured as a control.

    Parameters
    ----------
    decisions : sequence of Decision
        One for each benchmark.
    digests : iterable of str
        The SHA-256 of what is run: other builds have other controls.
    seed : int
        Of the choice.
    share : float
        Which part of them is measured; 0: none.
    """
    same = [decision.identity for decision in decisions if decision.same]
    number = min(math.ceil(share * len(same)), max(len(decisions) - len(same), 1))
    salt = int.from_bytes(hashlib.sha256("".join(digests).encode()).digest()[:8], "big")
    generator = np.random.default_rng([seed, salt])
    others = [replace(one, share=round(one.share, 6)) for one in decisions if not one.same]
    chosen = {same[place] for place in generator.choice(len(same), number, replace=False)}
    return SameCodeFile(
        1,
        tuple(identity for identity in same if identity not in chosen),
        tuple(identity for identity in same if identity in chosen),
        tuple(sorted(others, key=lambda one: nearness(one.distance, one.share))),
    )


def selection_sentence(file: SameCodeFile) -> str:
    """Say how many benchmarks run the same code, and what becomes of them."""
    same = len(file.same) + len(file.controls)
    total = same + len(file.others)
    verb = "runs" if 1 in (same, total) else "run"
    first = f"{same} of {count(total, 'benchmark')} {verb} the same code in base and head"
    if not same:
        return first
    if not file.controls:
        return f"{first}; nothing is measured of {'it' if same == 1 else 'them'}"
    controls = count(len(file.controls), "is a control", "are controls")
    others = f", and {count(len(file.same), 'is', 'are')} not measured" * bool(file.same)
    return f"{first}; {controls}{others}"
