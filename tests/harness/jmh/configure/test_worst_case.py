from __future__ import annotations

from dataclasses import fields

from hypothesis import given
from hypothesis import strategies as st

from steady.harness.jmh.configure.rewriting import worst_case
from steady.model import ExecutionConfiguration

configurations = st.builds(
    ExecutionConfiguration,
    *(st.integers(0, 50) for _ in range(3)),
    *(st.floats(0, 10) for _ in range(2)),
    *(st.integers(1, 9) for _ in range(2)),
)


@given(st.lists(configurations, min_size=1))
def test_nothing_gets_less_than_its_plan_and_nothing_gets_more_than_the_largest(
    several: list[ExecutionConfiguration],
) -> None:
    worst = worst_case(several)
    for field in fields(ExecutionConfiguration):
        values = [getattr(one, field.name) for one in several]
        assert getattr(worst, field.name) == sorted(values)[-1]


def test_one_configuration_stays_as_it_is() -> None:
    one = ExecutionConfiguration(3, 5, 7, 0.5, 0.25, 2, 4)
    assert worst_case([one, one]) == one
