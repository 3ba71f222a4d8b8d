"""The circumstances of a benchmark: where, how often and for how long it ran."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Environment:
    """The environment of a benchmark; an empty field means that the harness did not say.

    Parameters
    ----------
    cpu, os : str
        Model name of the processor; operating system and kernel.
    jdk, vm : str
        Version of the JDK; name and version of the virtual machine, or of the interpreter or the
        runtime where that is not Java's.
    jvm_args : tuple of str
        Arguments that the forked JVM was given.
    """

    cpu: str = ""
    os: str = ""
    jdk: str = ""
    vm: str = ""
    jvm_args: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExecutionConfiguration:
    """How often and how long a harness repeats a benchmark (µOpTime, section 3.1).

    Parameters
    ----------
    forks, warmup_iterations, iterations : int
        JMH's ``-f``, ``-wi`` and ``-i``.
    warmup_seconds, iteration_seconds : float
        JMH's ``-w`` and ``-r``: nominal seconds of one iteration; 0 in single-shot mode.
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
    """How long one fork took, measured from outside.

    Parameters
    ----------
    seconds : float
        From its start to its end. Two forks that were alive together have half of that each.
    iterations : float, optional
        From the start of its first iteration to the end of its last, with everything that the
        harness does in between; None if only the whole is known. Two forks that took turns have
        half of that each.
    """

    seconds: float
    iterations: float | None = None
