"""Benchmark names short enough to read, and the addresses of benchmarks within a page."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from steady.compare import Comparison
from steady.model import Identity
from steady.model.identity import by_method
from steady.report.document import Name, Names
from steady.text.numbers import count

_PROCESS = {"fork": "process", "forks": "processes", "Fork": "Process", "Forks": "Processes"}
_FORK = re.compile(r"\b[Ff]orks?\b")
_USUAL_MODE = "avgt"
_SHORTEST_PREFIX = 8  # characters; less is not worth a sentence


@dataclass(frozen=True, slots=True)
class ShortNames:
    """How benchmarks are called in one report.

    Parameters
    ----------
    prefix : str
        What every name begins with and no label repeats; may be empty.
    processes : bool
        Whether forks are called processes, as Go's and those of Python are.
    mode : str
        The mode that all have and no label repeats; empty if they differ, or it is the usual one.
    threads : int
        The number of threads, or of Go's processors, that all have and no label repeats; 1 if they
        differ.
    """

    prefix: str = ""
    processes: bool = False
    mode: str = ""
    threads: int = 1

    @classmethod
    def of(cls, identities: Iterable[Identity]) -> ShortNames:
        """Find the packages that all names have in common.

        Class and method are left over, of Go's names the package and what it holds.
        """
        known = tuple(identities)
        folders = {identity.name: _folders(identity) for identity in known}
        processes = bool(known) and all(map(_in_processes, known))
        common = {"processes": processes, **_in_common(known)}
        if len(folders) < 2:
            return cls(**common)
        shared = folders[min(folders)]
        for others in folders.values():
            both = zip(shared, others, strict=False)
            shared = [one for one, _ in takewhile(lambda pair: pair[0] == pair[1], both)]
        prefix = "".join(shared)
        return cls(prefix if len(prefix) >= _SHORTEST_PREFIX else "", **common)

    @property
    def sentence(self) -> str:
        """The parts that all labels omit; may be empty."""
        unit = "processor" if self.processes else "thread"
        ran = [f"in mode {self.mode}"] if self.mode else []
        ran += [f"with {count(self.threads, unit)}"] if self.threads > 1 else []
        prefix = self.prefix[:-1]
        sentences = (
            f"Names are shown without their common prefix {prefix}." if prefix else "",
            f"All benchmarks ran {' '.join(ran)}." if ran else "",
        )
        return " ".join(filter(None, sentences))

    @property
    def runs_title(self) -> str:
        """The heading of the numbers of repetitions."""
        return self.words("Forks × iterations")

    def words(self, text: str) -> str:
        """Return a sentence of ours in the words of the benchmarks' harness.

        >>> ShortNames(processes=True).words("Forks × iterations: 1 fork is too few")
        'Processes × iterations: 1 process is too few'
        """
        return _FORK.sub(lambda match: _PROCESS[match[0]], text) if self.processes else text

    def label(self, identity: Identity) -> str:
        """Return the name without the prefix, with what tells it apart; not escaped."""
        return replace(
            identity,
            name=identity.name.removeprefix(self.prefix),
            mode=_USUAL_MODE if identity.mode == self.mode else identity.mode,
            threads=1 if identity.threads == self.threads else identity.threads,
        ).label

    def named(self, *identities: Identity) -> Names:
        """Return benchmarks as reports name them, the prefix left out."""
        return Names(tuple(map(self._name, identities)))

    def methods(self, *identities: Identity) -> Names:
        """Return benchmarks by their methods, with the number of cases of each that has several."""
        return Names(
            tuple(
                self._name(own[0])
                if len(own) == 1
                else Name(method.removeprefix(self.prefix), f"({len(own):,} cases)")
                for method, own in by_method(identities).items()
            )
        )

    def _name(self, identity: Identity) -> Name:
        text = identity.name.removeprefix(self.prefix)
        return Name(text, self.label(identity)[len(text) :].strip())


def _in_common(known: Sequence[Identity]) -> dict[str, Any]:
    """Return the mode and the threads of all benchmarks, of two or more, if they are the same."""
    ran = [i for i in known if i.is_go] or known  # a package of Go that failed has neither
    modes, threads = {i.mode for i in ran}, {i.threads for i in ran}
    if len(ran) < 2:
        return {}
    return {
        "mode": modes.pop() if len(modes) == 1 and modes != {_USUAL_MODE} else "",
        "threads": threads.pop() if len(threads) == 1 else 1,
    }


def _folders(identity: Identity) -> list[str]:
    """Return the parts of a name that may be left out, each with the separator that ends it.

    A package of Go that left no result is a name without a holder, but with folders.
    """
    path = identity.holder or ("" if identity.is_go else identity.name)
    separator = "/" if "/" in path or identity.is_python else "."
    parts = path.split(separator)[:-1]
    # What follows a function is its argument, and says nothing alone: BM_Price/99.
    argument = separator == "/" and not identity.holder and "." not in path.partition("/")[0]
    return [] if argument else [part + separator for part in parts]


def words_for(identity: Identity) -> Callable[[str], str]:
    """Return what writes a sentence in the words of a benchmark's harness."""
    return ShortNames(processes=_in_processes(identity)).words


def _in_processes(identity: Identity) -> bool:
    return identity.is_go or identity.is_python


def names_of(comparison: Comparison) -> ShortNames:
    """Return how the benchmarks of a comparison are called, those without result included."""
    return ShortNames.of(comparison.ledger.identities)


_LONGEST = 40
_OTHERS = re.compile(r"[^A-Za-z0-9]+")


def anchor(identity: Identity) -> str:
    """Return an address of letters, digits and hyphens.

    The digits at its end tell apart names that differ in other characters only.

    >>> anchor(Identity("org.example.Bench.get"))
    'org-example-Bench-get-9789ce'
    """
    label = identity.label
    words = _OTHERS.sub("-", label)[-_LONGEST:].strip("-")
    digits = hashlib.sha256(label.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{words}-{digits}" if words else f"b-{digits}"
