"""What each benchmark of a jar loads, recorded by JMH alone: an oracle beside steady's own way."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from steady.model import Identity

MODES = {
    "Throughput": "thrpt",
    "Average time": "avgt",
    "Sampling time": "sample",
    "Single shot invocation time": "ss",
}
TOOL_OPTIONS = "-Djmh.ignoreLock=true -Xlog:class+load=info:file={}/%p.log:none:filecount=0"
HEADING = re.compile(
    r"^# Benchmark mode: ([^,\n]+).*\n# Benchmark: (\S+)\n(?:# Parameters: \((.*)\)\n)?",
    re.MULTILINE,
)


def class_logs(
    jar: Path, identities: Iterable[Identity], options: Iterable[str]
) -> Mapping[Identity, str]:
    """Run one fork of each benchmark, and return its JVM's log of loaded classes.

    Parameters
    ----------
    jar : Path
        The jar, with JMH.
    identities : iterable of Identity
        The benchmarks that are wanted.
    options : iterable of str
        JMH's options for iterations and times, and regular expressions of names.

    Returns
    -------
    mapping of Identity to str
        Those whose fork came so far as to load the benchmark.
    """
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"JAVA_TOOL_OPTIONS": TOOL_OPTIONS.format(folder)}
        command = ["java", "-jar", str(jar.resolve()), "-f", "1", "-wf", "0", "-to", "20s"]
        done = subprocess.run(
            [*command, *options], cwd=folder, env=environment, capture_output=True, text=True
        )
        paths = sorted(Path(folder).glob("*.log"), key=lambda path: path.stat().st_mtime_ns)
        logs = [path.read_text(encoding="utf-8", errors="replace") for path in paths]
    wanted = {_key(i.mode, i.name, _written(i)): i for i in identities}
    return dict(_matched(done.stdout, logs, wanted))


def _matched(
    output: str, logs: list[str], wanted: Mapping[tuple[str, str, str], Identity]
) -> Iterator[tuple[Identity, str]]:
    """Yield the log of each benchmark: forks run in the order in which JMH announces them."""
    at = 0
    for mode, name, params in HEADING.findall(output):
        owner, _, method = name.rpartition(".")
        package, _, simple = owner.rpartition(".")
        generated = f"{package}.jmh_generated.{simple}_{method}_"
        found = next((i for i in range(at, len(logs)) if generated in logs[i]), None)
        if found is None:
            continue
        at = found + 1
        identity = wanted.get(_key(MODES.get(mode, mode), name, params))
        if identity is not None:
            yield identity, logs[found]


def _key(mode: str, name: str, params: str) -> tuple[str, str, str]:
    return mode, name, params


def _written(identity: Identity) -> str:
    """Return a benchmark's parameters as JMH announces them."""
    return ", ".join(f"{name} = {value}" for name, value in sorted(identity.params))
