"""Selection of the benchmarks that a run skips because their code paths are identical.

Before it measures base and head, a run writes the selection to ``same-code.json`` beside the
results: the skipped benchmarks, the controls, and the reason why each other benchmark may run
different code.
"""

import hashlib
import math
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from msgspec import Struct, structs

from steady.files import json_text, read_marked
from steady.harness.builds import Builds, Decision, Nearness, is_near, nearness
from steady.harness.trial import Held, Version
from steady.model import Identity, SameCode, Suite
from steady.model.changed_method import ChangedMethods, joined_methods, unreached_line
from steady.text.numbers import count

FILE_NAME = "same-code.json"
MARK = "steady_same_code"

_SIZE_LIMIT = 16 * 2**20
_MOST_METHODS = 20_000


class SameCodeFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of ``same-code.json``.

    Parameters
    ----------
    steady_same_code : int
        Version of the file format.
    same : tuple of Identity
        Benchmarks with an identical code path in base and head, which were not measured.
    controls : tuple of Identity
        Benchmarks with an identical code path that were measured.
    others : tuple of Decision
        Benchmarks that were measured because they may run different code, in order of the distance
        to the nearest change.
    methods : tuple of ChangedMethod, optional
        Changed methods of the project's own code, and whether a benchmark reaches them; null or
        absent if they are unknown.
    """

    steady_same_code: Literal[1]
    same: tuple[Identity, ...]
    controls: tuple[Identity, ...] = ()
    others: tuple[Decision, ...] = ()
    methods: ChangedMethods | None = None

    @property
    def meaning(self) -> SameCode:
        """The part that a suite keeps."""
        keys = {one.identity: nearness(one.distance, one.share) for one in self.others}
        far = tuple(identity for identity, key in keys.items() if not is_near(key))
        far = far if len(far) < len(keys) else ()
        return SameCode(self.same, self.controls, far, self.methods)

    def text(self) -> str:
        """Return the text of the file."""
        return json_text(self)


def read_same_code(folder: Path) -> SameCodeFile | None:
    """Read ``same-code.json`` in a folder; return None if there is none.

    A file of that name without ``"steady_same_code"`` is ignored, since another program wrote it.

    Raises
    ------
    InputError
        If the file has another version or format.
    """
    path = folder / FILE_NAME
    if not path.is_file():
        return None
    what = "a list of benchmarks with the same code, version 1"
    remedy = "delete it to compare without it"
    return read_marked(path, SameCodeFile, MARK, _SIZE_LIMIT, what=what, remedy=remedy)


def add_same_code(suite: Suite, folder: Path) -> Suite:
    """Add the content of ``same-code.json`` in a folder to a suite, if the file exists.

    Raises
    ------
    InputError
        As `read_same_code`.
    """
    file = read_same_code(folder)
    return suite if file is None else replace(suite, same_code=file.meaning)


def joined_same_code(files: Iterable[SameCodeFile | None]) -> SameCodeFile | None:
    """Join the files of several parts of a run; return None if no part has one."""
    parts = [file for file in files if file is not None]
    if not parts:
        return None
    return SameCodeFile(
        1,
        tuple(dict.fromkeys(identity for part in parts for identity in part.same)),
        tuple(dict.fromkeys(identity for part in parts for identity in part.controls)),
        tuple(dict.fromkeys(other for part in parts for other in part.others)),
        joined_methods(part.methods for part in parts),
    )


SAME_CODE = "same-code"
"""Key of `--same-code` in a run's header, present if benchmarks are skipped."""

SKIP = "skip"

CONTROL_SHARE = 0.1
"""Fraction of the benchmarks with identical code paths that are measured as controls. There is at
least one control, and there are at most as many as benchmarks that may differ."""


@dataclass(frozen=True, slots=True)
class SameCodeChoice:
    """The benchmarks that a run skips.

    Parameters
    ----------
    file : SameCodeFile, optional
        The content of the file; None if skipping was not requested.
    """

    file: SameCodeFile | None = None

    @property
    def left_out(self) -> frozenset[Identity]:
        """Benchmarks that are not measured."""
        return frozenset() if self.file is None else frozenset(self.file.same)

    @property
    def controls(self) -> frozenset[Identity]:
        """Benchmarks that are measured although their code path is identical."""
        return frozenset() if self.file is None else frozenset(self.file.controls)

    @property
    def nearness(self) -> Mapping[Identity, Nearness]:
        """Sort keys of the benchmarks with a known path to a change."""
        others = () if self.file is None else self.file.others
        return {one.identity: nearness(one.distance, one.share) for one in others if one.distance}

    @property
    def far(self) -> frozenset[Identity]:
        """Benchmarks without a known path to a change; see `SameCode`."""
        return frozenset() if self.file is None else frozenset(self.file.meaning.far)

    @property
    def facts(self) -> dict[str, str]:
        """Entries of the run's header."""
        return {} if self.file is None else {SAME_CODE: SKIP}

    def measured(self, held: Held) -> dict[str, dict[Identity, None]]:
        """Return the measured benchmarks of each version."""
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
    """Choose the benchmarks to skip, and print a summary.

    A resumed run keeps its earlier choice instead.

    Parameters
    ----------
    builds : Builds
        Builds of base and head.
    versions : sequence of Version
        Base and head.
    held : mapping of str to collection of Identity
        Selected benchmarks of each version.
    digests : iterable of str
        SHA-256 digest of each build; see `select`.
    seed : int
        Seed of the choice of controls.
    tell : callable
        Prints a line for the user.
    """
    decisions = builds.decisions(held)
    share = 0.0 if builds.nothing_differs else CONTROL_SHARE
    methods = builds.changed_methods(held)
    file = select(decisions, digests, seed=seed, share=share, methods=methods)
    base, head = versions
    why = shlex.join(["steady", "changed", "--base", str(base.target), "--head", str(head.target)])
    others = f"; `{why}` shows why the others may differ" * bool(file.others)
    tell(f"{selection_sentence(file)}{others}")
    if unreached := unreached_line(file.methods):
        tell(unreached)
    return SameCodeChoice(file)


def select(
    decisions: Sequence[Decision],
    digests: Iterable[str],
    *,
    seed: int,
    share: float = CONTROL_SHARE,
    methods: ChangedMethods | None = None,
) -> SameCodeFile:
    """Choose controls at random among the benchmarks with identical code paths.

    Parameters
    ----------
    decisions : sequence of Decision
        Decision for each benchmark.
    digests : iterable of str
        SHA-256 digest of each build. It is part of the seed, so other builds have other controls.
    seed : int
        Seed of the choice.
    share : float
        Fraction of controls; 0 for none.
    methods : tuple of ChangedMethod, optional
        Changed methods; None if they are unknown. More than 20,000 are not kept.
    """
    same = [decision.identity for decision in decisions if decision.same]
    number = min(math.ceil(share * len(same)), max(len(decisions) - len(same), 1))
    salt = int.from_bytes(hashlib.sha256("".join(digests).encode()).digest()[:8], "big")
    generator = np.random.default_rng([seed, salt])
    others = [structs.replace(one, share=round(one.share, 6)) for one in decisions if not one.same]
    chosen = {same[place] for place in generator.choice(len(same), number, replace=False)}
    return SameCodeFile(
        1,
        tuple(identity for identity in same if identity not in chosen),
        tuple(identity for identity in same if identity in chosen),
        tuple(sorted(others, key=lambda one: nearness(one.distance, one.share))),
        None if methods is None or len(methods) > _MOST_METHODS else methods,
    )


def selection_sentence(file: SameCodeFile) -> str:
    """Return a sentence on the numbers of benchmarks with identical code paths and of controls."""
    same = len(file.same) + len(file.controls)
    total = same + len(file.others)
    verb = "runs" if 1 in (same, total) else "run"
    first = f"{same} of {count(total, 'benchmark')} {verb} the same code in base and head"
    if not same:
        return first
    if not file.controls:
        return f"{first}; {'it is not' if same == 1 else 'none of them is'} measured"
    controls = count(len(file.controls), "is a control", "are controls")
    others = f", and {count(len(file.same), 'is', 'are')} not measured" * bool(file.same)
    return f"{first}; {controls}{others}"
