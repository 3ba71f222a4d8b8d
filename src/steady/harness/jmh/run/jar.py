"""Jars with benchmarks: the version of JMH, and the benchmarks with their configurations."""

import os
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice, product
from pathlib import Path

from steady.errors import InputError
from steady.files import ARCHIVE_DAMAGE
from steady.harness.jmh.configure.benchmark_list import BenchmarkListEntry, UnknownFormatError
from steady.harness.jmh.configure.benchmark_list_file import (
    LIST,
    entry_of,
    first_records,
    lines_of_list,
    list_of_jar,
    open_jar,
)
from steady.harness.jmh.configure.command_lines import MAIN, MODES
from steady.harness.jmh.samecode.class_path import ClassPath
from steady.harness.jmh.samecode.fixtures import benchmarks_with_fixtures
from steady.harness.jmh.time_value import parse_time_value
from steady.harness.trial import SINGLE_SHOT
from steady.model import ExecutionConfiguration, Identity, Suite
from steady.processors import available_processors

_PLACES = (
    "*.jar",
    "target/*.jar",
    "build/libs/*.jar",
    "build/benchmarks/*/jars/*.jar",
    "target/scala-*/*.jar",
    "*/target/*.jar",
    "*/build/libs/*.jar",
)

_MOST = 50
"""Maximum number of jars that are opened: a folder may contain thousands."""


def built_jars() -> list[Path]:
    """Return the jars with benchmarks in the usual output folders of build tools."""
    jars = islice(chain.from_iterable(sorted(Path().glob(p)) for p in _PLACES), _MOST)
    return [jar for jar in jars if _holds_benchmarks(jar)]


def _holds_benchmarks(jar: Path) -> bool:
    try:
        with zipfile.ZipFile(jar) as archive:
            return LIST in archive.NameToInfo
    except (OSError, *ARCHIVE_DAMAGE):
        return False


_DEFAULTS = ExecutionConfiguration(5, 5, 5, 10.0, 10.0)
_DEFAULTS_BEFORE = ExecutionConfiguration(10, 20, 20, 1.0, 1.0)
"""JMH's default configurations, since 1.21 and before."""
_DEFAULTS_SINCE = (1, 21)
_LONGEST_SECONDS = 2.0**31 - 1


def declared_by(
    record: BenchmarkListEntry, mode: str, jmh_version: tuple[int, int] | None
) -> ExecutionConfiguration:
    """Return the configuration of a record, as JMH runs it without command-line options.

    With zero forks (``@Fork(0)``), JMH runs the benchmark in its own JVM.

    Source: ``org.openjdk.jmh.runner.Defaults`` and ``Runner.newBenchmarkParams``.

    Parameters
    ----------
    record : BenchmarkListEntry
        The record.
    mode : str
        One of its modes.
    jmh_version : tuple of int, optional
        Version of JMH, such as (1, 37); None if unknown. The defaults changed in 1.21.

    Raises
    ------
    UnknownFormatError
        If it contains a duration in an unknown format.
    """
    old = jmh_version is not None and jmh_version < _DEFAULTS_SINCE
    default = _DEFAULTS_BEFORE if old else _DEFAULTS
    if mode == SINGLE_SHOT:  # times are ignored, even annotated ones
        default = replace(default, warmup_iterations=0, iterations=1)
        warmup_seconds = iteration_seconds = 0.0
    else:
        warmup_seconds = _seconds(record, "warmup time", default.warmup_seconds)
        iteration_seconds = _seconds(record, "measurement time", default.iteration_seconds)
    return ExecutionConfiguration(
        forks=_number(record, "forks", default.forks),
        warmup_iterations=_number(record, "warmup iterations", default.warmup_iterations),
        iterations=_number(record, "measurement iterations", default.iterations),
        warmup_seconds=warmup_seconds,
        iteration_seconds=iteration_seconds,
        warmup_batch_size=_number(record, "warmup batch size", 1) or 1,
        batch_size=_number(record, "measurement batch size", 1) or 1,
    )


def _number(record: BenchmarkListEntry, field: str, default: int) -> int:
    text = record.annotated(field)
    return default if text is None else int(text)


def _seconds(record: BenchmarkListEntry, field: str, default: float) -> float:
    text = record.annotated(field)
    try:
        return default if text is None else min(parse_time_value(text), _LONGEST_SECONDS)
    except ValueError as error:
        raise UnknownFormatError(f"{error} ({field})") from None


_PROPERTIES = "jmh.properties"
_PROPERTIES_LIMIT = 2**16
_VERSION = re.compile(rb"^jmh\.version\s*=\s*(\S+)", re.MULTILINE)
_ARMOURED_SINCE = (1, 24)

BEFORE_JAVA = 44
"""Difference between the version of class files and that of Java."""


class BenchmarkJar:
    """A jar with benchmarks and JMH itself.

    Parameters
    ----------
    path : Path
        Its path.

    Raises
    ------
    InputError
        If it is unreadable, or cannot be run.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._list = list_of_jar(path)
        with open_jar(path) as jar:
            has_jmh = MAIN.replace(".", "/") + ".class" in jar.namelist()
            match = _VERSION.search(entry_of(jar, _PROPERTIES, _PROPERTIES_LIMIT) or b"")
        if not has_jmh:
            raise InputError(
                "contains benchmarks, but not JMH itself; give the jar with all dependencies, "
                "usually target/benchmarks.jar",
                source=path,
            )
        if os.pathsep in str(path):
            raise InputError(
                f"cannot be on a class path, as its name contains {os.pathsep!r}; rename it",
                source=path,
            )
        self.jmh_version = "" if match is None else match[1].decode("ascii", "replace")

    @cached_property
    def records(self) -> Mapping[str, Mapping[str, BenchmarkListEntry]]:
        """The records of JMH's list, by name and mode."""
        try:
            return first_records(lines_of_list(self._list))
        except UnknownFormatError as error:
            raise self._unknown(error) from None

    @property
    def identities(self) -> tuple[Identity, ...]:
        """All benchmarks with all parameter combinations, in the list's order.

        Raises
        ------
        InputError
            If the format of the list is unknown.
        """
        return tuple(self.declared)

    @cached_property
    def declared(self) -> Mapping[Identity, ExecutionConfiguration]:
        """The annotated configurations, completed by JMH's defaults.

        Raises
        ------
        InputError
            If the format of the list is unknown.
        """
        declared: dict[Identity, ExecutionConfiguration] = {}
        try:
            for record in self._all:
                for identity in self._identities(record):
                    declared.setdefault(identity, declared_by(record, identity.mode, self._numbers))
        except UnknownFormatError as error:
            raise self._unknown(error) from None
        return declared

    @property
    def java_needed(self) -> int:
        """Minimum version of Java for the generated class of the first benchmark; 0 if unknown.

        Source: JVMS 4.1, ``major_version``.
        """
        generated = next(iter(self._annotated("generated class").values()), "")
        with open_jar(self.path) as jar:
            content = entry_of(jar, f"{generated.replace('.', '/')}.class", 8) or b""
        is_class = len(content) == 8 and content.startswith(b"\xca\xfe\xba\xbe")
        return int.from_bytes(content[6:], "big") - BEFORE_JAVA if is_class else 0

    def jvm_args_append(self, name: str) -> tuple[str, ...]:
        """Return the annotated ``jvmArgsAppend`` of a benchmark."""
        return next((r.listed("jvm args append") for r in self.records.get(name, {}).values()), ())

    @property
    def operations(self) -> Mapping[str, int]:
        """Annotated number of operations per invocation, by benchmark."""
        annotated = self._annotated("operations per invocation")
        return {name: int(number) for name, number in annotated.items()}

    @cached_property
    def with_fixtures(self) -> frozenset[str]:
        """Names of benchmarks with fixture methods before or after each iteration.

        Raises
        ------
        InputError
            If the jar is damaged or too large.
        """
        classes = ClassPath.of(self.path).classes
        return benchmarks_with_fixtures(classes, self._annotated("generated class"))

    @property
    def _all(self) -> Iterator[BenchmarkListEntry]:
        return (record for modes in self.records.values() for record in modes.values())

    def _annotated(self, field: str) -> dict[str, str]:
        """Return the non-empty values of a field, by benchmark."""
        said = ((record.name, record.annotated(field)) for record in self._all)
        return {name: text for name, text in said if text is not None}

    def overlay(self, identity: Identity) -> bytes:
        """Return a list of benchmarks with one benchmark and one parameter combination.

        It goes before the jar on the class path (`steady.harness.jmh.configure.plan_rendering`). It
        has the records of all modes, because ``-bm`` may use any of them.
        """
        params = dict(identity.params)
        edited = (
            record.with_params(params, armoured=self._armoured)
            for record in self.records.get(identity.name, {}).values()
        )
        return "".join(f"{record}\n" for record in edited).encode()

    @cached_property
    def _numbers(self) -> tuple[int, int] | None:
        """JMH's version, such as (1, 37); None if it is unknown."""
        numbers = re.match(r"(\d{1,4})\.(\d{1,4})", self.jmh_version)
        return None if numbers is None else (int(numbers[1]), int(numbers[2]))

    @cached_property
    def _armoured(self) -> bool:
        if self._numbers is not None:
            return self._numbers >= _ARMOURED_SINCE
        try:
            for record in self._all:
                record.params(armoured=True)
        except UnknownFormatError:
            return False
        return True

    def _identities(self, record: BenchmarkListEntry) -> Iterator[Identity]:
        params = record.params(armoured=self._armoured)
        # Java's count of processors, without a quota
        threads = record.threads_on(available_processors())
        for mode in MODES if record.mode == "all" else (record.mode,):
            for values in product(*params.values()):
                pairs = tuple(zip(params, values, strict=True))
                yield Identity(record.name, mode, pairs, threads)

    def _unknown(self, error: UnknownFormatError) -> InputError:
        return InputError(
            f"{LIST} is not in the format of JMH 1.19 to 1.37 ({error}); build the benchmarks "
            "with one of these",
            source=self.path,
        )


def with_declared(suite: Suite, jar: Path) -> Suite:
    """Return a suite with the annotated configurations of its benchmarks, as far as known.

    Parameters
    ----------
    suite : Suite
        Results of JMH. Annotated configurations that it already contains have priority.
    jar : Path
        The jar of the benchmarks. It is ignored if it does not contain JMH itself, as JMH's
        defaults are then unknown.
    """
    try:
        declared = BenchmarkJar(jar).declared
    except InputError:
        return suite
    benchmarks = (
        replace(b, declared=declared[b.identity])
        if b.declared is None and b.identity in declared
        else b
        for b in suite.benchmarks
    )
    return replace(suite, benchmarks=tuple(benchmarks))


def holds_jar(target: Path) -> bool:
    """Return whether a target is a jar."""
    return target.suffix == ".jar"
