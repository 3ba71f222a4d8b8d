"""Limits on the lengths of texts in results.

Real suites stay far below them: the longest name and parameters of 586 benchmarks of 30 open-source
projects have 247 characters together. A name of a million characters would be copied to comment,
page and summary, and each copy would take more space than all numbers.
"""

from collections.abc import Iterator
from dataclasses import replace

from steady.errors import InputError
from steady.harness.fields import quoted
from steady.model import Failure, Identity, Suite
from steady.model.suite import unmeasured

LONGEST_NAME = 2_000
"""Characters of a benchmark's name; each part of class and package may have 255 bytes."""

MOST_PARAMS = 100
LONGEST_PARAMS = 20_000
"""Characters of all parameters of one benchmark together, names and values."""

LONGEST_UNIT = 1_000
"""Characters of a unit, a mode, or another word: a metric, a level, a round."""

MOST_UNITS = 100
"""Different units of one side: the benchmarks of each unit are judged separately."""

LONGEST_REASON = 10_000
"""Characters of the reason of a failure; longer ones are cut off."""

MOST_ENVIRONMENTS = 1_000
LONGEST_ENVIRONMENT = 100_000
"""Characters of processor, system, virtual machine and its arguments together."""

MOST_CHARACTERS = 16_000_000
"""Characters of all names and parameters of one side together."""


def limited(suite: Suite, source: str) -> Suite:
    """Return a suite with the reasons of failures cut to their limit.

    Raises
    ------
    InputError
        As `check_lengths`.
    """
    if any(len(failure.reason) > LONGEST_REASON for failure in suite.failures):
        failures = (Failure(f.identity, f.reason[:LONGEST_REASON]) for f in suite.failures)
        suite = replace(suite, failures=tuple(failures))
    check_lengths(suite, source)
    return suite


def check_lengths(suite: Suite, source: str) -> None:
    """Raise InputError if a text exceeds its limit.

    Parameters
    ----------
    suite : Suite
        The suite.
    source : str
        Its files.

    Raises
    ------
    InputError
        With the first text that is too long, and the limit.
    """
    for problem in _problems(suite):
        raise InputError(problem, source=source)


def _problems(suite: Suite) -> Iterator[str]:
    same_code = suite.same_code
    of_same_code = (*same_code.not_measured, *same_code.controls)
    identities = [*suite, *unmeasured(suite), *of_same_code]
    for identity in identities:
        yield from _of_identity(identity)
    if sum(map(_characters, identities)) > MOST_CHARACTERS:
        yield f"holds names and parameters of more than {MOST_CHARACTERS:,} characters in all"
    units = {benchmark.unit for benchmark in suite.benchmarks}
    if len(units) > MOST_UNITS:
        yield f"holds results in more than {MOST_UNITS} different units"
    if max(map(len, units), default=0) > LONGEST_UNIT:
        yield f"holds a unit of more than {LONGEST_UNIT:,} characters"
    yield from _of_words(suite)
    environments = suite.environments
    if len(environments) > MOST_ENVIRONMENTS:
        yield f"names more than {MOST_ENVIRONMENTS:,} different machines"
    for one in environments:
        if sum(map(len, (one.cpu, one.os, one.jdk, one.vm, *one.jvm_args))) > LONGEST_ENVIRONMENT:
            yield (
                f"describes a machine and its JVM arguments in more than {LONGEST_ENVIRONMENT:,} "
                "characters; give the arguments in a file (-jvmArgs @file)"
            )


def _characters(identity: Identity) -> int:
    return len(identity.name) + sum(len(key) + len(value) for key, value in identity.params)


def _of_identity(identity: Identity) -> Iterator[str]:
    name = identity.name
    if len(name) > LONGEST_NAME:
        yield (
            f"{quoted(name)} is a name of more than {LONGEST_NAME:,} characters; give it a shorter "
            "one"
        )
    if len(identity.params) > MOST_PARAMS:
        yield f"{quoted(name)} has more than {MOST_PARAMS} parameters"
    if _characters(identity) - len(name) > LONGEST_PARAMS:
        yield (
            f"the parameters of {quoted(name)} have more than {LONGEST_PARAMS:,} characters "
            "together; use short keys for long values, and resolve them in the benchmark"
        )
    if len(identity.mode) > LONGEST_UNIT:
        yield f"the mode of {quoted(name)} has more than {LONGEST_UNIT:,} characters"


def _of_words(suite: Suite) -> Iterator[str]:
    metrics = [pair for benchmark in suite.benchmarks for pair in benchmark.metrics.items()]
    kinds = {
        "the harness's version": {suite.harness_version},
        "the name of a metric": {name for name, _ in metrics},
        "the unit of a metric": {metric.unit for _, metric in metrics},
        "the name of a level": {level.name for b in suite.benchmarks for level in b.levels},
        "the name of a round": {block for b in suite.benchmarks for block in b.blocks},
        "the variant of a benchmark": {
            text for b in suite.benchmarks for pair in b.variant.items() for text in pair
        },
        "the name of an unreadable metric": {name for b in suite.benchmarks for name in b.left_out},
    }
    for kind, texts in kinds.items():
        if max(map(len, texts), default=0) > LONGEST_UNIT:
            yield f"holds more than {LONGEST_UNIT:,} characters in {kind}"
