"""The plan: what to run of each benchmark from now on, what it costs, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from steady.model import ByIdentity, Environment, ExecutionConfiguration, Identity
from steady.plan.historical_variance import HistoricalVariance
from steady.plan.judged_by import judged_sentence
from steady.text.escape import visible
from steady.text.numbers import count, duration, percent

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

USUAL = "jmh"
"""The harness of a plan that names none."""

Status = Literal["reduced", "insufficient", "full"]
"""What the plan does with a benchmark.

``reduced``: it runs less than before. ``insufficient``: not even the full run is stable, so it
keeps the full configuration. ``full``: it keeps the full configuration for another reason.
"""


@dataclass(frozen=True, slots=True)
class BenchmarkPlan:
    """What one benchmark runs from now on.

    Parameters
    ----------
    identity : Identity
        Which benchmark.
    configuration, full : ExecutionConfiguration
        What it runs from now on, and what it ran before.
    seconds, full_seconds : float
        What each costs, with the start-up of forks and the warm-up.
    status : {"reduced", "insufficient", "full"}
        What the plan does with it.
    reason : str
        Why, in one line of plain words.
    expected_error : float, optional
        Relative error of the reduced result, as a fraction. It is estimated on forks that the
        choice did not see, and allows for what another run adds; None if there are too few forks.
    stability : float, optional
        Value of the strategy's stability metric for the chosen configuration.
    starts : tuple of int or None
        Per fork, the first steady iteration, 0-based in the full series; None: never steady.
    odd_forks : tuple of int
        0-based forks that differ from the others.
    similar : bool, optional
        Whether the forks agree; None if there are too few.
    today : ExecutionConfiguration, optional
        What its project runs without a plan: what its annotations say, or the harness's defaults.
        Without forks, it runs in the harness's own process. None if it is not known.
    today_seconds : float, optional
        What that costs; known if `today` is known.
    detectable : float, optional
        Smallest relative change between two versions that the configuration can find, as a
        fraction, if base and head take turns; None if the strategy does not plan for that.
    recorded_rounds : int, optional
        Number of recorded pairs of forks that took turns, from which `detectable` was computed. If
        it is 0, `detectable` comes from forks that took no turns, and smaller changes can be found
        too. Known if `detectable` is known.
    pair_seconds : float, optional
        What base and head together cost when they take turns.
    important : bool
        Whether every pull request measures it, if the suite is measured in rotation.
    known_forks : HistoricalVariance, optional
        How much its pairs of forks differ, which verdicts start from; None where nobody knows.
    judged_by : str
        Registered name of the detector that found its warm-up, or "drift-test" if its forks are
        too short for any; empty if it had too few measurements, and in plans of earlier versions.
    judged_iterations : int, optional
        Recorded iterations of its shortest fork; known if `judged_by` is known.

    Examples
    --------
    >>> import steady
    >>> identity = steady.Identity("example.com/codec.BenchmarkParse")
    >>> full = steady.ExecutionConfiguration(5, 0, 60, 1.0, 1.0)
    >>> short = steady.ExecutionConfiguration(3, 8, 10, 1.0, 1.0)
    >>> entry = steady.BenchmarkPlan(identity, short, full, 54.0, 300.0, "reduced", "steady early")
    >>> entry.forks, entry.warmup, entry.iterations
    (3, 8, 10)
    """

    identity: Identity
    configuration: ExecutionConfiguration
    full: ExecutionConfiguration
    seconds: float
    full_seconds: float
    status: Status
    reason: str
    expected_error: float | None = None
    stability: float | None = None
    starts: tuple[int | None, ...] = ()
    odd_forks: tuple[int, ...] = ()
    similar: bool | None = None
    today: ExecutionConfiguration | None = None
    today_seconds: float | None = None
    detectable: float | None = None
    recorded_rounds: int | None = None
    pair_seconds: float | None = None
    important: bool = False
    known_forks: HistoricalVariance | None = None
    judged_by: str = ""
    judged_iterations: int | None = None

    @property
    def warmup(self) -> int:
        """Warm-up iterations of each fork."""
        return self.configuration.warmup_iterations

    @property
    def iterations(self) -> int:
        """Measurement iterations of each fork."""
        return self.configuration.iterations

    @property
    def forks(self) -> int:
        """Forks."""
        return self.configuration.forks


_COLUMNS: Mapping[str, type] = {
    "status": str, "forks": int, "warmup": int, "iterations": int, "seconds": float,
    "full_seconds": float, "expected_error": float, "detectable": float, "reason": str,
}  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Plan(ByIdentity[BenchmarkPlan]):
    """What a whole suite runs from now on.

    Parameters
    ----------
    benchmarks : tuple of BenchmarkPlan
        In the suite's order.
    strategy : str
        Registered name of the strategy that made it.
    options : mapping of str to JSON scalars
        All options of the strategy, with their defaults. The same options on the same results
        make the same plan.
    harness, harness_version : str
        The harness of the full run.
    environments : tuple of Environment
        The environments of the full run.
    data_digest : str
        SHA-256 over the measurements of the full run.
    only : str
        The regular expression that chose the benchmarks of the run that it was made from; empty
        for all benchmarks.
    learnt_from : tuple of str
        The runs of base and head in turn whose forks are in `BenchmarkPlan.known_forks`.
    rotation : int
        After how many pull requests every benchmark has been measured once, because the suite takes
        longer than the time budget (`steady.optimize.suite_parts`); 1: each measures all.
    start_seconds : float
        Seconds of the harness's own start, which a run pays once.

    Examples
    --------
    >>> import steady
    >>> identity = steady.Identity("example.com/codec.BenchmarkParse")
    >>> full = steady.ExecutionConfiguration(5, 0, 60, 1.0, 1.0)
    >>> short = steady.ExecutionConfiguration(3, 8, 10, 1.0, 1.0)
    >>> entry = steady.BenchmarkPlan(identity, short, full, 54.0, 300.0, "reduced", "steady early")
    >>> plan = steady.Plan((entry,), "error-budget", harness="go")
    >>> plan.seconds, plan.full_seconds
    (54.0, 300.0)
    >>> plan
    Plan for 1 benchmark (error-budget): one run takes 54 s instead of 5 min 00 s
    """

    benchmarks: tuple[BenchmarkPlan, ...]
    strategy: str
    options: Mapping[str, str | float | int | bool | None] = field(default_factory=dict)
    harness: str = USUAL
    harness_version: str = ""
    environments: tuple[Environment, ...] = ()
    data_digest: str = ""
    only: str = ""
    learnt_from: tuple[str, ...] = ()
    rotation: int = 1
    start_seconds: float = 0.0

    def __repr__(self) -> str:
        return visible(
            f"Plan for {count(len(self), 'benchmark')} ({self.strategy}): one run takes "
            f"{duration(self.seconds)} instead of {duration(self.full_seconds)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return a mapping for each benchmark and the totals; `write_plan` keeps everything."""
        return {
            "strategy": self.strategy,
            "harness": self.harness,
            "options": dict(self.options),
            "seconds": self.seconds,
            "full_seconds": self.full_seconds,
            "benchmarks": [
                {"benchmark": entry.identity.label}
                | {name: getattr(entry, name) for name in _COLUMNS}
                for entry in self.benchmarks
            ],
        }

    def _repr_html_(self) -> str:
        from steady.tables.html import html_table

        header = ("benchmark", "status", "forks", "warm-up", "iterations", "seconds",
                  "full run", "expected error")  # fmt: skip
        rows = (
            (entry.identity.label, entry.status, str(entry.forks), str(entry.warmup),
             str(entry.iterations), f"{entry.seconds:,.1f}", f"{entry.full_seconds:,.1f}",
             "–" if entry.expected_error is None else percent(entry.expected_error))
            for entry in self.benchmarks
        )  # fmt: skip
        return html_table(repr(self), header, rows, len(self))

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with a row for each benchmark; it needs the extra ``tables``.

        Its columns are the names of `to_dict`: ``benchmark`` (the label), ``status``, ``forks``,
        ``warmup``, ``iterations``, ``seconds``, ``full_seconds``, ``expected_error`` and
        ``detectable`` (fractions; NaN where they are unknown), and ``reason``.

        Raises
        ------
        MissingToolError
            If pandas is not installed.
        """
        from steady.tables.frames import frame_of_rows

        return frame_of_rows(self.to_dict()["benchmarks"], {"benchmark": str, **_COLUMNS})

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw what each benchmark takes, before and by the plan; it needs the extra ``plot``.

        Parameters
        ----------
        ax : Axes, optional
            Axes to draw on; by default those of a new figure, which a notebook shows.

        Returns
        -------
        matplotlib.axes.Axes
            What was drawn on. Of very many benchmarks, it shows those that took longest.

        Raises
        ------
        InputError
            If the plan has no benchmarks.
        MissingToolError
            If matplotlib is not installed.
        """
        from steady.plots.bars import Durations, draw_durations

        names = [entry.identity.label for entry in self.benchmarks]
        before = [entry.full_seconds for entry in self.benchmarks]
        after = [entry.seconds for entry in self.benchmarks]
        return draw_durations(Durations(names, before, after, repr(self)), ax)

    @property
    def seconds(self) -> float:
        """Seconds of the reduced run of the whole suite."""
        return _total(benchmark.seconds for benchmark in self.benchmarks)

    @property
    def full_seconds(self) -> float:
        """Seconds of the full run of the whole suite."""
        return _total(benchmark.full_seconds for benchmark in self.benchmarks)

    @property
    def today_seconds(self) -> float | None:
        """Seconds of the whole suite as its project runs it today; None if that is not known."""
        known = [b.today_seconds for b in self.benchmarks if b.today_seconds is not None]
        return _total(known) if known and len(known) == len(self.benchmarks) else None

    @property
    def judged(self) -> str:
        """One line that says which detector judged how many benchmarks, and why.

        It is empty if no benchmark was judged, and in plans of earlier versions.
        """
        return judged_sentence(
            ((b.judged_by, b.judged_iterations or 0) for b in self.benchmarks),
            self.options.get("detector"),
        )

    @property
    def wish(self) -> float | None:
        """The relative change that it was made to find; None if the strategy is another one."""
        wish = self.options.get("detect")
        return float(wish) if isinstance(wish, int | float) else None

    @property
    def time_budget(self) -> float | None:
        """Seconds that base and head may take in a pull request; None: no limit.

        It is None, too, where a benchmark does not say what both versions cost.
        """
        budget = self.options.get("time_budget")
        known = all(benchmark.pair_seconds is not None for benchmark in self.benchmarks)
        return float(budget) if known and isinstance(budget, int | float) else None

    @property
    def pair_seconds(self) -> float:
        """Seconds of base and head of the whole suite, which take turns."""
        return _total(
            2 * b.seconds if b.pair_seconds is None else b.pair_seconds for b in self.benchmarks
        )

    @property
    def former_seconds(self) -> float:
        """What the plan is compared with: what the project runs today, or else the full run."""
        today = self.today_seconds
        return self.full_seconds if today is None else today


def _total(seconds: Iterable[float]) -> float:
    return round(sum(seconds), 3)  # as exact as the seconds themselves
