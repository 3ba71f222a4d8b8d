"""Records of JMH's text log: one start of one benchmark, and its forks."""

import math
import re
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from steady.errors import InputError
from steady.harness.fields import quoted
from steady.harness.jmh.read.conditions import jvm_arguments
from steady.harness.jmh.time_value import parse_time_value
from steady.harness.trial import SINGLE_SHOT
from steady.model import Environment, ExecutionConfiguration, Identity

WARMUP = "# Warmup Iteration"
MEASUREMENT = "Iteration"

_MODES = {
    "Throughput": "thrpt",
    "Average time": "avgt",
    "Sampling time": "sample",
    "Single shot invocation time": SINGLE_SHOT,
}

_ITERATIONS = re.compile(
    r"(?P<count>\d{1,9}) iterations, (?P<time>[^,]+) each(?:, (?P<batch>\d{1,9}) calls per op)?"
)
_THREADS = re.compile(r"(\d{1,9}) threads?\b.*")
_NEXT_PARAMETER = re.compile(r", (?=[^\W\d][\w$.]* = )")
_MOST_DECIMALS = 18


@dataclass(frozen=True, slots=True)
class Score:
    """A score as the log prints it.

    Parameters
    ----------
    value : float
        NaN if `rounded`.
    decimals : int
        Number of printed decimals.
    unit : str
        ``us/op``, ``ops/s``, ...
    rounded : bool
        Whether JMH printed only the order of magnitude: ``≈ 10⁻³``.
    """

    value: float
    decimals: int
    unit: str
    rounded: bool = False


@dataclass(eq=False)
class LoggedFork:
    """The scores of one fork, in printed order.

    Parameters
    ----------
    warmup, measured : list of float
        In the printed unit.
    units : dict of str to None
        The printed units, of which there should be one.
    decimals : int
        The smallest number of decimals of a score.
    """

    warmup: list[float] = field(default_factory=list)
    measured: list[float] = field(default_factory=list)
    units: dict[str, None] = field(default_factory=dict)
    decimals: int = _MOST_DECIMALS

    def add(self, kind: str, score: Score) -> None:
        """Append a score to the iterations of its kind."""
        (self.warmup if kind == WARMUP else self.measured).append(score.value)
        self.units[score.unit] = None
        if math.isfinite(score.value):
            self.decimals = min(self.decimals, score.decimals)

    def forget(self) -> None:
        """Discard all scores of the warm-up."""
        self.warmup.clear()
        self.units.clear()
        self.decimals = _MOST_DECIMALS


@dataclass(eq=False)
class LoggedBenchmark:
    """One start of one benchmark, as the log shows it.

    The parser fills the attributes line by line. Properties that depend on the headings are
    computed on access, and raise `InputError` if a heading is missing.

    Parameters
    ----------
    source : str
        The log's file.
    line : int
        First line.
    name : str
        As printed.
    headings : dict of str to str
        The lines above it: ``Threads``, ``Warmup``, ``VM options``, ...
    parameter_lines : list of str
        The parameters without their outer brackets; a value may contain line breaks.
    all_forks : list of LoggedFork
        Without JMH's warm-up forks.
    configured_forks : int
        Planned number of forks.
    failure : str
        Error message of JMH or the benchmark; empty if it did not fail.
    lost : bool
        Whether JMH discarded all its forks, as it does when a JVM dies.
    secondary : list of str
        Names of the secondary metrics in JMH's summary.
    coarse : InputError, optional
        Error for the first score of which JMH printed only the order of magnitude.
    """

    source: str
    line: int
    name: str
    headings: dict[str, str]
    parameter_lines: list[str] = field(default_factory=list)
    all_forks: list[LoggedFork] = field(default_factory=list)
    configured_forks: int = 0
    failure: str = ""
    lost: bool = False
    secondary: list[str] = field(default_factory=list)
    coarse: InputError | None = None

    @property
    def forks(self) -> list[LoggedFork]:
        """The forks with measurements that JMH kept."""
        return [] if self.lost else [fork for fork in self.all_forks if fork.measured]

    @property
    def parameters(self) -> str:
        """The parameters as printed."""
        return "\n".join(self.parameter_lines)

    @cached_property
    def identity(self) -> Identity:
        """The benchmark, with the parameters split as well as the log allows."""
        mode = self.headings.get("Benchmark mode", "").partition(",")[0]
        threads = _THREADS.fullmatch(self.headings.get("Threads", ""))
        if mode not in _MODES or threads is None or int(threads[1]) < 1:
            raise self.error("no mode and number of threads above this benchmark")
        return Identity(self.name, _MODES[mode], _params(self.parameters), int(threads[1]))

    @property
    def unit(self) -> str:
        """Unit of the scores; empty if there are none."""
        units = dict.fromkeys(unit for fork in self.all_forks for unit in fork.units)
        if len(units) > 1:
            raise self.error(f"scores in {' and '.join(units)} under one benchmark")
        return next(iter(units), "")

    @cached_property
    def configuration(self) -> ExecutionConfiguration:
        """The planned configuration."""
        warmup, warmup_seconds, warmup_batch = self._phase("Warmup")
        iterations, seconds, batch = self._phase("Measurement")
        single_shot = self.identity.mode == SINGLE_SHOT
        return ExecutionConfiguration(
            forks=self.configured_forks,
            warmup_iterations=warmup,
            iterations=iterations,
            # With '<none>' the length of a warm-up iteration is unknown: assume the others' length.
            warmup_seconds=0.0 if single_shot else warmup_seconds if warmup else seconds,
            iteration_seconds=0.0 if single_shot else seconds,
            warmup_batch_size=warmup_batch,
            batch_size=batch,
        )

    @property
    def virtual_machine(self) -> tuple[str, str, str]:
        """Version of the JDK, name and version of its virtual machine; empty if unknown.

        Source: ``TextReportFormat.startBenchmark``: ``JDK version, name, version``; old versions
        write ``JDK version, VM version``.
        """
        jdk, _, machine = self.headings.get("VM version", "").removeprefix("JDK ").partition(", ")
        name, _, version = machine.rpartition(", ")
        return jdk, name, version if name else version.removeprefix("VM ")

    @property
    def options(self) -> list[str]:
        """The options of its virtual machine."""
        options = self.headings.get("VM options", "<none>")
        return [] if options == "<none>" else options.split()

    @property
    def environment(self) -> Environment:
        """JDK, virtual machine and its options."""
        jdk, *machine = self.virtual_machine
        return Environment(
            jdk=jdk, vm=" ".join(filter(None, machine)), jvm_args=jvm_arguments(self.options)
        )

    def check(self) -> None:
        """Check the headings, and that each fork has the warm-up of the headings.

        Raises
        ------
        InputError
            The message names the benchmark's first line.
        """
        _ = self.identity
        if self.coarse:
            return
        _ = self.unit
        expected = self.configuration.warmup_iterations
        for fork in self.forks:
            if len(fork.warmup) != expected:
                raise self.error(
                    f"{len(fork.warmup)} warm-up scores in a fork that was to run {expected}"
                )
            if not np.isfinite(fork.warmup).all():
                raise self.error(
                    "a warm-up score is not a number, or infinite",
                    "make the warm-up iterations longer (-w), or give the JSON alone",
                )
            if min(fork.warmup, default=0.0) < 0:
                raise self.error("a warm-up score is negative")

    def error(self, problem: str, advice: str = "give JMH's log as it was written") -> InputError:
        """Return an error that names this benchmark, `problem` and `advice`."""
        return InputError(
            f"{problem}; {advice}",
            source=self.source,
            where=f"line {self.line} ({quoted(self.name)})",
        )

    def _phase(self, heading: str) -> tuple[int, float, int]:
        text = self.headings.get(heading, "")
        if text == "<none>":
            return 0, 0.0, 1
        match = _ITERATIONS.fullmatch(text)
        if match is not None:
            with suppress(ValueError):
                seconds = parse_time_value(match["time"])
                return int(match["count"]), seconds, int(match["batch"] or 1)
        raise self.error(
            f"{quoted(f'# {heading}: {text}')} has no valid number and time of iterations"
        )


def _params(text: str) -> tuple[tuple[str, str], ...]:
    """Split ``size = 10, text = a, b``; a value that contains ``, name = `` is split too."""
    if not text:
        return ()
    pairs = (part.partition(" = ") for part in _NEXT_PARAMETER.split(text))
    return tuple((key, value) for key, _, value in pairs)
