"""Limits on the lengths of texts in results.

Real suites stay far below them: among 586 benchmarks of 30 open-source projects, the longest name
with parameters has 247 characters. A name of a million characters would be copied to comment, page
and summary, and each copy would be larger than all numbers.
"""

from collections.abc import Iterator
from dataclasses import replace

from steady.errors import InputError
from steady.harness.fields import quoted
from steady.model import Failure, Identity, Suite
from steady.model.suite import unmeasured

LONGEST_NAME = 2_000
"""Maximum characters of a benchmark's name; a file system limits each part to 255 bytes."""

MOST_PARAMS = 100
LONGEST_PARAMS = 20_000
"""Maximum characters of all parameters of a benchmark together, names and values."""

LONGEST_UNIT = 1_000
"""Maximum characters of a unit, a mode, or the name of a metric, level or round."""

MOST_UNITS = 100
"""Maximum number of different units; the benchmarks of each unit are judged separately."""

LONGEST_REASON = 10_000
"""Maximum characters of the reason for a failure; longer ones are truncated."""

MOST_ENVIRONMENTS = 1_000
LONGEST_ENVIRONMENT = 100_000
"""Maximum characters of processor, system, virtual machine and its arguments together."""

MOST_CHARACTERS = 16_000_000
"""Maximum characters of all names and parameters of a suite together."""


def limited(suite: Suite, source: str) -> Suite:
    """Truncate the reasons for failures to their limit, and check the other texts.

    Raises
    ------
    InputError
        See `check_lengths`.
    """
    if any(len(failure.reason) > LONGEST_REASON for failure in suite.failures):
        failures = (Failure(f.identity, f.reason[:LONGEST_REASON]) for f in suite.failures)
        suite = replace(suite, failures=tuple(failures))
    check_lengths(suite, source)
    return suite


def check_lengths(suite: Suite, source: str) -> None:
    """Check that no text exceeds its limit.

    Parameters
    ----------
    suite : Suite
        Suite to check.
    source : str
        Paths of its files, for the message.

    Raises
    ------
    InputError
        For the first text that is too long, with the limit.
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
        yield f"contains names and parameters of more than {MOST_CHARACTERS:,} characters in total"
    units = {benchmark.unit for benchmark in suite.benchmarks}
    if len(units) > MOST_UNITS:
        yield f"contains results in more than {MOST_UNITS} different units"
    if max(map(len, units), default=0) > LONGEST_UNIT:
        yield f"contains a unit of more than {LONGEST_UNIT:,} characters"
    yield from _of_words(suite)
    environments = suite.environments
    if len(environments) > MOST_ENVIRONMENTS:
        yield f"contains more than {MOST_ENVIRONMENTS:,} different environments"
    for one in environments:
        if sum(map(len, (one.cpu, one.os, one.jdk, one.vm, *one.jvm_args))) > LONGEST_ENVIRONMENT:
            yield (
                f"contains an environment and JVM arguments of more than {LONGEST_ENVIRONMENT:,} "
                "characters; give the arguments in a file (-jvmArgs @file)"
            )


def _characters(identity: Identity) -> int:
    return len(identity.name) + sum(len(key) + len(value) for key, value in identity.params)


def _of_identity(identity: Identity) -> Iterator[str]:
    name = identity.name
    if len(name) > LONGEST_NAME:
        yield (f"{quoted(name)} is a name of more than {LONGEST_NAME:,} characters; shorten it")
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
            yield f"contains more than {LONGEST_UNIT:,} characters in {kind}"
