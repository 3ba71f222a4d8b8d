"""A plugin of pytest, loaded into the process of the benchmarks: lists them, or leaves only one.

It imports nothing of steady, which need not be installed beside the benchmarks.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

_FIXTURES = ("benchmark", "benchmark_weave")


@pytest.hookimpl(trylast=True)  # after -k and -m
def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:  # noqa: D103
    benchmarks = [one for one in items if set(_FIXTURES) & set(getattr(one, "fixturenames", ()))]
    listing, wanted = os.environ.get("STEADY_LISTING"), os.environ.get("STEADY_BENCHMARK")
    if listing:
        Path(listing).write_text(json.dumps([one.nodeid for one in benchmarks]), encoding="utf-8")
    kept = [one for one in benchmarks if wanted is None or one.nodeid == wanted]
    left_out = [one for one in items if one not in kept]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept
