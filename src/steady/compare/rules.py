"""The rules by name."""

from __future__ import annotations

from steady.compare.moderated_t import judge_moderated_t
from steady.compare.overlap import judge_overlap
from steady.compare.overlap_forks import judge_overlap_forks
from steady.compare.pair import Rule
from steady.registry import Entry, Registry

RULES: Registry[Rule] = Registry(
    "rule",
    Entry(
        "overlap",
        "intervals of the pooled medians that do not overlap",
        "Japke et al., µOpTime, TOSEM 2025, section 4.5",
        Rule(judge_overlap, False, "", ""),
    ),
    Entry(
        "overlap-forks",
        "intervals from resampled forks and iterations that do not overlap",
        "Kalibera and Jones, ISMM 2013, section 6",
        Rule(judge_overlap_forks, True, "", ""),
    ),
    Entry(
        "moderated-t",
        "forks' medians against the spread between forks, which the suite's benchmarks share",
        "Smyth, Stat. Appl. Genet. Mol. Biol. 3, 2004, sections 3 to 6",
        Rule(judge_moderated_t, False, "", ""),
    ),
)
"""The rules by name; each tells a change from noise."""
