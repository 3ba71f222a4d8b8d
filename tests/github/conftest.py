"""What tests of GitHub's side share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import standin
from standin import StandIn


@pytest.fixture
def github() -> Iterator[StandIn]:
    """Run a stand-in for GitHub."""
    with standin.github() as state:
        yield state
