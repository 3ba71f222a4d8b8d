"""A pytest plugin in the process of the benchmarks: list them, or select one or several.

Several benchmarks of a file are listed in the file ``STEADY_BENCHMARKS``. Before each of them, the
process waits until that of the other version is at the same one. It writes a result for each.

It imports nothing of steady, which need not be installed with the benchmarks.
"""

import ctypes
import gc
import json
import os
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

_FIXTURES = {"benchmark", "benchmark_weave"}

_ONE_PROCESS: dict[str, Any] = {"numprocesses": None, "distload": False, "dist": "no", "tx": []}
_MEASURED = {
    "benchmark_skip": False,
    "benchmark_precision": None,
    "benchmark_cprofile": None,
    "benchmark_compare": None,
    "benchmark_compare_fail": None,
    "benchmark_autosave": None,
    "benchmark_save": None,
}
"""Options that a project may set (``addopts``), and their values for measurements."""

_count = os.environ.get("STEADY_COUNT", "")


def _read_benchmarks() -> list[dict[str, Any]]:
    file = os.environ.get("STEADY_BENCHMARKS")
    found: list[dict[str, Any]] = json.loads(Path(file).read_text(encoding="utf-8")) if file else []
    return found


_selected = _read_benchmarks()
_one = os.environ.get("STEADY_BENCHMARK")
_places = {entry["name"]: place for place, entry in enumerate(_selected, start=1)}
if _one is not None:
    _places = {_one: 1}
"""Numbers of the selected benchmarks, from 1; empty if all are."""

_finished: dict[int, Any] = {}
"""Results of the selected benchmarks by number."""

os.environ.pop("PYTEST_XDIST_WORKER", None)  # set if steady itself runs in pytest-xdist


@pytest.hookimpl(hookwrapper=True)  # before pytest-cov, which slows everything
def pytest_load_initial_conftests(early_config: Any) -> Iterator[None]:  # noqa: D103
    if hasattr(early_config.known_args_namespace, "cov_source"):
        early_config.known_args_namespace.cov_source = []
    yield


@pytest.hookimpl(hookwrapper=True)  # before pytest-xdist reads them
def pytest_cmdline_main(config: Any) -> Iterator[None]:  # noqa: D103
    values = {**_ONE_PROCESS, **_MEASURED, "benchmark_disable": bool(_count)}
    for name, value in values.items():
        if hasattr(config.option, name):
            setattr(config.option, name, value)
    yield


def _counted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that also counts its instructions or allocations."""

    def call(*args: Any, **named: Any) -> Any:
        gc.collect()
        if _count.endswith(".so"):
            library = ctypes.CDLL(_count)
            library.steady_begin()
            try:
                return function(*args, **named)
            finally:
                library.steady_end()
        tracemalloc.start()
        try:
            return function(*args, **named)
        finally:
            Path(_count).write_text(str(tracemalloc.get_traced_memory()[1]), encoding="utf-8")
            tracemalloc.stop()

    return call


def pytest_configure(config: Any) -> None:  # noqa: D103
    if not (_count and config.pluginmanager.hasplugin("benchmark")):
        return
    from pytest_benchmark.fixture import BenchmarkFixture

    def called(_: Any, function: Callable[..., Any], *args: Any, **named: Any) -> Any:
        function(*args, **named)  # initialisations do not count
        return _counted(function)(*args, **named)

    fixture: Any = BenchmarkFixture
    pedantic = fixture._raw_pedantic  # noqa: SLF001
    fixture._raw = called  # noqa: SLF001
    fixture._raw_pedantic = lambda self, target, *args, **named: pedantic(  # noqa: SLF001
        self, _counted(target), *args, **named
    )


def _other_file(collection_path: Path, config: Any) -> bool | None:
    """Skip files without the benchmark, so that only necessary modules are imported."""
    name = next(iter(_places), "").partition("::")[0]
    own = config.rootpath / name
    if not (name and own.is_file() and collection_path.is_file()):
        return None
    given = [config.invocation_params.dir / arg.partition("::")[0] for arg in config.args]
    kept = collection_path.resolve() in {one.resolve() for one in (own, *given)}
    return None if kept or collection_path.name == "__init__.py" else True


if getattr(pytest, "version_tuple", (6,)) >= (7,):
    pytest_ignore_collect = _other_file


@pytest.hookimpl(trylast=True)  # after -k and -m
def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:  # noqa: D103
    if not config.pluginmanager.hasplugin("benchmark"):
        raise pytest.UsageError("pytest-benchmark is not installed there, or it is disabled")
    benchmarks = [one for one in items if _FIXTURES & set(getattr(one, "fixturenames", ()))]
    listing = os.environ.get("STEADY_LISTING")
    if listing:
        Path(listing).write_text(json.dumps([one.nodeid for one in benchmarks]), encoding="utf-8")
    kept = [one for one in benchmarks if not _places or one.nodeid in _places]
    if _places and not kept:
        raise pytest.UsageError("pytest does not find it when it runs alone")
    left_out = [one for one in items if one not in kept]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
    if left_out or _selected:
        items[:] = sorted(kept, key=lambda one: _places.get(one.nodeid, 0))


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: Any) -> Iterator[None]:  # noqa: D103
    place = _places.get(item.nodeid, 0)
    if not (_selected and place):
        yield
        return
    from pytest_benchmark.utils import SecondsDecimal

    options = _selected[place - 1]["options"]
    rounds = {"min_rounds": options["min_rounds"]}
    lengths = {name: SecondsDecimal(options[name]) for name in ("max_time", "min_time")}
    session = item.config._benchmarksession  # noqa: SLF001
    session.options.update(rounds, **lengths)
    _meet(place)
    begin = time.monotonic()
    yield
    seconds = time.monotonic() - begin
    own = [one for one in session.benchmarks if one and one.fullname == item.nodeid]
    if own:
        _finished[place] = own, seconds
        _write(item.config, place, {}, {})


def _meet(place: int) -> None:
    """Wait until the process of the other version is at the same benchmark, or has ended."""
    meet = getattr(ctypes.CDLL(None), "steady_meet", None)
    if meet is not None:
        meet(ctypes.c_int64(place))


def _write(config: Any, place: int, machine: Any, commit: Any) -> None:
    """Write the result of a benchmark in the form of ``--benchmark-json``."""
    from pytest_benchmark import utils

    safe_dumps: Any = utils.safe_dumps
    own, seconds = _finished[place]
    known = {"config": config, "benchmarks": own}
    output = config.hook.pytest_benchmark_generate_json(
        **known, include_data=True, machine_info=machine, commit_info=commit
    )
    if machine:
        config.hook.pytest_benchmark_update_json(**known, output_json=output)
    text = safe_dumps({**output, "steady_seconds": seconds}, ensure_ascii=True)
    Path(_selected[place - 1]["result"]).write_text(text, encoding="utf-8")


def pytest_sessionfinish(session: Any) -> None:
    """Add the machine to all results; it is read by programs, which would end the pinning."""
    if not _finished:
        return
    config, hook = session.config, session.config.hook
    machine = hook.pytest_benchmark_generate_machine_info(config=config)
    hook.pytest_benchmark_update_machine_info(config=config, machine_info=machine)
    commit = hook.pytest_benchmark_generate_commit_info(config=config)
    hook.pytest_benchmark_update_commit_info(config=config, commit_info=commit)
    for place in _finished:
        _write(config, place, machine, commit)
