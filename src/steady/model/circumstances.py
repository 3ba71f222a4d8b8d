"""Environment, execution configuration and duration of a benchmark's run."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Environment:
    """The environment of a benchmark; empty fields were not reported by the harness.

    Parameters
    ----------
    cpu, os : str
        Model name of the processor; operating system and kernel.
    jdk, vm : str
        Version of the JDK; name and version of the Java virtual machine, or of another language's
        interpreter or runtime.
    jvm_args : tuple of str
        Arguments of the forked JVM.
    """

    cpu: str = ""
    os: str = ""
    jdk: str = ""
    vm: str = ""
    jvm_args: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExecutionConfiguration:
    """Numbers and durations of a benchmark's repetitions (µOpTime, section 3.1).

    Parameters
    ----------
    forks, warmup_iterations, iterations : int
        Numbers of forks, and of warm-up and measurement iterations: JMH's ``-f``, ``-wi`` and
        ``-i``.
    warmup_seconds, iteration_seconds : float
        Nominal seconds of one iteration: JMH's ``-w`` and ``-r``; 0 in single-shot mode.
    warmup_batch_size, batch_size : int
        Invocations that count as one operation: JMH's ``-wbs`` and ``-bs``.

    Examples
    --------
    >>> import steady
    >>> full = steady.ExecutionConfiguration(5, 10, 20, warmup_seconds=1.0, iteration_seconds=0.1)
    >>> full.forks * (full.warmup_iterations + full.iterations)
    150
    """

    forks: int
    warmup_iterations: int
    iterations: int
    warmup_seconds: float
    iteration_seconds: float
    warmup_batch_size: int = 1
    batch_size: int = 1


@dataclass(frozen=True, slots=True)
class Spent:
    """Duration of one fork, measured outside the harness.

    Parameters
    ----------
    seconds : float
        Seconds from its start to its end. If two forks ran concurrently, half of it is attributed
        to each.
    iterations : float, optional
        Seconds from the start of its first iteration to the end of its last, including the
        harness's work in between; None if only the total is known. If two forks were interleaved,
        half of it is attributed to each.
    """

    seconds: float
    iterations: float | None = None
