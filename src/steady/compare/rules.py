"""The rules by name."""

from steady.compare.moderated_t import judge_moderated_t
from steady.compare.overlap import judge_overlap
from steady.compare.paired_t import judge_paired_t
from steady.compare.rule import Rule
from steady.options.strictness import RULE
from steady.registry import OnRequest, Registered, Registry

MEASURED = (
    "Measured with the defaults on public results of one version, split in two so that every "
    "change reported is a false alarm"
)
"""How the rates of false alarms were measured."""

DEFAULT_RULE: str = RULE.default

RULES: Registry[Rule] = Registry(
    "rule",
    Registered(
        "paired-t",
        "differences within the rounds of an interleaved run, whose spread the suite shares",
        "Smyth 2004, sections 3 to 6; Laaber et al., Empir. Softw. Eng. 24, 2019, for the rounds; "
        "Bulej et al., Duet Benchmarking, ICPE 2020, for rounds in turn; "
        "Davidian and Carroll, J. Am. Stat. Assoc. 82, 1987, for their weights",
        Rule(
            judge_paired_t,
            resampled=False,
            statement="A change is an interval of the mean difference between base and head, "
            "taken within each round of an interleaved run (without rounds: between the forks' "
            "medians of either side), that leaves out zero. Forks of JMH stand by their medians, "
            "Go's processes by all their results; there noisy rounds count for less, as far as the "
            "suite shows that they tell less. Of ten rounds and more, the tenth with the largest "
            "and that with the smallest differences are left out. How much rounds differ is learnt "
            "from each benchmark and from the whole suite (moderated t-test). Where two forks took "
            "turns, a round stands by the middle half of its pairs of iterations; these tell its "
            "noise, and the whole suite how much forks add to it.",
            false_alarms=f"{MEASURED}, and dealt out into rounds at random: 0.9 to 1.1 % of Java "
            "benchmarks with three or five rounds, whatever the machine did between the rounds. "
            "Without rounds, after two runs one after the other, moderated-t decides: 0.9 to "
            "1.8 % with two or more forks a side.",
        ),
    ),
    Registered(
        "moderated-t",
        "forks' medians against the spread between forks, which the suite's benchmarks share",
        "Smyth, Stat. Appl. Genet. Mol. Biol. 3, 2004, sections 3 to 6",
        Rule(
            judge_moderated_t,
            resampled=False,
            statement="A change is an interval of the difference, between the forks' medians of "
            "base and of head, that leaves out zero; how much forks differ is learnt from each "
            "benchmark and from the whole suite (moderated t-test).",
            false_alarms=f"{MEASURED}: 0.9 to 1.8 % of Java benchmarks with two or more forks a "
            "side, 17 to 20 % with one, and 0.5 to 1.4 % of Go benchmarks.",
        ),
    ),
    Registered(
        "overlap",
        "intervals of the pooled medians that do not overlap",
        "Japke et al., µOpTime, TOSEM 2025, section 4.5",
        Rule(
            judge_overlap,
            resampled=False,
            statement="A change is two bootstrap intervals of the median, over all iterations of "
            "all forks alike, that do not overlap.",
            false_alarms=f"{MEASURED}: 5 to 20 % of Java benchmarks, because forks differ more "
            "than their iterations tell, and 0.5 to 1.9 % of Go benchmarks.",
        ),
    ),
    Registered(
        "overlap-fast",
        "intervals of the fastest quarters that do not overlap",
        "Japke et al., section 4.5; Chen and Revels, arXiv 1608.04295, for the fast iterations",
        OnRequest("steady.papers.change_rules:OVERLAP_FAST"),
    ),
    Registered(
        "known-spread",
        "forks' fastest quarters against the spread between forks, now and in earlier runs",
        "Smyth 2004, sections 3 to 6; Chen and Revels, arXiv 1608.04295, for the fast iterations",
        OnRequest("steady.papers.change_rules:KNOWN_SPREAD"),
    ),
)
"""The rules by name; each separates changes from noise. Figures: ``evaluation/verdicts.py``."""
