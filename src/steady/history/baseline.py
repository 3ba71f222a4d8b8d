"""Find the baseline of a change: the run at the merge base or at its nearest ancestor."""

from dataclasses import dataclass, replace
from typing import Literal

from msgspec import Struct

from steady.history.ancestry import Ancestry
from steady.history.entry import Fingerprint, HistoryEntry
from steady.history.store import Store, newest_first
from steady.text.numbers import count

MAX_DISTANCE = 100
"""Maximum number of steps back from the merge base."""

_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Candidate:
    """A run at a commit before the change.

    Parameters
    ----------
    entry : HistoryEntry
        The run.
    distance : int
        Number of steps from the merge base back to its commit; 0 for the merge base itself.
    differences : tuple of str
        Differences of its environment; see `Fingerprint.differences`.
    """

    entry: HistoryEntry
    distance: int
    differences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Baseline:
    """The result of the search for a baseline.

    Parameters
    ----------
    suite, head : str
        Key of the suite, and the commit to compare with the baseline.
    merge_base : str, optional
        Merge base of head and base; None if they have no common ancestor.
    chosen : Candidate, optional
        The baseline; None if there is none.
    alike : Candidate, optional
        The nearest run in the same environment, if the chosen run has a different one.
    limit : int
        Maximum number of steps back in the search.
    required : bool
        Whether only runs in the same environment were candidates.
    """

    suite: str
    head: str
    merge_base: str | None
    chosen: Candidate | None = None
    alike: Candidate | None = None
    limit: int = MAX_DISTANCE
    required: bool = False

    @property
    def sentence(self) -> str:
        """The commit, distance and environment of the baseline, as plain text."""
        if self.chosen is None:
            return f"No baseline: {self._why_not()}."
        sentence = f"Baseline: {self._place(self.chosen)}."
        if not self.chosen.differences:
            return sentence
        sentence += f" It ran in a different environment ({'; '.join(self.chosen.differences)})."
        if self.alike is None:
            return f"{sentence} No earlier run has the same environment."
        return f"{sentence} The nearest with the same environment is {self._place(self.alike)}."

    def _place(self, candidate: Candidate) -> str:
        """Return a candidate's commit and its distance in words."""
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
            return f"{self.head[:_SHOWN]} and the base branch have no common commit"
        like = " in the same environment" if self.required else ""
        return (
            f"the history has no results of suite {self.suite}{like} at commit "
            f"{self.merge_base[:_SHOWN]} or within {self.limit} commits before it"
        )


class BaselineListing(Struct, frozen=True):
    """The output of `steady history baseline --json`.

    `chosen` is null if the history has no baseline, and `merge_base` if head and base have no
    common ancestor. `alike` is the nearest run in the same environment, if the chosen run has a
    different one.
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
    past: Ancestry,
    *,
    fingerprint: Fingerprint | None = None,
    require_same: bool = False,
    limit: int = MAX_DISTANCE,
) -> Baseline:
    """Find the run to compare head with.

    The run is at the merge base of head and base, or at its nearest ancestor with results, but
    never at head itself. Among several runs of a commit, those in the same environment come first,
    then the newest. A nearer commit always comes first, because changes between the baseline and
    the merge base would be attributed to head.

    Parameters
    ----------
    store : Store
        The history.
    suite : str
        Key of the suite.
    past : Ancestry
        Head and base with their ancestors; without a base, head's own ancestors are searched.
    fingerprint : Fingerprint, optional
        Environment of head's run.
    require_same : bool
        Whether to exclude runs in a different environment.
    limit : int
        Maximum number of steps back from the merge base.
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
    # The sort is stable: runs of one commit in equal environments stay newest first.
    candidates.sort(key=lambda one: (places[one.entry.commit], bool(one.differences)))
    alike = next((candidate for candidate in candidates if not candidate.differences), None)
    chosen = alike if require_same else next(iter(candidates), None)
    return replace(nothing, chosen=chosen, alike=None if chosen is alike else alike)
