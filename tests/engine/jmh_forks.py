"""Test data of the JMH harness: trials, records of forks, and jars without code."""

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from steady.engine import ForkResult, Trial
from steady.model import ExecutionConfiguration, Identity
from tests.jmh_records import jmh_record

LINE = (
    "JMH S 7 lab.Lab S 36 lab.jmh_generated.Lab_params_jmhTest S 6 params S 11 AverageTime "
    "I 1 2 A 1 1 1 E I 1 1 T 5 10 ms E I 1 1 T 5 10 ms I 1 2 I 1 1 E E E E L 1 5 -Xint "
    "M 2 1 n 2 8 xAA===== 8 yAA===== 4 text 3 8 hBALAIGA 8 jBA===== 8 pDAIAgHA "
    "U 12 MICROSECONDS E E "
)
"""As JMH 1.37 writes it: n in 1, 2 and text in "a,b", "c", "é x"."""


def trial(
    identity: Identity, *, number: int = 0, iterations: int = 2, timeout: float = 60.0
) -> Trial:
    single = identity.mode == "ss"
    seconds = 0.0 if single else 0.01
    configuration = ExecutionConfiguration(1, 0, iterations, seconds, seconds)
    return Trial(number, number, "results", identity, configuration, 1.0, timeout)


def record(identity: Identity, rows: Sequence[Sequence[Any]], **more: object) -> dict[str, Any]:
    key = "rawDataHistogram" if identity.mode == "sample" else "rawData"
    unit = "ops/us" if identity.mode == "thrpt" else "us/op"
    own: dict[str, Any] = {"forks": 1, "mode": identity.mode, "threads": identity.threads}
    params = {"params": dict(identity.params)} if identity.params else {}
    metric = {"score": 1.0, "scoreUnit": unit, key: [list(row) for row in rows]}
    return jmh_record(
        identity.name, rows, seconds="10 ms", **{**own, **params, "primaryMetric": metric, **more}
    )


def fork(
    folder: Path, number: int, identity: Identity, row: Sequence[Any], **more: object
) -> ForkResult:
    path = folder / f"{number}.json"
    path.write_text(json.dumps([record(identity, [row], **more)]), encoding="utf-8")
    return ForkResult(
        trial(identity, number=number, iterations=len(row)), f"run:{number // 2}", path
    )


def jar(path: Path, files: Mapping[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def benchmark_jar(path: Path, lines: str = LINE, version: str = "1.37") -> Path:
    files = {"META-INF/BenchmarkList": f"{lines}\n", "org/openjdk/jmh/Main.class": ""}
    return jar(path, files | ({"jmh.properties": f"jmh.version={version}\n"} if version else {}))
