"""The run that a change is compared with: at the merge base, or the nearest one before it."""

from dataclasses import dataclass, replace
from typing import Literal

from msgspec import Struct

from steady.history.ancestry import Past
from steady.history.entry import Fingerprint, HistoryEntry
from steady.history.store import Store, newest_first
from steady.text.numbers import count

FARTHEST = 100
"""How many steps back from the merge base to look."""

_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Candidate:
    """A run at a commit before the change.

    Parameters
    ----------
    entry : HistoryEntry
        The run.
    distance : int
        Steps from the merge base back to its commit; 0: the merge base itself.
    differences : tuple of str
        How its environment differs; see `Fingerprint.differences`.
    """

    entry: HistoryEntry
    distance: int
    differences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Baseline:
    """The baseline that was found: a run, and how far it is from the change.

    Parameters
    ----------
    suite, head : str
        Key of the suite, and the commit whose baseline it is.
    merge_base : str, optional
        The newest commit that head and base share; None if they share nothing.
    chosen : Candidate, optional
        The baseline; None if there is none.
    alike : Candidate, optional
        The nearest run with the same surroundings, if the chosen one has others.
    limit : int
        How many steps back were searched.
    required : bool
        Whether only runs with the same surroundings counted.
    """

    suite: str
    head: str
    merge_base: str | None
    chosen: Candidate | None = None
    alike: Candidate | None = None
    limit: int = FARTHEST
    required: bool = False

    @property
    def sentence(self) -> str:
        """The baseline in words: which run it is, how far away, and how it differs; plain text."""
        if self.chosen is None:
            return f"No baseline: {self._why_not()}."
        sentence = f"Baseline: {self._place(self.chosen)}."
        if not self.chosen.differences:
            return sentence
        sentence += f" It ran in other surroundings ({'; '.join(self.chosen.differences)})."
        if self.alike is None:
            return f"{sentence} No run before it has the same surroundings."
        return f"{sentence} The nearest with the same surroundings is {self._place(self.alike)}."

    def _place(self, candidate: Candidate) -> str:
        """Name a candidate's commit, and describe how far back it is."""
        commit, steps = candidate.entry.commit[:_SHOWN], count(candidate.distance, "commit")
        if self.merge_base == self.head:
            return f"commit {commit}, {steps} before {self.head[:_SHOWN]}"
        if candidate.distance == 0:
            return f"commit {commit}, the merge base"
        nearest = "" if self.required else ", as the nearest with results"
        merge_base = (self.merge_base or "")[:_SHOWN]
        return f"commit {commit}, {steps} before the merge base {merge_base}{nearest}"

    def _why_not(self) -> str:
        if self.merge_base is None:
            return f"{self.head[:_SHOWN]} and the base branch share no commit"
        like = " on the same surroundings" if self.required else ""
        return (
            f"the history has no results{like} of suite {self.suite} at commit "
            f"{self.merge_base[:_SHOWN]} or within {self.limit} commits before it"
        )


class BaselineListing(Struct, frozen=True):
    """What `steady history baseline --json` prints.

    `chosen` is null where the history has no baseline, and `merge_base` where head and base share
    no commit. `alike` is the nearest run on the same surroundings, where the chosen one ran on
    others.
    """

    steady_baseline: Literal[1]
    suite: str
    head: str
    merge_base: str | None
    chosen: Candidate | None
    alike: Candidate | None


def find_baseline(
    store: Store,
    suite: str,
    past: Past,
    *,
    fingerprint: Fingerprint | None = None,
    require_same: bool = False,
    limit: int = FARTHEST,
) -> Baseline:
    """Find the run that head is to be compared with.

    It is at the merge base of head and base, or at its nearest ancestor with results, but never
    at head itself. If a commit has several runs, those with the same surroundings come first,
    then the newest. A nearer commit always comes first, because head would be blamed for what
    changed in between.

    Parameters
    ----------
    store : Store
        The history.
    suite : str
        Key of the suite.
    past : Past
        Head and base, and the earlier commits; without a base, head's own ancestors count.
    fingerprint : Fingerprint, optional
        The surroundings of head's run.
    require_same : bool
        Whether runs with other surroundings are excluded.
    limit : int
        How many steps back from the merge base to look.
    """
    merge_base = past.merge_base
    nothing = Baseline(suite, past.head, merge_base, limit=limit, required=require_same)
    entries = [entry for entry in newest_first(store, suite) if entry.commit != past.head]
    if merge_base is None or not entries:
        return nothing
    here = Fingerprint() if fingerprint is None else fingerprint
    distances = past.before(merge_base, limit)
    places = {commit: place for place, commit in enumerate(distances)}
    candidates = [
        Candidate(entry, distances[entry.commit], entry.environment.differences(here))
        for entry in entries
        if entry.commit in distances
    ]
    # Sorting leaves the newest first where a commit has several on the same surroundings.
    candidates.sort(key=lambda one: (places[one.entry.commit], bool(one.differences)))
    alike = next((candidate for candidate in candidates if not candidate.differences), None)
    chosen = alike if require_same else next(iter(candidates), None)
    return replace(nothing, chosen=chosen, alike=None if chosen is alike else alike)
