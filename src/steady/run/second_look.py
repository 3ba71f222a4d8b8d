"""The second look: benchmarks that seem changed are measured again before anyone hears of it."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from steady.compare import RULES, Pair, RuleOptions
from steady.compare.ledger import settle
from steady.compare.second_look import second_look, within_budget
from steady.errors import InputError
from steady.model import Identity
from steady.readers import load
from steady.run.schedule import further_rounds
from steady.run.state import RunState
from steady.run.trial import Trial
from steady.settings import RepoSettings


@dataclass(frozen=True, slots=True)
class SecondLook:
    """Decides which benchmarks get further rounds; a `steady.run.FollowUp`.

    Parameters
    ----------
    rule : str
        Name of the rule that will give the verdict.
    options : RuleOptions
        The options of that rule.
    min_change : float
        Smallest relative change that counts, as a fraction.
    share : float
        What it may cost, as a fraction of the seconds that the planned trials took.
    seed : int
        Seed of the order of the further rounds.
    settings : RepoSettings, optional
        Benchmarks with a smallest change of their own, and benchmarks to ignore.
    """

    rule: str
    options: RuleOptions
    min_change: float
    share: float
    seed: int
    settings: RepoSettings | None = None

    def __call__(self, state: RunState) -> Sequence[Trial]:
        """Return the further trials, of what will be compared; none without two usable results.

        There is no third look.
        """
        again = any(record.kind != "planned" for record in state.records.values())
        if again or not {"base", "head"} <= state.merged.keys():
            return ()
        try:
            base, head = (load(state.merged[name]) for name in ("base", "head"))
        except InputError:  # one of them has nothing usable; the comparison will say so
            return ()
        shared = settle(base, head, None, self._why_ignored).compared
        wishes = second_look(
            [Pair.of(base[identity], head[identity]) for identity in shared],
            RULES[self.rule].value,
            self.options,
            [self._min_change(identity) for identity in shared],
        )
        spent = _seconds_of_rounds(state)
        budget = self.share * sum(record.seconds for record in state.records.values())
        granted = within_budget(wishes, [spent[identity] for identity in shared], budget)
        rounds = {shared[index]: count for index, count in granted}
        return further_rounds(state.trials, rounds, seed=self.seed + 1)

    def _why_ignored(self, identity: Identity) -> str | None:
        return None if self.settings is None else self.settings.why_ignored(identity)

    def _min_change(self, identity: Identity) -> float:
        own = None if self.settings is None else self.settings.min_change(identity)
        return self.min_change if own is None else own


def described_second_look(look: SecondLook | None) -> dict[str, str]:
    """Return what decides a second look, by the command's options; a run's header keeps it.

    The settings become a digest of what counts here: thresholds, and benchmarks to ignore.
    """
    if look is None:
        return {"second-look": "0"}
    settings = look.settings or RepoSettings()
    thresholds = [[entry.pattern, entry.min_change] for entry in settings.thresholds]
    counted = json.dumps([thresholds, [entry.pattern for entry in settings.ignore]])
    return {
        "second-look": str(look.share),
        "rule": look.rule,
        "confidence": str(look.options.confidence),
        "min-change": str(look.min_change),
        "settings": hashlib.sha256(counted.encode()).hexdigest(),
    }


def _seconds_of_rounds(state: RunState) -> Mapping[Identity, float]:
    """Return what one round of each benchmark took, all versions together, on average."""
    spent: dict[Identity, list[float]] = defaultdict(list)
    versions: dict[Identity, set[str]] = defaultdict(set)
    for trial in state.trials:
        versions[trial.identity].add(trial.version)
        if trial.number in state.records:
            spent[trial.identity].append(state.records[trial.number].seconds)
    return {i: len(versions[i]) * sum(times) / len(times) for i, times in spent.items()}
