"""The rules by name."""

from steady.compare.moderated_t import judge_moderated_t
from steady.compare.paired_t import judge_paired_t
from steady.compare.rule import Rule, judge_overlap
from steady.options.strictness import RULE
from steady.registry import OnRequest, Registered, Registry

MEASURED = (
    "Measured with the defaults on public results of one version split in two, so that every "
    "reported change is a false alarm"
)
"""How the rates of false alarms were measured."""

DEFAULT_RULE: str = RULE.default

RULES: Registry[Rule] = Registry(
    "rule",
    Registered(
        "paired-t",
        "paired differences within interleaved rounds, with a variance shared by the suite",
        "Smyth 2004, sections 3 to 6; Laaber et al., Empir. Softw. Eng. 24, 2019, for the rounds; "
        "Bulej et al., Duet Benchmarking, ICPE 2020, for interleaved rounds; "
        "Davidian and Carroll, J. Am. Stat. Assoc. 82, 1987, for their weights",
        Rule(
            judge_paired_t,
            resampled=False,
            statement="A change is reported if the confidence interval of the mean difference "
            "between base and head excludes zero. Differences are taken within each round of an "
            "interleaved run, or between the forks' medians if there are no rounds. A fork of JMH "
            "is represented by its median, a process of Go by all of its results; noisy rounds of "
            "Go have lower weights, estimated from the suite. With ten or more rounds, the tenth "
            "with the largest and the tenth with the smallest differences are trimmed. The "
            "variance between rounds is estimated from each benchmark and the whole suite "
            "(moderated t-test). If the two forks of a round took turns, its value is the mean of "
            "the middle half of its pairs of iterations; its noise is estimated from these pairs, "
            "and the variance between forks from the whole suite.",
            false_alarms=f"{MEASURED}, with forks assigned to rounds at random: 0.9 to 1.1 % of "
            "Java benchmarks with three or five rounds, regardless of how the machine changed "
            "between the rounds. Without rounds, after two runs one after the other, moderated-t "
            "is used: 0.9 to 1.8 % with two or more forks per side.",
        ),
    ),
    Registered(
        "moderated-t",
        "forks' medians, with a variance between forks that is shared by the suite",
        "Smyth, Stat. Appl. Genet. Mol. Biol. 3, 2004, sections 3 to 6",
        Rule(
            judge_moderated_t,
            resampled=False,
            statement="A change is reported if the confidence interval of the difference between "
            "the forks' medians of base and head excludes zero. The variance between forks is "
            "estimated from each benchmark and the whole suite (moderated t-test).",
            false_alarms=f"{MEASURED}: 0.9 to 1.8 % of Java benchmarks with two or more forks per "
            "side, 17 to 20 % with one, and 0.5 to 1.4 % of Go benchmarks.",
        ),
    ),
    Registered(
        "overlap",
        "non-overlapping confidence intervals of the pooled medians",
        "Japke et al., µOpTime, TOSEM 2025, section 4.5",
        Rule(
            judge_overlap,
            resampled=False,
            statement="A change is reported if the bootstrap confidence intervals of the two "
            "medians, over all iterations of all forks, do not overlap.",
            false_alarms=f"{MEASURED}: 5 to 20 % of Java benchmarks, because forks differ more "
            "than their iterations suggest, and 0.5 to 1.9 % of Go benchmarks.",
        ),
    ),
    Registered(
        "overlap-fast",
        "non-overlapping confidence intervals of the fastest quarters",
        "Japke et al., section 4.5; Chen and Revels, arXiv 1608.04295, for the fast iterations",
        OnRequest("steady.papers.change_rules:OVERLAP_FAST"),
    ),
    Registered(
        "known-spread",
        "forks' fastest quarters, with the variance between forks of this and earlier runs",
        "Smyth 2004, sections 3 to 6; Chen and Revels, arXiv 1608.04295, for the fast iterations",
        OnRequest("steady.papers.change_rules:KNOWN_SPREAD"),
    ),
)
"""The rules by name; each separates changes from noise. Figures: ``evaluation/verdicts.py``."""
