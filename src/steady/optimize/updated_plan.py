"""A plan of a suite, updated with the plan of some of its benchmarks."""

import hashlib

from steady.errors import InputError
from steady.optimize.suite_parts import parts_within
from steady.plan.suite_plan import Plan


def updated_plan(plan: Plan, part: Plan) -> Plan:
    """Return `plan` with the benchmarks of `part` in place of its own ones, or after them.

    Parameters
    ----------
    plan : Plan
        The earlier plan of the suite.
    part : Plan
        The plan of benchmarks that were optimised again, or are new.

    Returns
    -------
    Plan
        In the order of `plan`, with new benchmarks last.

    Raises
    ------
    InputError
        If the two were not made for one harness with the same strategy and options.
    """
    for what, old, new in (
        ("harness", plan.harness, part.harness),
        ("strategy", plan.strategy, part.strategy),
        *((name, old, part.options.get(name)) for name, old in plan.options.items()),
        *((name, None, new) for name, new in part.options.items() if name not in plan.options),
    ):
        if old != new:
            raise InputError(
                f"the plan to update was made with {what} {old}, not {new}; give the same, or "
                "optimise the whole suite again"
            )
    benchmarks = (
        *(part.get(identity, entry) for identity, entry in plan.items()),
        *(entry for identity, entry in part.items() if identity not in plan),
    )
    digests = f"{plan.data_digest} {part.data_digest}"
    return Plan(
        benchmarks=benchmarks,
        strategy=plan.strategy,
        options=plan.options,
        harness=plan.harness,
        harness_version=part.harness_version,
        environments=tuple(dict.fromkeys((*plan.environments, *part.environments))),
        data_digest=hashlib.sha256(digests.encode()).hexdigest(),
        # The plan of a whole suite remains one. Two plans of parts of it together cover both parts.
        only="|".join(dict.fromkeys((plan.only, part.only))) if plan.only and part.only else "",
        learnt_from=tuple(sorted({*plan.learnt_from, *part.learnt_from})),
        rotation=parts_within(plan, benchmarks),
        start_seconds=plan.start_seconds,
    )
