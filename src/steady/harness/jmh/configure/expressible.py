"""The configurations that JMH accepts."""

from steady.errors import InputError
from steady.harness.fields import quoted
from steady.harness.jmh.time_value import TimeValue
from steady.harness.trial import SINGLE_SHOT
from steady.model import ExecutionConfiguration, Identity
from steady.plan.suite_plan import Plan

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
