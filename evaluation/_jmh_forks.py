"""Methods executed in a fork of a benchmark, as listed by its JVM: an independent oracle."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

TOUCHED = (
    "-Djmh.ignoreLock=true -Xint -XX:+UnlockDiagnosticVMOptions -XX:+LogTouchedMethods "
    "-XX:+PrintTouchedMethodsAtExit -XX:+LogVMOutput -XX:-DisplayVMOutput -XX:LogFile={}/%p.log"
)
"""JVM options of Java 9 to 20 that log executed methods; the interpreter prevents inlining."""

METHOD = re.compile(r"^[^\s.]+\.[^\s.:]+:\(\S*\)\S+$", re.MULTILINE)


def touched_methods(jar: Path, options: Iterable[str]) -> frozenset[str]:
    """Run one fork of each benchmark, and return the methods executed in the fork or by JMH.

    Parameters
    ----------
    jar : Path
        Jar of the benchmarks, including JMH.
    options : iterable of str
        JMH's options for iterations and times, and regular expressions of names.

    Returns
    -------
    frozenset of str
        Methods such as ``a/B.method:(I)V``; empty if this Java does not support the options.
    """
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"JAVA_TOOL_OPTIONS": TOUCHED.format(folder)}
        command = ["java", "-jar", str(jar.resolve()), "-f", "1", "-wf", "0", "-to", "20s"]
        subprocess.run([*command, *options], cwd=folder, env=environment, capture_output=True)
        logs = [p.read_text(encoding="utf-8", errors="replace") for p in Path(folder).glob("*.log")]
    return frozenset(method for log in logs for method in METHOD.findall(log))
