"""The unit of work of a run: the forks that run simultaneously."""

from dataclasses import dataclass, replace

from steady.engine.journal import Kind
from steady.harness.trial import Trial
from steady.model import Identity


@dataclass(frozen=True, slots=True)
class Step:
    """The forks that a run measures simultaneously.

    It is one fork, or several interleaved ones: base and head of a benchmark, base twice and head,
    or forks of several benchmarks. `Session.obstacle` returns why a harness cannot run some
    simultaneously, and `Session.measure_in_turn` measures them.

    Parameters
    ----------
    trials : tuple of Trial
        One for each fork.
    kind : {"planned", "further"}
        Whether they were planned, or follow from an interim analysis.
    """

    trials: tuple[Trial, ...]
    kind: Kind

    @property
    def identity(self) -> Identity:
        """The benchmark of the first fork."""
        return self.trials[0].identity

    @property
    def seconds(self) -> float:
        """Expected seconds of all forks."""
        return sum(trial.seconds for trial in self.trials)

    def with_more_patience(self) -> "Step":
        """Return the same step with more time to warm up."""
        return replace(self, trials=tuple(trial.longer for trial in self.trials))
