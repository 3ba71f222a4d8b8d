"""Cases of a loop are all tried, and the one that fails is named."""

from __future__ import annotations

import pytest

from tests.looped import looped


@looped(("one", "two"), [(1, 2), (3, 4)])
@looped("three", "ab")
def tried(given: list[object], one: int, two: int, three: str) -> None:
    given.append((one, two, three))
    assert (two, three) != (4, "c")


def test_all_are_tried() -> None:
    given: list[object] = []
    tried(given)
    assert given == [(1, 2, "a"), (1, 2, "b"), (3, 4, "a"), (3, 4, "b")]


def test_the_failing_case_is_named() -> None:
    @looped("value", [1, 2, 3])
    def test(value: int) -> None:
        assert value != 2

    with pytest.raises(AssertionError) as error:
        test()
    assert error.value.__notes__ == ["in this case: {'value': 2}"]


def test_no_case_is_a_mistake() -> None:
    with pytest.raises(AssertionError, match="proves nothing"):
        looped("value", [])
