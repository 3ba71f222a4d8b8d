"""The rule for one fork a side, where earlier runs have shown how much forks differ."""

from __future__ import annotations

from collections.abc import Sequence

from steady.compare.judgement import Judgement
from steady.compare.moderated_t import fork_samples, judge_samples
from steady.compare.pair import Pair
from steady.compare.rule import Rule, RuleOptions
from steady.compare.rules import MEASURED
from steady.compare.spread import fastest_quarter

MOST_FREEDOM = 8.0
"""Forks lie farther out than normal numbers do, even if their variance is well known. Student's t
with this many degrees of freedom reaches about as far."""


def judge_known_spread(pairs: Sequence[Pair], options: RuleOptions) -> list[Judgement]:
    """Tell base and head apart by how much forks differ now, and did in earlier runs.

    As ``moderated-t``, with three differences: a fork's value is the mean of the fastest quarter
    of its iterations; to the variance between the forks of base and of head is added the one
    between forks within earlier runs (`Pair.earlier`), each with its degrees of freedom; and
    the moderated variance never counts for more than `MOST_FREEDOM` of these.

    Parameters
    ----------
    pairs : sequence of Pair
        One a benchmark; judged together.
    options : RuleOptions
        `confidence` of the intervals.

    Returns
    -------
    list of Judgement
        In the order of the pairs. If it is not known how much forks differ (one fork on either
        side of every benchmark, and no earlier run), or if values are not positive, the judgement
        is that of `judge_moderated_t`.

    References
    ----------
    Smyth: "Linear models and empirical Bayes methods for assessing differential expression in
    microarray experiments", Stat. Appl. Genet. Mol. Biol. 3 (2004), sections 3 to 6.
    """
    samples = fork_samples(pairs, fastest_quarter)
    spreads = {index: sample.spread + sample.pair.earlier for index, sample in samples.items()}
    return judge_samples(pairs, samples, spreads, options, MOST_FREEDOM)


RULE = Rule(
    judge_known_spread,
    resampled=False,
    statement="A change is an interval of the difference, between the forks of base and of "
    "head, that leaves out zero; each fork counts with the mean of the fastest quarter of "
    "its iterations, and how much forks differ is learnt from these runs, from earlier "
    "ones and from the whole suite (moderated t-test).",
    false_alarms=f"{MEASURED}: 0.5 to 1.4 % of Java benchmarks with two or more forks a "
    "side; with one, 2.0 to 2.9 % where earlier runs are known and 17 % where not; 0.5 to "
    "1.4 % of Go benchmarks.",
)
