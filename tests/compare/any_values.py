"""Any texts, names, environments and configurations, for tests of what is written and read."""

from __future__ import annotations

from hypothesis import strategies as st

from steady.model import Environment, ExecutionConfiguration, Identity

TEXTS = st.text(max_size=20)
NAMES = st.text(min_size=1, max_size=20)
SECONDS = st.integers(0, 10**9).map(lambda ms: ms / 1000)
IDENTITIES = st.builds(
    Identity,
    NAMES,
    NAMES,
    st.dictionaries(TEXTS, TEXTS, max_size=2).map(lambda params: tuple(params.items())),
    st.integers(1, 99),
)
ENVIRONMENTS = st.builds(Environment, TEXTS, TEXTS, TEXTS, TEXTS, st.lists(TEXTS).map(tuple))
CONFIGURATIONS = st.builds(
    ExecutionConfiguration,
    st.integers(0, 20),
    st.integers(0, 100),
    st.integers(1, 2**53 - 1),
    SECONDS,
    SECONDS,
    st.integers(1, 100),
    st.integers(1, 100),
)
