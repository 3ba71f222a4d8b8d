"""asv: the results of a commit in an environment, and the command lines for a plan."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from steady.harness.document import Document, open_document
from steady.harness.fields import Field
from steady.harness.fork_facts import NO_FACTS, ForkFacts
from steady.model import Environment, ExecutionConfiguration, FloatArray, Identity
from steady.programs.entries_format import EntriesFormat, top_of
from steady.programs.fork_entries import ForkEntry, Record, skipped, without_result
from steady.programs.option_file import OptionFile

NAME = "asv"

_LARGEST = 2**26
_DIGITS = 12  # of the digest of a version: enough to be unique
_FAILED = "it raised an error or took too long; `asv run --show-stderr` shows which"
_NO_SAMPLES = "contains no samples; run it again with `asv run --record-samples`"

_ONE_VALUE = ForkFacts(forks=1, iterations=1, iteration_seconds=0.01)
"""Configuration of memory and tracking benchmarks, whose duration asv does not record."""

_HEAD = """\
# Command lines of the plan for asv, one for each benchmark; add the commits at its end. asv does
# not record the values of -a: set `rounds` and `repeat` as attributes of each benchmark, so that
# steady can separate the processes in its results.
"""


def _records(document: Document) -> Iterator[Record]:
    """Yield the records of one commit in one environment, in asv's formats 1 and 2.

    A sample is an iteration; the warm-up is not recorded. asv concatenates the samples of its
    processes, the rounds: they become rows if ``benchmarks.json`` in the parent folder has their
    number. Benchmarks that are not timed have one value. asv's version of a benchmark, which
    changes with its code, is its `Benchmark.variant`.

    Source: ``asv/results.py`` of asv 0.6, and ``benchmarks/time.py`` of asv_runner 0.2.

    Raises
    ------
    InputError
        If asv does not write such documents.
    """
    top, declared = top_of(document), _declared(document)
    names = [one.text() for one in top.optional("result_columns", []).items()]
    versions = top.optional("benchmark_version", {}).table()  # of format 1
    for name, value in top.member("results").table().items():
        own = top.member("results").below(name, value)
        if isinstance(value, list):  # of format 2
            columns = dict(zip(names, own.items(), strict=False))
        else:
            named = value if isinstance(value, dict) else {"result": value}  # of format 1
            columns = {key: own.below(key, one) for key, one in named.items()}
        version = columns["version"].value if "version" in columns else versions.get(name)
        variant = {"version": version[:_DIGITS]} if isinstance(version, str) else {}
        known = declared.optional(name, {})
        benchmark = _Benchmark(own.below("name", name).text(), own, columns, known, variant)
        yield from benchmark.cases()


def _environment(document: Document) -> Environment:
    top = top_of(document)
    machine = top.optional("params", {})
    return Environment(
        cpu=machine.optional("cpu", "").text(),
        os=machine.optional("os", "").text(),
        vm=str(top.table().get("env_name") or ""),
    )


def _declared(document: Document) -> Field:
    """Return the declarations of the benchmarks; empty if the file is missing."""
    path = document.path.absolute().parent.parent / "benchmarks.json"
    if not path.is_file():
        return Field({}, str(path))
    return Field(open_document(path, _LARGEST, within=path.parent).data, str(path))


@dataclass(frozen=True, slots=True)
class _Benchmark:
    """The results and declarations of a benchmark."""

    name: str
    own: Field
    columns: Mapping[str, Field]
    known: Field
    variant: Mapping[str, str]

    def cases(self) -> Iterator[Record]:
        """Yield each combination of parameters; the last parameter varies fastest."""
        results, samples = self._column("result"), self._column("samples")
        params = [[one.text() for one in each.items()] for each in self._column("params") or ()]
        if results is None:
            identity = Identity(self.name)
            yield identity, self.own, [without_result(identity, _FAILED, variant=self.variant)]
            return
        count = math.prod(map(len, params))
        if len(results) != count or (samples and len(samples) != count):
            expected = f"{count} results" if count < _LARGEST else "more results than a file holds"
            raise self.own.error(f"expected {expected}, one for each combination of its parameters")
        for place, (case, result) in enumerate(zip(product(*params), results, strict=True)):
            identity = Identity(f"{self.name}({', '.join(case)})" if case else self.name)
            entries = self._entries(identity, result, samples[place] if samples else None)
            yield identity, result, (replace(one, variant=self.variant) for one in entries)

    def _column(self, key: str) -> list[Field] | None:
        field = self.columns.get(key)
        if field is None or field.value is None:
            return None
        return list(field.items()) if isinstance(field.value, list) else [field]

    def _entries(
        self, identity: Identity, result: Field, taken: Field | None
    ) -> Iterator[ForkEntry]:
        """Yield the results of a parameter combination; asv writes NaN for a skipped one."""
        if result.value is None:
            yield without_result(identity, _FAILED)
        elif math.isnan(value := result.number()):
            yield skipped(identity)
        elif taken is not None and taken.value is not None:
            yield from _rounds(identity, taken.numbers(), self.known)
        elif (unit := _unit(self.name, self.known)) == "s/op":
            yield without_result(identity, _NO_SAMPLES)
        else:
            yield ForkEntry(identity, unit, np.array([value]), facts=_ONE_VALUE)


def _unit(name: str, known: Field) -> str:
    """Return the unit, which depends on the prefix of the function's name."""
    function = name.rpartition(".")[2].lower()
    if function.startswith("time"):
        return "s/op"
    usual = "B" if function.startswith(("mem", "peakmem")) else "units"
    return known.optional("unit", usual).text() if usual == "units" else usual


def _rounds(identity: Identity, samples: FloatArray, known: Field) -> Iterator[ForkEntry]:
    """Yield a row for each process if all have the maximum of samples, else a single row."""
    rounds = known.optional("rounds", 0).whole(0)
    repeat = known.optional("repeat", 0)
    if isinstance(repeat.value, list) and len(repeat.value) == 3:
        most = repeat.below(1, repeat.value[1]).whole(1)
    else:
        most = repeat.whole(0) or (5 if rounds > 1 else 10)
    if rounds * most != samples.size:
        rounds, most = 1, samples.size
    each, warmup = (
        known.optional(key, usual).number()
        for key, usual in (("sample_time", 0.01), ("warmup_time", -1.0))
    )
    facts = NO_FACTS
    if 0 < each < math.inf and -1 <= warmup <= each * 2**20:
        iterations = math.ceil(round((0.1 if warmup < 0 else warmup) / each, 6))
        facts = ForkFacts(forks=rounds, warmup=iterations, iterations=most, iteration_seconds=each)
    for row in samples.reshape(rounds, most):
        yield ForkEntry(identity, "s/op", row, facts=facts, warmup_apart=True)


FORMAT = EntriesFormat(
    name=NAME, key="results", mark="commit_hash", records=_records, environment=_environment
)
recognizes, read = FORMAT.recognizes, FORMAT.read


def command_line(identity: Identity, how: ExecutionConfiguration) -> list[str]:
    """Return the command line that runs all processes of one benchmark."""
    attributes = {
        "rounds": how.forks,
        "repeat": how.iterations,
        "warmup_time": f"{how.warmup_iterations * how.warmup_seconds:g}",
        "sample_time": f"{how.iteration_seconds:g}",
    }
    words = [word for key, value in attributes.items() for word in ("-a", f"{key}={value}")]
    return ["asv", "run", "--record-samples", f"--bench=^{re.escape(identity.name)}$", *words]


OPTIONS = OptionFile(NAME, "asv.txt", _HEAD, command_line, "{name}")
