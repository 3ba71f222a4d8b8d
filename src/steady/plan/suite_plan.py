"""The plan: configuration and cost of each benchmark, with reasons."""

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

DEFAULT_HARNESS = "jmh"
"""Default harness of plans that do not specify one."""

Status = Literal["reduced", "insufficient", "full"]
"""Status of a benchmark in a plan.

``reduced``: the configuration is smaller than the full one. ``insufficient``: the full
configuration is kept, because not even the full run is stable. ``full``: the full configuration is
kept for another reason.
"""


@dataclass(frozen=True, slots=True)
class BenchmarkPlan:
    """The planned configuration of one benchmark.

    Parameters
    ----------
    identity : Identity
        Identity of the benchmark.
    configuration, full : ExecutionConfiguration
        Planned configuration, and configuration of the full run.
    seconds, full_seconds : float
        Cost of each in seconds, including the start-up of forks and the warm-up.
    status : {"reduced", "insufficient", "full"}
        Status of the benchmark.
    reason : str
        Reason, in one line.
    expected_error : float, optional
        Expected relative error of the reduced result, as a fraction. It is estimated by
        cross-validation over forks and includes run-to-run variation; None if there are too few
        forks.
    stability : float, optional
        Value of the strategy's stability metric for the chosen configuration.
    starts : tuple of int or None
        First steady iteration of each fork, 0-based in the full series; None if never steady.
    odd_forks : tuple of int
        Forks that differ from the others, 0-based.
    similar : bool, optional
        Whether the forks are similar; None if there are too few.
    today : ExecutionConfiguration, optional
        Configuration without a plan: that of the annotations, or the harness's defaults. 0 forks
        means that it runs in the harness's own process. None if unknown.
    today_seconds : float, optional
        Cost of `today` in seconds; None if `today` is None.
    detectable : float, optional
        Smallest relative change between two versions that the configuration can detect if base and
        head are interleaved, as a fraction; None if the strategy does not compute it.
    recorded_rounds : int, optional
        Number of recorded interleaved pairs of forks from which `detectable` was computed. If it is
        0, `detectable` is based on forks without interleaving, and smaller changes may be
        detectable. None if `detectable` is None.
    pair_seconds : float, optional
        Cost of base and head together if they are interleaved, in seconds.
    important : bool
        Whether every pull request measures it, if the suite is measured in rotation.
    known_forks : HistoricalVariance, optional
        Historical variance between its pairs of forks, used as prior by verdicts; None if unknown.
    judged_by : str
        Name of the detector that determined its warm-up, or "drift-test" if its forks are too short
        for any; empty if there were too few measurements, and in plans of earlier versions.
    judged_iterations : int, optional
        Number of recorded iterations of its shortest fork; None if `judged_by` is empty.

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
        """Number of warm-up iterations of each fork."""
        return self.configuration.warmup_iterations

    @property
    def iterations(self) -> int:
        """Number of measurement iterations of each fork."""
        return self.configuration.iterations

    @property
    def forks(self) -> int:
        """Number of forks."""
        return self.configuration.forks


_COLUMNS: Mapping[str, type] = {
    "status": str, "forks": int, "warmup": int, "iterations": int, "seconds": float,
    "full_seconds": float, "expected_error": float, "detectable": float, "reason": str,
}  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Plan(ByIdentity[BenchmarkPlan]):
    """The planned configurations of a whole suite.

    Parameters
    ----------
    benchmarks : tuple of BenchmarkPlan
        Plans of the benchmarks, in the suite's order.
    strategy : str
        Name of the strategy that created the plan.
    options : mapping of str to JSON scalars
        All options of the strategy, including defaults. They determine the plan, given the results.
    harness, harness_version : str
        Harness of the full run, and its version.
    environments : tuple of Environment
        Environments of the full run.
    data_digest : str
        SHA-256 over the measurements of the full run.
    only : str
        Regular expression that selected the benchmarks of the full run; empty for all benchmarks.
    learnt_from : tuple of str
        Interleaved runs whose forks are included in `BenchmarkPlan.known_forks`.
    rotation : int
        Number of pull requests after which every benchmark has been measured once, if the suite
        exceeds the time budget (`steady.optimize.suite_parts`); 1 if each measures all.
    start_seconds : float
        Start-up time of the harness, once per run, in seconds.

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
    harness: str = DEFAULT_HARNESS
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
        """Return benchmarks and totals as dicts; use `write_plan` for the complete plan."""
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
        from steady.tables import html_table

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
        """Return a data frame with a row per benchmark; it needs the extra ``tables``.

        Its columns are the names of `to_dict`: ``benchmark`` (the label), ``status``, ``forks``,
        ``warmup``, ``iterations``, ``seconds``, ``full_seconds``, ``expected_error`` and
        ``detectable`` (fractions; NaN if unknown), and ``reason``.

        Raises
        ------
        MissingToolError
            If pandas is not installed.
        """
        from steady.tables import frame_of_rows

        return frame_of_rows(self.to_dict()["benchmarks"], {"benchmark": str, **_COLUMNS})

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw each benchmark's duration before and with the plan; it needs the extra ``plot``.

        Parameters
        ----------
        ax : Axes, optional
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes. If there are many benchmarks, only the longest are drawn.

        Raises
        ------
        InputError
            If the plan has no benchmarks.
        MissingToolError
            If matplotlib is not installed.
        """
        from steady.plots.rows import Durations, draw_durations

        names = [entry.identity.label for entry in self.benchmarks]
        before = [entry.full_seconds for entry in self.benchmarks]
        after = [entry.seconds for entry in self.benchmarks]
        return draw_durations(Durations(names, before, after, repr(self)), ax)

    @property
    def seconds(self) -> float:
        """Duration of the planned run of the whole suite, in seconds."""
        return _total(benchmark.seconds for benchmark in self.benchmarks)

    @property
    def full_seconds(self) -> float:
        """Duration of the full run of the whole suite, in seconds."""
        return _total(benchmark.full_seconds for benchmark in self.benchmarks)

    @property
    def today_seconds(self) -> float | None:
        """Duration of the whole suite as the project runs it today, in seconds; None if unknown."""
        known = [b.today_seconds for b in self.benchmarks if b.today_seconds is not None]
        return _total(known) if known and len(known) == len(self.benchmarks) else None

    @property
    def judged(self) -> str:
        """One line with the number of benchmarks of each detector, and the reasons.

        It is empty if no benchmark was judged, and in plans of earlier versions.
        """
        return judged_sentence(
            ((b.judged_by, b.judged_iterations or 0) for b in self.benchmarks),
            self.options.get("detector"),
        )

    @property
    def wish(self) -> float | None:
        """The relative change that the plan was made to detect; None for other strategies."""
        wish = self.options.get("detect")
        return float(wish) if isinstance(wish, int | float) else None

    @property
    def time_budget(self) -> float | None:
        """Time budget of base and head in a pull request, in seconds; None for no limit.

        It is also None if the cost of both versions is unknown for a benchmark.
        """
        budget = self.options.get("time_budget")
        known = all(benchmark.pair_seconds is not None for benchmark in self.benchmarks)
        return float(budget) if known and isinstance(budget, int | float) else None

    @property
    def pair_seconds(self) -> float:
        """Duration of interleaved base and head of the whole suite, in seconds."""
        return _total(
            2 * b.seconds if b.pair_seconds is None else b.pair_seconds for b in self.benchmarks
        )

    @property
    def former_seconds(self) -> float:
        """Duration today if known, otherwise of the full run, in seconds."""
        today = self.today_seconds
        return self.full_seconds if today is None else today


def _total(seconds: Iterable[float]) -> float:
    return round(sum(seconds), 3)  # the precision of the summands
