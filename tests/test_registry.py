from __future__ import annotations

import pytest

from steady.errors import UnknownNameError
from steady.registry import Registered, Registry

TABLE = Registry("metric", Registered("cv", "s", "p", 1), Registered("rmad", "s", "p", 2))


def test_entries_keep_their_order_and_are_found_by_name() -> None:
    assert list(TABLE) == ["cv", "rmad"]
    assert TABLE["rmad"].value == 2


@pytest.mark.parametrize("name", ["", "CV", None, ["cv"]])
def test_an_unknown_name_lists_the_known_ones(name: object) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown metric .*; known are: cv, rmad"):
        TABLE[name]  # type: ignore[index]
    assert None not in TABLE


def test_two_entries_cannot_share_a_name() -> None:
    with pytest.raises(ValueError, match="share a name"):
        Registry("metric", Registered("cv", "s", "p", 1), Registered("cv", "s", "p", 2))
