r"""Command lines of JMH: one run for all benchmarks with equal configurations.

Options on JMH's command line override annotations, and apply to all benchmarks of the run. So
benchmarks share a run only if their configurations, modes, threads and parameter values are equal.
JMH searches for a benchmark's name as a regular expression (``BenchmarkList.find``), hence
``^\Q...\E$``.
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
"""Names of JMH's modes in results, by their names in ``org.openjdk.jmh.annotations.Mode``."""

MODES = tuple(MODE_NAMES.values())
"""Names of JMH's modes in results."""

_LEAST = {
    "forks": 0,
    "warmup_iterations": 0,
    "iterations": 1,
    "warmup_batch_size": 1,
    "batch_size": 1,
}
"""Minimum values of options on JMH's command line (``IntegerValueConverter``)."""


def check_plan(plan: Plan) -> None:
    """Check that JMH accepts a plan.

    Raises
    ------
    InputError
        If JMH does not accept a benchmark's identity or configuration.
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
    """Return the length of an iteration; None for a single shot without one."""
    return None if seconds == 0 and mode == SINGLE_SHOT else TimeValue.of(seconds)


def _check_identity(identity: Identity) -> None:
    if identity.mode not in MODES:
        raise InputError(f"its mode {quoted(identity.mode)} is not one of {', '.join(MODES)}")
    if identity.threads < 1:
        raise InputError(f"its number of threads, {identity.threads}, is less than one")
    names = [identity.name, *(key for key, _ in identity.params)]
    # JMH omits control characters from its JSON (`isISOControl`).
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
    """One run of JMH.

    Parameters
    ----------
    names : tuple of str
        Names of its benchmarks.
    mode : str
        Their mode.
    threads : int
        Worker threads.
    params : tuple of (str, str)
        Parameters and their values. Other parameters take all of their annotated values.
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
        """The arguments of JMH's main class: options, then benchmarks."""
        options = ["-bm", self.mode, "-t", str(self.threads)]
        options += configuration_arguments(self.configuration, self.mode)
        for key, value in self.params:
            options += ["-p", f"{key}={value}"]
        return (*options, *map(include_pattern, self.names))


def include_pattern(name: str) -> str:
    r"""Return a regular expression that matches only the benchmark `name`.

    Characters outside ASCII are written as code points, so that the pattern does not depend on
    the encoding of Java's command line.

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
    """Return whether JMH's command line can express all parameter values.

    It splits values at commas.
    """
    return not any("," in value for _, value in identity.params)


def command_lines(benchmarks: Iterable[BenchmarkPlan]) -> tuple[CommandLine, ...]:
    """Return the command lines that together run each benchmark once, as planned.

    Parameters
    ----------
    benchmarks : iterable of BenchmarkPlan
        Plans that JMH accepts (`check_plan`), with parameters that it can express (`is_nameable`).

    Returns
    -------
    tuple of CommandLine
        The command lines, in the order of their first benchmarks.
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
