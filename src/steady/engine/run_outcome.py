"""The outcome of a run: its results, omissions and messages."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from steady.compare.ledger_building import build_ledger
from steady.engine.follow_up import Looks
from steady.engine.progress import failure_line
from steady.engine.request import RunRequest
from steady.engine.run_folder import RunFolder
from steady.engine.run_record import RunRecord
from steady.errors import InputError
from steady.harness.trial import Held, Version
from steady.model import Identity, NotRun, Suite
from steady.model.identity import methods_listed
from steady.readers import load
from steady.readers.sidecars import add_sidecar
from steady.samecode.choice import SameCodeFile, add_same_code
from steady.settings import RepoSettings, chosen_settings
from steady.text.numbers import count

_SPARE = 1.25
"""Times the rounds' seconds, for starts and merging."""


@dataclass(frozen=True)
class RunOutcome:
    """The outcome of a run, or the preview of one.

    Parameters
    ----------
    request : RunRequest
        The request.
    harness : str
        Name of its harness.
    versions : tuple of Version
        Base and head, or the only version.
    held : mapping of str to collection of Identity
        The benchmarks of each version that were asked for.
    state : RunRecord
        The schedule, and how its trials ended.
    looks : mapping of Identity to tuple of int
        After how many rounds the run decided about a benchmark.
    not_run : tuple of NotRun
        What was left out because another part of a rotation has it.
    same_code : SameCodeFile, optional
        What was left out because base and head run the same code.
    planned : tuple of Identity, optional
        The benchmarks of the plan that were asked for; None without a plan.
    series : Path, optional
        What a run without a plan measured, warm-up included: `steady.optimize` makes a plan of it.

    Examples
    --------
    >>> import steady
    >>> request = steady.RunRequest.of(base="base.jar", head="head.jar", list=True)
    >>> outcome = steady.RunOutcome(request, "jmh", request.versions, held={})
    >>> outcome.exit_code, sorted(outcome.suites)
    (0, ['base', 'head'])
    """

    request: RunRequest
    harness: str
    versions: tuple[Version, ...]
    held: Held
    state: RunRecord = field(default_factory=lambda: RunRecord((), {}, {}))
    looks: Looks = field(default_factory=dict)
    not_run: tuple[NotRun, ...] = ()
    same_code: SameCodeFile | None = None
    planned: tuple[Identity, ...] | None = None
    series: Path | None = None

    @property
    def folder(self) -> Path | None:
        """The folder of the results; None if nothing was to be measured."""
        return self.request.out

    @cached_property
    def suites(self) -> Mapping[str, Suite]:
        """The results by version, as `steady.compare` takes them; read on first use."""
        return {version.name: self._suite(version.name) for version in self.versions}

    def _suite(self, version: str) -> Suite:
        path = self.state.merged.get(version)
        if path is not None:
            return load(path, empty=True)
        if self.folder is None:
            return Suite(())
        beside = add_sidecar(Suite(()), self.folder / version)
        return add_same_code(beside, self.folder)

    @property
    def sum(self) -> str:
        """The counts of all benchmarks, as `steady compare` prints them; empty if all are simple.

        Raises
        ------
        InputError
            If the results cannot be read.
        """
        base, head = (self.suites[version.name] for version in self.versions)
        settings = chosen_settings(self.request.settings)
        settings = settings or RepoSettings()
        same_code = base.same_code & head.same_code
        return build_ledger(base, head, self.planned, settings.why_ignored, same_code).as_sum

    @property
    def exit_code(self) -> int:
        """The exit code of ``steady run``: 0 if every fork produced a result."""
        if self.state.interrupted:
            return 130
        nothing = bool(self.state.trials) and not self.state.merged
        whole = self.state.complete and not nothing
        return 0 if whole or self.request.only_shown else 1


def last_news(outcome: RunOutcome, folder: RunFolder) -> Iterator[str]:
    """Yield lines on missing results, with the reasons."""
    state = outcome.state
    for trial, record in state.without_result:
        log = folder.log(trial.number)
        output = f" (its output: {log})" if log.exists() else ""
        yield f"no result of {failure_line(trial, record)}{output}"
    yield from had_no_time(outcome)
    if len(outcome.versions) > 1:
        with suppress(InputError):  # what cannot be read is said by who compares it
            yield from (f"benchmarks: {total}" for total in (outcome.sum,) if total)
    if state.lost:
        not_run = len(state.given_up) - len(state.out_of_time)
        without = len(state.lost) + not_run
        more = f"; {not_run} of them were not run" if not_run else ""
        yield f"{count(without, 'fork')} of {len(state.trials)} produced no result{more}"


def had_no_time(outcome: RunOutcome) -> Iterator[str]:
    """Yield lines on benchmarks without enough rounds, with a suggestion."""
    state, looks = outcome.state, outcome.looks
    same = frozenset(() if outcome.same_code is None else outcome.same_code.controls)
    left_out = map(state.screened.not_run, state.not_begun)
    screened = {one.identity: one.reason for one in left_out if one.excluded is not None}
    for reason, many in Counter(screened.values()).items():
        yield f"{count(many, 'benchmark')} not measured: {reason}"
    late = [i for i in state.not_begun if i not in same and i not in screened]
    passed = {*(trial.identity for trial, _ in state.without_result), *state.not_begun, *same}
    few = [identity for identity in state.too_few_rounds(looks) if identity not in passed]
    if few:
        yield (
            f"the time was too short for a verdict on {count(len(few), 'benchmark')} that "
            f"had started ({methods_listed(few)})"
        )
    if late or few:
        what = f"{count(len(late), 'benchmark')} ({methods_listed(late)})"
        several = len({trial.identity for trial in state.trials}) > 1
        fewer = ", select fewer with --only, or others with another --rotation"
        yield (
            f"the time was too short for {what if late else 'all planned rounds'}; increase "
            f"--time-budget{fewer if several else ''}{_enough_time(state, looks, outcome.request)}"
        )


def _enough_time(state: RunRecord, looks: Looks, request: RunRequest) -> str:
    """Return the suggestion of a run with enough time for all first interim analyses."""
    rounds = len({(t.identity, t.round) for t in state.trials if t.number in state.records})
    if request.time_budget is None or request.rotation is not None or not rounds:
        return ""
    each = sum(record.seconds for record in state.records.values()) / rounds
    needed = each * sum(look[0] for look in looks.values())
    seconds = max(_SPARE * needed, 2 * request.time_budget, 60.0)
    return request.ways("too little time", f"{math.ceil(seconds / 60)}m")
