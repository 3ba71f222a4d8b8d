"""Processes: the same results in the same order for any number of workers."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from steady.cli import main
from steady.errors import InputError, SteadyError
from steady.model import Suite
from steady.parallel import LARGEST_CHUNK, Processes
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


def test_workers_do_not_import_from_the_current_folder(tmp_path: Path) -> None:
    script, workspace, ran = tmp_path / "bin/work.py", tmp_path / "workspace", tmp_path / "ran"
    script.parent.mkdir()
    script.write_text(
        'from steady.parallel import Processes\nif __name__ == "__main__":\n'
        "    with Processes(2, delay=0.0) as shared:\n"
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
    with Processes(2, delay=0.0) as shared:
        yield shared


def test_results_are_in_the_order_of_the_items(processes: Processes) -> None:
    for count in (0, 1, 2, 5, 17, 40, 2 * 8 * 2 * LARGEST_CHUNK + 3):
        items = list(range(count))
        assert list(processes.map(square, items)) == list(map(square, items))


def test_workers_use_one_thread(processes: Processes) -> None:
    found = dict(processes.map(worker_and_threads, range(40)))
    assert os.getpid() not in found
    assert len(found) <= 2
    assert set(found.values()) == {"1"}


def test_errors_of_workers_are_raised(processes: Processes) -> None:
    with pytest.raises(InputError, match=r"^numbers.json, \[7\]: seven is not to be squared$"):
        list(processes.map(refuse, range(9)))


def test_short_work_starts_no_processes() -> None:
    for jobs, delay in ((2, 60.0), (1, 0.0)):
        with Processes(jobs, delay=delay) as shared:
            found = dict(shared.map(lambda _: (os.getpid(), True), range(1000)))
        assert set(found) == {os.getpid()}


def test_the_environment_is_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    with Processes(2, delay=0.0) as shared:
        assert list(shared.map(square, [1, 2])) == [1, 4]
        assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
    assert os.environ["OPENBLAS_NUM_THREADS"] == "3"
    assert "OMP_NUM_THREADS" not in os.environ


def test_a_dying_worker_is_one_sentence() -> None:
    with (
        pytest.raises(SteadyError, match="a worker process died: give fewer --jobs"),
        Processes(2, delay=0.0) as shared,
    ):
        list(shared.map(vanish, [1, 2, 3]))


SLOW = """
import sys, time
from steady.parallel import Processes

def slow(number):
    print(number, flush=True)
    time.sleep(60)

if __name__ == "__main__":
    try:
        with Processes(2, delay=0.0) as shared:
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
    # Ctrl-C is sent to the whole group, as by a terminal; other signals to the parent only.
    (os.killpg if stop == signal.SIGINT else os.kill)(process.pid, stop)
    _, error = process.communicate(timeout=30)  # ends when no worker has the pipes open
    if stop == signal.SIGINT:
        assert (process.returncode, error) == (130, "interrupted\n")
    else:
        assert process.returncode == -stop


def test_results_do_not_depend_on_jobs_and_0_jobs_are_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    random = np.random.default_rng(7)
    noisy = {f"B.{n}": random.lognormal(5, 0.002 * n, (5, 40)) for n in range(4)}
    results = tmp_path / "series.json"
    write_series(Suite.of(noisy, unit="us/op", iteration_seconds=0.1), results)
    for jobs in ("1", "3"):
        out = str(tmp_path / jobs)
        assert main(["optimize", str(results), "--out", out, "--jobs", jobs]) == 0
    plans = [(tmp_path / jobs / "plan.json").read_bytes() for jobs in ("1", "3")]
    assert plans[0] == plans[1]
    for command in ("analyze", "optimize"):
        assert main([command, str(results), "--jobs", "0"]) == 2
        assert "jobs is 0; give at least 1 process" in capsys.readouterr().err
