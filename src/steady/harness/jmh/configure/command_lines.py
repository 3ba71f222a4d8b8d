r"""Command lines: one start of JMH for all benchmarks of equal configuration.

Values on JMH's command line apply to every benchmark of that start and override annotations. So
benchmarks share a start only if configuration, mode, threads and the values of their parameters are
equal. JMH takes a benchmark's name as a regular expression that may match anywhere
(``BenchmarkList.find``), hence ``^\Q...\E$``.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from steady.errors import InputError
from steady.harness.fields import quoted
from steady.harness.jmh.time_value import TimeValue
from steady.harness.trial import SINGLE_SHOT
from steady.model import ExecutionConfiguration, Identity
from steady.plan.suite_plan import BenchmarkPlan, Plan

MODE_NAMES = {
    "Throughput": "thrpt",
    "AverageTime": "avgt",
    "SampleTime": "sample",
    "SingleShotTime": SINGLE_SHOT,
}
"""JMH's modes: their names in Java (``org.openjdk.jmh.annotations.Mode``), and in results."""

MODES = tuple(MODE_NAMES.values())
"""JMH's modes by their names in results."""

_LEAST = {
    "forks": 0,
    "warmup_iterations": 0,
    "iterations": 1,
    "warmup_batch_size": 1,
    "batch_size": 1,
}
"""Smallest values on JMH's command line (``IntegerValueConverter``)."""


def check_plan(plan: Plan) -> None:
    """Check that JMH accepts a plan.

    Raises
    ------
    InputError
        If a benchmark's identity or configuration is invalid in JMH.
    """
    for benchmark in plan.benchmarks:
        identity = benchmark.identity
        try:
            _check_identity(identity)
            _check_configuration(benchmark.configuration, identity.mode)
        except InputError as error:
            raise InputError(
                f"{error.problem}; JMH cannot run this: make a new plan from JMH's own results",
                where=quoted(identity.label, 200),
            ) from None


def duration(seconds: float, mode: str) -> TimeValue | None:
    """Return the length of an iteration; None if JMH counts invocations in place of seconds."""
    return None if seconds == 0 and mode == SINGLE_SHOT else TimeValue.of(seconds)


def _check_identity(identity: Identity) -> None:
    if identity.mode not in MODES:
        raise InputError(f"its mode {quoted(identity.mode)} is not one of {', '.join(MODES)}")
    if identity.threads < 1:
        raise InputError(f"{identity.threads} threads are less than one")
    names = [identity.name, *(key for key, _ in identity.params)]
    # JMH leaves control characters out of its JSON (`isISOControl`).
    if not all(names) or any(c < " " or "\x7f" <= c <= "\x9f" for name in names for c in name):
        raise InputError("its name is empty or contains control characters")
    if any("=" in key for key, _ in identity.params):
        raise InputError("the name of a parameter contains '='")
    if any("\0" in value for _, value in identity.params):
        raise InputError("the value of a parameter contains the character NUL")
    try:
        "".join([*names, *(value for _, value in identity.params)]).encode()
    except UnicodeEncodeError:
        raise InputError("its name is not Unicode text") from None


def _check_configuration(configuration: ExecutionConfiguration, mode: str) -> None:
    for field, least in _LEAST.items():
        value = getattr(configuration, field)
        if not least <= value < 2**31:
            raise InputError(f"its {field.replace('_', ' ')} cannot be {value}")
    if mode != SINGLE_SHOT and configuration.iteration_seconds == 0:
        raise InputError("its iterations have length 0, which only single-shot iterations may have")
    duration(configuration.iteration_seconds, mode)
    duration(configuration.warmup_seconds, mode)


MAIN = "org.openjdk.jmh.Main"


@dataclass(frozen=True, slots=True)
class CommandLine:
    """One start of JMH.

    Parameters
    ----------
    names : tuple of str
        Its benchmarks.
    mode : str
        Their mode.
    threads : int
        Worker threads.
    params : tuple of (str, str)
        The values of parameters. Other parameters run with all of their annotated values.
    configuration : ExecutionConfiguration
        Their configuration.
    """

    names: tuple[str, ...]
    mode: str
    threads: int
    params: tuple[tuple[str, str], ...]
    configuration: ExecutionConfiguration

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments after `MAIN`: options, then benchmarks."""
        options = ["-bm", self.mode, "-t", str(self.threads)]
        options += configuration_arguments(self.configuration, self.mode)
        for key, value in self.params:
            options += ["-p", f"{key}={value}"]
        return (*options, *map(include_pattern, self.names))


def include_pattern(name: str) -> str:
    r"""Return a regular expression that matches exactly the benchmark `name`.

    Characters beyond ASCII are written as code points, so that the pattern does not depend on
    the character set in which Java reads its command line.

    Parameters
    ----------
    name : str
        Any text.

    Returns
    -------
    str
        In the syntax of ``java.util.regex.Pattern``, in ASCII: ``^\Qorg.Bench.get\E$``.
    """
    quoted = name.replace("\\E", "\\E\\\\E\\Q")
    ascii_only = (c if c.isascii() else f"\\E\\x{{{ord(c):x}}}\\Q" for c in quoted)
    return f"^\\Q{''.join(ascii_only)}\\E$"


def is_nameable(identity: Identity) -> bool:
    """Tell whether JMH's command line can express all parameter values: it splits at commas."""
    return not any("," in value for _, value in identity.params)


def command_lines(benchmarks: Iterable[BenchmarkPlan]) -> tuple[CommandLine, ...]:
    """Return the starts of JMH that run each benchmark once, by its plan.

    Parameters
    ----------
    benchmarks : iterable of BenchmarkPlan
        Valid ones (`check_plan`) with nameable parameters (`is_nameable`).

    Returns
    -------
    tuple of CommandLine
        In the order of their first benchmarks.
    """
    alike: dict[_Alike, list[str]] = {}
    for benchmark in benchmarks:
        identity = benchmark.identity
        params = tuple(sorted(identity.params))
        key = (identity.mode, identity.threads, params, benchmark.configuration)
        alike.setdefault(key, []).append(identity.name)
    return tuple(CommandLine(tuple(names), *key) for key, names in alike.items())


_Alike = tuple[str, int, tuple[tuple[str, str], ...], ExecutionConfiguration]


def configuration_arguments(configuration: ExecutionConfiguration, mode: str) -> list[str]:
    """Return JMH's options for a configuration, each followed by its value."""
    warmup = duration(configuration.warmup_seconds, mode)
    measurement = duration(configuration.iteration_seconds, mode)
    return [
        *("-f", str(configuration.forks)),
        *("-wi", str(configuration.warmup_iterations)),
        *(("-w", warmup.argument) if warmup else ()),
        *("-wbs", str(configuration.warmup_batch_size)),
        *("-i", str(configuration.iterations)),
        *(("-r", measurement.argument) if measurement else ()),
        *("-bs", str(configuration.batch_size)),
    ]
