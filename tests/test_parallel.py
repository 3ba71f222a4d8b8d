"""Mappers: the same results in the same order, whoever does the work."""

from __future__ import annotations

import gc
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from steady.cli import main
from steady.errors import InputError, MissingToolError, SteadyError
from steady.model import Benchmark, ExecutionConfiguration, Identity, Level, Suite
from steady.optimize import optimize, plan_to_json
from steady.parallel import (
    LARGEST_CHUNK,
    SERIAL,
    Dask,
    Mapper,
    Processes,
    available_processors,
    mapper_of,
)
from steady.readers import write_series


def square(number: int) -> int:
    return number * number


def refuse(number: int) -> int:
    if number == 7:
        raise InputError("seven is not to be squared", source="numbers.json", where="[7]")
    return number


def vanish(number: int) -> int:
    os._exit(number)


def worker_and_threads(_: int) -> tuple[int, str]:
    return os.getpid(), os.environ["OPENBLAS_NUM_THREADS"]


def test_workers_import_nothing_of_the_folder_that_they_start_in(tmp_path: Path) -> None:
    script, workspace, ran = tmp_path / "bin/work.py", tmp_path / "workspace", tmp_path / "ran"
    script.parent.mkdir()
    script.write_text(
        'from steady.parallel import Processes\nif __name__ == "__main__":\n'
        "    with Processes(2, patience=0.0) as shared:\n"
        "        print(list(shared.map(abs, [-1, -2, -3])))\n"
    )
    workspace.mkdir()
    for name in ("socket", "signal", "pickle", "logging", "numpy"):
        (workspace / f"{name}.py").write_text(f"open({str(ran)!r}, 'a').write({name!r})\n")
    done = subprocess.run(
        [sys.executable, str(script)], cwd=workspace, capture_output=True, text=True
    )
    assert (done.stdout, ran.exists()) == ("[1, 2, 3]\n", False), done.stderr


@pytest.fixture(scope="module")
def processes() -> Iterator[Processes]:
    with Processes(2, patience=0.0) as shared:
        yield shared


@pytest.mark.parametrize("count", [0, 1, 2, 5, 17, 40, 2 * 8 * 2 * LARGEST_CHUNK + 3])
def test_results_come_in_the_order_of_the_items(processes: Processes, count: int) -> None:
    items = list(range(count))
    assert list(processes.map(square, items)) == list(SERIAL.map(square, items))


def test_other_processes_work_on_one_thread_each(processes: Processes) -> None:
    found = dict(processes.map(worker_and_threads, range(40)))
    assert os.getpid() not in found
    assert len(found) <= 2
    assert set(found.values()) == {"1"}


def test_an_error_of_a_worker_is_the_error_of_the_whole(processes: Processes) -> None:
    with pytest.raises(InputError, match=r"^numbers.json, \[7\]: seven is not to be squared$"):
        list(processes.map(refuse, range(9)))


def test_no_process_starts_for_short_work() -> None:
    with Processes(2) as shared:
        found = dict(shared.map(lambda _: (os.getpid(), True), range(1000)))
    assert set(found) == {os.getpid()}


def test_the_environment_is_as_before_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    with Processes(2, patience=0.0) as shared:
        assert list(shared.map(square, [1, 2])) == [1, 4]
        assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
    assert os.environ["OPENBLAS_NUM_THREADS"] == "3"
    assert "OMP_NUM_THREADS" not in os.environ


def test_a_worker_that_dies_is_one_sentence() -> None:
    with (
        pytest.raises(SteadyError, match="a worker process died: give fewer --jobs"),
        Processes(2, patience=0.0) as shared,
    ):
        list(shared.map(vanish, [1, 2, 3]))


def test_jobs_name_the_mapper() -> None:
    with mapper_of(1) as alone:
        assert alone is SERIAL
    assert isinstance(mapper_of(2), Processes)
    assert available_processors() >= 1
    with pytest.raises(InputError, match="jobs is 0; give at least 1 process"):
        mapper_of(0)


def test_a_mapper_that_is_given_is_not_ended() -> None:
    class Owned:
        """Would fail if it were entered or left."""

        map = SERIAL.map

    owned: Mapper = Owned()
    with mapper_of(owned) as used:
        assert used is owned


SLOW = """
import sys, time
from steady.parallel import Processes

def slow(number):
    print(number, flush=True)
    time.sleep(60)

if __name__ == "__main__":
    try:
        with Processes(2, patience=0.0) as shared:
            list(shared.map(slow, range(8)))
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_their_parent(tmp_path: Path, stop: signal.Signals) -> None:
    script = tmp_path / "slow.py"
    script.write_text(SLOW)
    process = subprocess.Popen(
        [sys.executable, script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    process.stdout.readline()  # a worker is at work
    # Ctrl-C goes to the whole group, as a terminal sends it; the others hit the parent alone.
    (os.killpg if stop == signal.SIGINT else os.kill)(process.pid, stop)
    _, error = process.communicate(timeout=30)  # ends when no worker holds the pipes any more
    if stop == signal.SIGINT:
        assert (process.returncode, error) == (130, "interrupted\n")
    else:
        assert process.returncode == -stop


def test_dask_that_is_not_installed_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(MissingToolError, match=r"pip install 'steady-action\[dask\]'"),
        Dask("tcp://127.0.0.1:1"),
    ):
        pass


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """Return the address of a Dask cluster of two processes on this machine."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        host="127.0.0.1",
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address="127.0.0.1:0",
    ) as local:
        yield local.scheduler_address


@pytest.mark.thorough
class TestDask:
    def test_results_come_in_the_order_of_the_items(self, cluster: str) -> None:
        with Dask(cluster) as shared:
            for count in (0, 1, 2, 40):
                found = dict(shared.map(process_of, range(count)))
                assert list(found) == list(range(count))
        assert os.getpid() not in found.values()
        assert len(set(found.values())) == 2

    @pytest.mark.parametrize("strategy", ["error-budget", "uoptime"])
    def test_the_plan_is_the_same_to_the_byte(self, cluster: str, strategy: str) -> None:
        with Dask(cluster) as shared:
            plan = optimize(some(12), strategy, jobs=shared)
        assert plan_to_json(plan) == plan_to_json(optimize(some(12), strategy))

    def test_the_command_line_takes_its_address(
        self, cluster: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        results = tmp_path / "series.json"
        write_series(some(4), results)
        assert main(["analyze", str(results), "--json", "--dask", cluster]) == 0
        shared = capsys.readouterr().out
        assert main(["analyze", str(results), "--json", "--jobs", "1"]) == 0
        assert capsys.readouterr().out == shared

    def test_an_error_of_a_worker_is_the_error_of_the_whole(self, cluster: str) -> None:
        with (
            Dask(cluster) as shared,
            pytest.raises(InputError, match=r"^numbers.json, \[7\]: seven"),
        ):
            list(shared.map(refuse, range(9)))

    def test_an_address_where_nobody_answers_is_one_sentence(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        with (
            pytest.raises(
                InputError, match=f"no Dask scheduler answers at 'tcp://127.0.0.1:{port}"
            ),
            Dask(f"tcp://127.0.0.1:{port}", patience=0.5),
        ):
            pass

    @pytest.mark.parametrize("address", ["foo", "http://127.0.0.1:1", "tcp://127.0.0.1:x"])
    def test_what_is_no_address_is_one_sentence(
        self, address: str, capfd: pytest.CaptureFixture[str]
    ) -> None:
        pytest.importorskip("distributed")
        with pytest.raises(InputError, match="no Dask scheduler answers at"), Dask(address):
            pass
        gc.collect()
        assert capfd.readouterr().err == ""

    def test_certificates_that_are_not_set_are_one_sentence(self) -> None:
        distributed = pytest.importorskip("distributed")
        refused = TypeError("TLS expects a `ssl_context` argument")
        with (
            mock.patch.object(distributed, "Client", side_effect=refused),
            pytest.raises(InputError, match=r"tls://127.0.0.1:1.*distributed\.comm\.tls"),
            Dask("tls://127.0.0.1:1"),
        ):
            pass

    def test_a_scheduler_that_is_lost_between_two_pieces_of_work_is_one_sentence(self) -> None:
        distributed = pytest.importorskip("distributed")
        with distributed.LocalCluster(
            host="127.0.0.1", n_workers=1, processes=True, dashboard_address="127.0.0.1:0"
        ) as local:
            shared = Dask(local.scheduler_address, patience=3.0).__enter__()
        for _ in range(2):
            with pytest.raises(SteadyError, match=r"the work on the Dask cluster .* was lost"):
                list(shared.map(square, [1, 2]))
            shared.__exit__()

    def test_a_scheduler_without_workers_is_one_sentence(self) -> None:
        distributed = pytest.importorskip("distributed")
        with (
            distributed.LocalCluster(
                host="127.0.0.1", n_workers=0, processes=True, dashboard_address="127.0.0.1:0"
            ) as idle,
            Dask(idle.scheduler_address) as shared,
            pytest.raises(InputError, match="has no workers; start some with: dask worker tcp://"),
        ):
            list(shared.map(square, [1, 2]))


def process_of(number: int) -> tuple[int, int]:
    time.sleep(0.02)
    return number, os.getpid()


def some(count: int) -> Suite:
    """Return a suite of benchmarks with more and more noise."""
    random = np.random.default_rng(7)
    full = ExecutionConfiguration(5, 0, 40, 0.1, 0.1)
    levels = (Level("fork"), Level("iteration"))
    return Suite(
        tuple(
            Benchmark(
                Identity(f"B.{number}"),
                "us/op",
                random.lognormal(5, 0.002 * number, (5, 40)),
                levels,
                configuration=full,
            )
            for number in range(count)
        )
    )


class TestCommandLine:
    def test_jobs_change_nothing_but_the_time(self, tmp_path: Path) -> None:
        results = tmp_path / "series.json"
        write_series(some(4), results)
        for jobs in ("1", "3"):
            out = str(tmp_path / jobs)
            assert main(["optimize", str(results), "--out", out, "--jobs", jobs]) == 0
        plans = [(tmp_path / jobs / "plan.json").read_bytes() for jobs in ("1", "3")]
        assert plans[0] == plans[1]

    @pytest.mark.parametrize("command", ["analyze", "optimize"])
    def test_no_process_at_all_is_a_mistake(
        self, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        results = tmp_path / "series.json"
        write_series(some(2), results)
        assert main([command, str(results), "--jobs", "0"]) == 2
        assert "jobs is 0; give at least 1 process" in capsys.readouterr().err

    def test_processes_and_a_cluster_exclude_each_other(self) -> None:
        with pytest.raises(SystemExit, match="2"):
            main(["analyze", "series.json", "--jobs", "2", "--dask", "tcp://127.0.0.1:1"])
