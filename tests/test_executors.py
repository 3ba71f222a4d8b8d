"""Executors as `jobs`: results independent of the executor, and one sentence for failures."""

import random
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from contextlib import ExitStack
from functools import cache, partial
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
from distributed import Client, LocalCluster

import steady
from steady.errors import InputError, SteadyError
from steady.model import Suite
from steady.optimize.plan_json import plan_to_json
from steady.parallel import EXECUTOR_CHUNK, MAX_PENDING_CHUNKS, workers
from tests.test_parallel import refuse, square, vanish


class AtOnce(Executor):
    """An executor that runs tasks on submission and counts them."""

    def __init__(self) -> None:
        self.submitted = 0
        self.open = True

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **_: Any) -> Future[Any]:
        self.submitted += 1
        return self.answer(partial(function, *arguments))

    def answer(self, work: Callable[[], Any]) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(work())
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self.open = False


class OutOfOrder(AtOnce):
    """An executor that finishes tasks in random order after a delay."""

    def answer(self, work: Callable[[], Any]) -> Future[Any]:
        future: Future[Any] = Future()
        wait = random.Random(self.submitted).uniform(0, 0.02)
        threading.Timer(wait, lambda: future.set_result(work())).start()
        return future


class Fails(AtOnce):
    """An executor that fails at the third submission or in the first result; no other task ends."""

    def __init__(self, error: Exception, *, submitting: bool) -> None:
        super().__init__()
        self.error, self.submitting = error, submitting
        self.futures: list[Future[Any]] = []

    def answer(self, work: Callable[[], Any]) -> Future[Any]:
        if self.submitting and self.submitted == 3:
            raise self.error
        self.futures.append(Future())
        if not self.submitting and self.submitted == 1:
            self.futures[0].set_exception(self.error)
        return self.futures[-1]


class Begins(AtOnce):
    """An executor that runs only the first task."""

    def __init__(self) -> None:
        super().__init__()
        self.futures: list[Future[Any]] = []

    def answer(self, work: Callable[[], Any]) -> Future[Any]:
        self.futures.append(super().answer(work) if self.submitted == 1 else Future())
        return self.futures[-1]


@cache
def suite() -> Suite:
    draw = np.random.default_rng(7)
    noisy = {f"B.{n}": draw.lognormal(5, 0.002 * (n + 1), (5, 40)) for n in range(4)}
    return Suite.of(noisy, unit="us/op", iteration_seconds=0.1)


@cache
def plan() -> str:
    return plan_to_json(steady.optimize(suite()))


@pytest.fixture(scope="module")
def dask() -> Iterator[Client]:
    with (
        LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=2, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,  # type: ignore[no-untyped-call]
    ):
        yield client


def executor_of(client: Client) -> Executor:
    executor: Executor = client.get_executor()  # type: ignore[no-untyped-call]
    return executor


def test_results_do_not_depend_on_the_executor_which_stays_open(dask: Client) -> None:
    with ExitStack() as stack:
        for executor in (
            stack.enter_context(ThreadPoolExecutor(2)),
            stack.enter_context(ProcessPoolExecutor(2, mp_context=get_context("spawn"))),
            executor_of(dask),
            OutOfOrder(),
        ):
            assert plan_to_json(steady.optimize(suite(), jobs=executor)) == plan()
            found = steady.analyze(suite(), jobs=executor)
            assert [one.warmup for one in found] == [e.warmup for e in steady.analyze(suite())]
            assert executor.submit(square, 3).result() == 9  # it was not shut down


def test_results_are_in_order_and_pending_chunks_are_limited() -> None:
    for count in (1, 2, MAX_PENDING_CHUNKS + 1, 5 * MAX_PENDING_CHUNKS * EXECUTOR_CHUNK + 3):
        executor = OutOfOrder() if count < 100 else AtOnce()
        with workers(executor) as shared:
            results = shared.map(square, range(count))
            assert next(results) == 0
            assert executor.submitted <= MAX_PENDING_CHUNKS + 1
            assert list(results) == [square(item) for item in range(1, count)]
        assert executor.submitted >= count / EXECUTOR_CHUNK
        assert executor.open
    with workers(AtOnce()) as shared:
        assert list(shared.map(square, [])) == []


def test_errors_of_the_function_are_raised_unchanged(dask: Client) -> None:
    with ThreadPoolExecutor(2) as threads:
        for executor in (threads, executor_of(dask)):
            with (
                pytest.raises(InputError, match=r"^numbers.json, \[7\]: seven is not to") as caught,
                workers(executor) as shared,
            ):
                list(shared.map(refuse, range(300)))
            assert "in refuse" in caught.value.__notes__[0], "where in the worker"


@pytest.mark.parametrize("submitting", [True, False])
@pytest.mark.parametrize("error", [BrokenExecutor("all gone\nfor good"), CancelledError()])
def test_a_failing_executor_is_one_sentence(error: Exception, submitting: bool) -> None:
    executor = Fails(error, submitting=submitting)
    with pytest.raises(SteadyError) as caught:
        steady.optimize(suite(), jobs=executor)
    message = str(error).replace("\n", " ") or "no message"
    kind = f"{type(error).__module__}.{type(error).__name__}"
    assert str(caught.value) == (
        f"{__name__}.Fails failed with {kind} ({message}); each worker needs the same version of "
        "steady, and its own log may say more"
    )
    assert caught.value.__cause__ is error
    assert all(future.cancelled() or future.exception() for future in executor.futures)
    assert executor.open


def test_ctrl_c_cancels_pending_work() -> None:
    executor = Begins()
    with pytest.raises(KeyboardInterrupt), workers(executor) as shared:
        list(map(interrupt, shared.map(square, [1, 2, 3])))
    assert [future.cancelled() for future in executor.futures] == [False, True, True]


def interrupt(result: int) -> None:
    assert result == 1
    raise KeyboardInterrupt


def test_a_dying_worker_is_one_sentence() -> None:
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor,
        pytest.raises(SteadyError, match=r"ProcessPoolExecutor failed with .*\.BrokenProcessPool"),
        workers(executor) as shared,
    ):
        list(shared.map(vanish, [1, 2, 3]))


def test_dask_workers_that_die_or_lack_steady_are_one_sentence(dask: Client) -> None:
    executor = executor_of(dask)
    dask.run(forget_steady)
    absent = r"^distributed\.cfexecutor\.ClientExecutor failed with ModuleNotFoundError \(.*steady"
    with pytest.raises(SteadyError, match=absent):
        steady.optimize(suite(), jobs=executor)
    dask.run(find_steady)
    with pytest.raises(SteadyError, match=r"failed with distributed\.scheduler\.KilledWorker"):
        list(workers(executor).map(vanish, [1]))


def forget_steady() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "steady"]:
        del sys.modules[name]
    sys.modules["steady"] = None  # type: ignore[assignment]


def find_steady() -> None:
    del sys.modules["steady"]


def test_jobs_of_another_type_is_one_sentence(dask: Client) -> None:
    for jobs, kind in ((dask, "Client"), ("2", "str")):
        with pytest.raises(InputError, match=f"^jobs is of type {kind}; give a number of proce"):
            steady.analyze(suite(), jobs=jobs)  # type: ignore[arg-type]
