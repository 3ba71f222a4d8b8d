"""Fraction of real suites with identical code paths between versions, with an audit.

Usage: python -m evaluation.selection OLD.jar NEW.jar [OLD.jar NEW.jar ...] [--audit N] [--ways]
                                      [--only REGEX] [--combinations N] [--one-in N]

Each pair of JMH jars is base and head. `steady.harness.jmh.samecode` decides which benchmarks have
an identical code path. The table has a row for each folder of a head. With ``--combinations N``,
only the first N combinations of a benchmark's parameters count; with ``--one-in N``, only one of N
benchmarks, chosen by the checksum of its name.

The seconds are declared by the benchmarks: forks, iterations and their times, and half a second for
the start of each fork. CPU time is that of deciding about two jars, including reading them.

With ``--ways``, the reasons are printed too, each with its number of benchmarks and, for one of
them, the path to the change.

The audit samples up to N of the skipped benchmarks in each pair. One fork each of base and head is
run by JMH, with a JVM that logs all executed methods (Java 9 to 20). No executed method, nor its
class apart from its methods, may differ in the output of ``javap``. The audit is independent of how
steady compares classes and resolves calls.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from evaluation._jmh_forks import touched_methods
from evaluation._markdown import Number, Table
from steady.harness.builds import Decision
from steady.harness.jmh.run.jar import BenchmarkJar
from steady.harness.jmh.samecode.class_path import ClassPath
from steady.harness.jmh.samecode.decide import JarComparison
from steady.model import ExecutionConfiguration, Identity

START_SECONDS = 0.5
LONG = ("-wi", "1", "-i", "2", "-w", "500ms", "-r", "500ms")
SEED = 1
FOR_DEBUGGERS = re.compile(
    r"\s*(?:line \d+: \d+|#\d+ = .*|(?:LineNumber|LocalVariable|LocalVariableType)Table:"
    r"|Start +Length +Slot +Name +Signature|(?:\d+ +){3}(?!Class )\S+ +\S+|Constant pool:"
    r"|(?:SourceFile|Compiled from|Last modified|MD5 checksum|SHA-256 checksum):? .*)"
)
"""Lines of ``javap -v`` that do not affect execution; constants are printed where they are used."""
INDEX = re.compile(r"#\d+|(?:methods|attributes): \d+|(?<=//) ")
THIS = re.compile(r"this_class: #\d+ +// (\S+)")
MEMBER = re.compile(r"^(?=  \S.*;\n    descriptor: )", re.MULTILINE)
DECLARED = re.compile(r"  (\S.*);\n    descriptor: (\S+)")
LISTS = re.compile(r"^(?:NestMembers|InnerClasses|BootstrapMethods):\n(?:  .*\n?)*", re.MULTILINE)
BOOTSTRAPS = re.compile(r"^BootstrapMethods:\n((?:  .*\n?)*)", re.MULTILINE)
BOOTSTRAP = re.compile(r"^  (\d+): (.*(?:\n   .*)*)", re.MULTILINE)
DYNAMIC = re.compile(r"(?<=Dynamic )#(\d+):")


@dataclass(frozen=True)
class Chosen:
    """Selection of benchmarks.

    Parameters
    ----------
    only : str
        Regular expression for their names.
    combinations : int
        Number of parameter combinations per benchmark, the first ones; 0 for all.
    one_in : int
        Sampling interval: one of this number of benchmarks is selected, by the checksum of its
        name.
    """

    only: str
    combinations: int
    one_in: int = 1

    def of(
        self, declared: Mapping[Identity, ExecutionConfiguration]
    ) -> dict[Identity, ExecutionConfiguration]:
        """Return the selected benchmarks."""
        counts: Counter[tuple[str, str]] = Counter()
        chosen = {}
        for identity, one in declared.items():
            in_sample = zlib.crc32(identity.name.encode()) % self.one_in == 0
            if in_sample and re.search(self.only, identity.name):
                counts[identity.name, identity.mode] += 1
                if counts[identity.name, identity.mode] <= (self.combinations or sys.maxsize):
                    chosen[identity] = one
        return chosen


class Build:
    """A jar of one version.

    Parameters
    ----------
    path : Path
        The jar.
    chosen : Chosen
        Selection of its benchmarks.
    """

    def __init__(self, path: Path, chosen: Chosen) -> None:
        self.path = path
        self.declared = chosen.of(BenchmarkJar(path).declared)

    def seconds(self, identities: Iterable[Identity]) -> float:
        """Return the declared duration of some benchmarks."""
        total = 0.0
        for identity in identities:
            declared = self.declared[identity]
            iterations = declared.warmup_iterations * declared.warmup_seconds
            iterations += declared.iterations * declared.iteration_seconds
            total += declared.forks * (START_SECONDS + iterations)
        return total

    def ran(self, identity: Identity) -> frozenset[str]:
        """Return the methods that a fork runs (`touched_methods`); none if there was no fork."""
        params = [word for name, value in identity.params for word in ("-p", f"{name}={value}")]
        pattern = f"^{re.escape(identity.name)}$"
        owner, _, method = identity.name.rpartition(".")
        package, _, simple = owner.rpartition(".")
        generated = f"{package}.jmh_generated.{simple}_{method}_".replace(".", "/")
        ran = touched_methods(self.path, (*LONG, "-bm", identity.mode, *params, pattern))
        return ran if any(one.startswith(generated) for one in ran) else frozenset()


@dataclass(frozen=True)
class Pair:
    """Two versions.

    Parameters
    ----------
    base, head : Build
        Their jars.
    comparison : JarComparison
        The comparison of both.
    decisions : tuple of Decision
        Decisions for the benchmarks of either version.
    seconds : float
        Processor time of the decisions.
    """

    base: Build
    head: Build
    comparison: JarComparison
    decisions: tuple[Decision, ...]
    seconds: float

    @classmethod
    def of(cls, base: Build, head: Build) -> Pair:
        """Decide about all benchmarks."""
        start = time.process_time()
        path = ClassPath.of(base.path)
        held = {"base": tuple(base.declared), "head": tuple(head.declared)}
        comparison = JarComparison(path, ClassPath.of(head.path, path), held)
        decisions = comparison.decisions()
        return cls(base, head, comparison, decisions, time.process_time() - start)

    @property
    def both(self) -> list[Identity]:
        """The benchmarks that both versions have."""
        return [i for i in self.base.declared if i in self.head.declared]

    @property
    def skipped(self) -> list[Identity]:
        """Benchmarks with an identical code path."""
        return [decision.identity for decision in self.decisions if decision.same]

    @property
    def saved(self) -> float:
        """The fraction of the seconds that is saved."""
        whole = self.base.seconds(self.both)
        return self.base.seconds(self.skipped) / whole if whole else 0.0

    def ways(self) -> Iterator[str]:
        """Yield each reason, its number of benchmarks, and the path for one of them."""
        reasons = defaultdict[str, list[Identity]](list)
        for decision in self.decisions:
            if not decision.same:
                reasons[decision.why].append(decision.identity)
        for why, identities in sorted(reasons.items(), key=lambda item: -len(item[1])):
            yield f"{len(identities)}: {why}"
            if not why.startswith("only in "):
                steps = self.comparison.path(identities[0])
                yield from (f"    {' '.join(step)}" for step in steps)

    @cached_property
    def printed_otherwise(self) -> Mapping[str, frozenset[str]]:
        """Parts that differ in the output of ``javap``, for each class in both versions.

        A part is a method, as in ``a/B.method:(I)V``, or the class itself, by its name.
        """
        sides = self.comparison.base.classes, self.comparison.head.classes
        touched = sorted(n for n in {**sides[0], **sides[1]} if sides[0].get(n) != sides[1].get(n))
        single = [n for n in touched if all(len(side.get(n, ())) == 1 for side in sides)]
        printed = [javap([side[name][0][1] for name in single]) for side in sides]
        parts = {name: frozenset({name}) for name in touched if name not in single}
        for name, one, other in zip(single, *printed, strict=True):
            parts[name] = frozenset(
                f"{name}.{part}" if part else name
                for part in {*one, *other}
                if one.get(part) != other.get(part)
            )
        return {name: own for name, own in parts.items() if own}

    def audit(self, number: int, chance: random.Random) -> list[tuple[Identity, str]]:
        """Return some of the skipped benchmarks, each with the executed methods that differ.

        Benchmarks whose fork did not start are omitted.
        """
        chosen = chance.sample(self.skipped, min(number, len(self.skipped)))
        audited = [(identity, self._other_part(identity)) for identity in chosen]
        return [(identity, other) for identity, other in audited if other is not None]

    def _other_part(self, identity: Identity) -> str | None:
        sides = self.base.ran(identity), self.head.ran(identity)
        if not all(sides):
            return None
        ran = sides[0] | sides[1]
        for name, parts in self.printed_otherwise.items():
            of_class = sorted(one for one in ran if one.startswith(f"{name}."))
            if of_class and name in parts:
                return name
            if shared := parts.intersection(of_class):
                return min(shared)
        return ""


def javap(contents: Sequence[bytes]) -> list[dict[str, str]]:
    """Return the output of ``javap`` for classes, without debug information.

    Returns
    -------
    list of dict of str to str
        Text of each class by method, as in ``method:(I)V``, and of all else by an empty string.
        Lists of nested classes, and entries that only head adds for dynamic calls, are omitted.
    """
    if not contents:
        return []
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{number:06d}.class" for number in range(len(contents))]
        for file, content in zip(files, contents, strict=True):
            Path(folder, file).write_bytes(content)
        command = ["javap", "-v", "-p", *files]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    printed = re.split(r"^Classfile .*\n", done.stdout, flags=re.MULTILINE)[1:]
    if len(printed) != len(contents):
        raise ValueError(f"javap printed {len(printed)} of {len(contents)} classes")
    return [_parts(text) for text in printed]


def _parts(printed: str) -> dict[str, str]:
    own = THIS.findall(printed)[0].strip('"').replace("/", ".")
    made = dict(BOOTSTRAP.findall("".join(BOOTSTRAPS.findall(printed))))
    head, *members = MEMBER.split(LISTS.sub("", printed))
    parts, rest = {}, [head]
    for text in members:
        body, _, after = text.partition("\n}\n")
        rest.append(after)
        declared, descriptor = DECLARED.findall(body)[0]
        if descriptor.startswith("("):
            name = declared.partition("(")[0].split()[-1].rstrip("{};")
            name = {own: "<init>", "": "<clinit>"}.get(name, name)
            dynamic = DYNAMIC.sub(lambda match: made[match[1]], body)
            parts[f"{name}:{descriptor}"] = _meant(dynamic)
        else:
            rest.append(body)
    return {**parts, "": _meant("\n".join(rest))}


def _meant(printed: str) -> str:
    lines = (x for x in printed.splitlines() if x.strip() and not FOR_DEBUGGERS.fullmatch(x))
    return "\n".join(" ".join(INDEX.sub("#", line).split()) for line in lines)


HEADER = (
    *("library", "pairs", "benchmarks", "left out", "hours declared", "hours saved"),
    *("saved, median pair", "processor time, s, median", "most", "audited"),
    "changed among them",
)


def row(name: str, pairs: Sequence[Pair], audited: Sequence[tuple[Identity, str]]) -> list[str]:
    """Return a library's row of the table."""
    hours = sum(pair.base.seconds(pair.both) for pair in pairs) / 3600
    saved = sum(pair.base.seconds(pair.skipped) for pair in pairs) / 3600
    return [
        name,
        Number(len(pairs)),
        Number(sum(len(pair.both) for pair in pairs)),
        Number(sum(len(pair.skipped) for pair in pairs)),
        Number(hours, 1),
        Number(saved, 1),
        Number(100 * statistics.median(pair.saved for pair in pairs), 0, " %"),
        Number(statistics.median(pair.seconds for pair in pairs), 1),
        Number(max(pair.seconds for pair in pairs), 1),
        Number(len(audited)),
        Number(sum(bool(other) for _, other in audited)),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each pair, the table, and each skipped benchmark that changed."""
    parser = argparse.ArgumentParser(
        prog="python -m evaluation.selection", description=__doc__.split("\n")[0]
    )
    parser.add_argument("jars", type=Path, nargs="+", metavar="JAR")
    parser.add_argument("--audit", type=int, default=0, metavar="N")
    parser.add_argument("--ways", action="store_true")
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--combinations", type=int, default=0, metavar="N")
    parser.add_argument("--one-in", type=int, default=1, metavar="N")
    given = parser.parse_args(arguments)
    if len(given.jars) % 2:
        parser.error("give two jars for each pair: base, then head")
    chosen = Chosen(given.only, given.combinations, given.one_in)
    chance = random.Random(SEED)
    pairs = defaultdict[str, list[Pair]](list)
    audited = defaultdict[str, list[tuple[Identity, str]]](list)
    for base, head in zip(given.jars[::2], given.jars[1::2], strict=True):
        name = head.resolve().parent.name
        pair = Pair.of(Build(base, chosen), Build(head, chosen))
        pairs[name].append(pair)
        print(
            f"{name}: {base.stem} to {head.stem}: {len(pair.skipped)} of {len(pair.both)} left "
            f"out, {pair.seconds:.1f} s",
            flush=True,
        )
        if given.ways:
            print(*pair.ways(), sep="\n", flush=True)
        for identity, other in pair.audit(given.audit, chance):
            audited[name].append((identity, other))
            if other:
                print(f"changed: {identity.label}: {other}")
    print(Table(HEADER, [row(name, own, audited[name]) for name, own in pairs.items()]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
