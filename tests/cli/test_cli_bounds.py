"""Out-of-range input: one sentence and exit code 2 in every command."""

import json
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from steady.errors import InputError, limit_errors
from steady.harness.pyperf.results import read
from steady.readers import Document
from tests.cli.shell import Shell
from tests.looped import looped

HUGE = "1" + "0" * 400


def pyperf(runs: str, metadata: str = '{"name": "x"}') -> str:
    """Return a file of pyperf's."""
    return f'{{"version": "1.0", "metadata": {metadata}, "benchmarks": [{{"runs": [{runs}]}}]}}'


def noted(**note: str) -> str:
    """Return a run of two values with a note of steady."""
    fields = {"forks": "1", "iterations": "2", **note}
    inner = ", ".join(f'"{key}": {value}' for key, value in fields.items())
    return pyperf(f'{{"values": [1.0, 2.0], "steady": {{{inner}}}}}')


def of_asv(parameters: int) -> str:
    """Return a file of asv's: one result, and parameters with ten values each."""
    columns = {"result_columns": ["result", "params"], "commit_hash": "c", "version": 2}
    params = [[str(value) for value in range(10)]] * parameters
    return json.dumps({**columns, "results": {"x": [[1.0], params]}})


BEYOND = (
    *(noted(**{key: HUGE}) for key in ("forks", "warmup", "iterations", "not_run")),
    noted(looks=f"[{HUGE}]"),
    noted(iterations="9" * 4_290),
    of_asv(parameters=5_000),
    pyperf("9" * 5_000),
    pyperf("[" * 100_000 + "]" * 100_000),
)


@looped("text", BEYOND)
def test_excessive_input_is_one_sentence(text: str, shell: Shell) -> None:
    Path("x.json").write_text(text)
    for command in ("compare x.json x.json", "optimize x.json", "analyze x.json"):
        ended = shell(command)
        assert ended.code == 2, command
        assert ended.err.startswith("steady: x.json")
        assert ended.err.count("\n") == 1


@looped(
    ("error", "words"),
    [
        (MemoryError(), "needs more memory than available"),
        (RecursionError(), "is nested far deeper"),
        (OverflowError(), "too large for calculations"),
        (ValueError("Exceeds the limit (4300 digits) for integer string conversion"), "digits"),
    ],
)
def test_errors_of_python_on_excessive_input_become_input_errors(
    error: Exception, words: str
) -> None:
    with pytest.raises(InputError, match=f"^a.json: .*{words}"), limit_errors("a.json"):
        raise error
    with pytest.raises(ValueError, match="a mistake of ours"), limit_errors():
        raise ValueError("a mistake of ours")


LIMITED = """\
import resource, sys
from steady.cli.main import main
import steady.compare, steady.cli.compare  # what is imported later takes memory too
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**24,) * 2)
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other limits")
def test_exhausted_memory_is_one_sentence(shell: Shell) -> None:
    Path("x.json").write_text(pyperf('{"values": [1.0, 2.0]},' * 200_000 + '{"values": [1.0]}'))
    command = [sys.executable, "-c", LIMITED, "compare", "x.json", "x.json"]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 2, ended.stderr
    assert "needs more memory than available; give fewer benchmarks at a time" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_common_data_of_runs_are_stored_once() -> None:
    metadata = json.dumps({"name": "x", **{f"key {number}": "" for number in range(2_000)}})
    document = Document(Path("x.json"), pyperf(",".join(['{"values": [1.0]}'] * 2_000), metadata))
    tracemalloc.start()
    try:
        assert read(document)["x"].measurements.shape == (2_000, 1)
        assert tracemalloc.get_traced_memory()[1] < 100 * len(document.text)
    finally:
        tracemalloc.stop()
