"""JMH, fork by fork: each trial is one start of JMH for one benchmark and one fork."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path

from steady.emit.jmh_command_lines import CommandLine, is_nameable
from steady.errors import InputError
from steady.files import is_text
from steady.model import ExecutionConfiguration, Identity
from steady.readers import jmh_json, open_document
from steady.run.fork_log import excerpt_of
from steady.run.harness import DEFAULTS, ForkByFork, HarnessSettings
from steady.run.java import Java, compiled
from steady.run.jmh_driver import DRIVER, SOURCE, Answer, Host
from steady.run.jmh_jar import BenchmarkJar
from steady.run.jmh_live import LiveFork
from steady.run.jmh_merge import join_records, merge_forks
from steady.run.jmh_outcome import check_result, one_line, reason
from steady.run.live_stop import STOPPABLE_MODES, StopRule
from steady.run.search import EVERYTHING, Search
from steady.run.trial import Trial, TrialError, Version

START_SECONDS = 1.0
"""Start of JMH's own JVM, and of those that tell it what that JVM can do: in all measurements
about twice the start of a fork."""

_LIST = Path("META-INF", "BenchmarkList")


class JmhHarness:
    """JMH 1.19 to 1.37, from a jar that holds benchmarks and JMH.

    Parameters
    ----------
    settings : HarnessSettings
        The user's options.

    Raises
    ------
    InputError
        If JMH cannot pass on one of the JVM's arguments.
    """

    name = "jmh"
    suffix = ".json"
    start_seconds = START_SECONDS

    def __init__(self, settings: HarnessSettings = DEFAULTS) -> None:
        bad = next((a for a in settings.jvm_args if not a or '"' in a), None)
        if bad is not None:
            raise InputError(
                f"JMH cannot be told the JVM argument {bad!r}: it is empty or holds a quotation "
                "mark; set JDK_JAVA_OPTIONS instead"
            )
        self._settings = settings
        self._jars: dict[Path, BenchmarkJar] = {}
        self._driver: bytes | None = None

    def check(self, versions: Sequence[Version]) -> None:
        """Raise InputError if there is no Java, or a version is not a jar of benchmarks."""
        for version in versions:
            self._jar(version)
        _ = self._java

    def benchmarks(
        self,
        version: Version,
        search: Search = EVERYTHING,  # noqa: ARG002 - a jar has a list
    ) -> Sequence[Identity]:
        """List what a jar holds, with all combinations of parameters."""
        return self._jar(version).identities

    def declared(self, version: Version) -> Mapping[Identity, ExecutionConfiguration]:
        """Return the annotations of a jar's benchmarks, with JMH's defaults for the rest."""
        return {i: one.configuration for i, one in self._jar(version).declared.items()}

    @contextmanager
    def open(self, versions: Sequence[Version], scratch: Path) -> Iterator[JmhSession]:
        """Prepare the JVMs from which forks are started; they start when first needed."""
        driver = self._compiled(versions)
        if driver is not None:
            (scratch / f"{DRIVER}.class").write_bytes(driver)
        jars = {version.name: self._jar(version) for version in versions}
        session = JmhSession(jars, self._settings, scratch, None if driver is None else scratch)
        try:
            yield session
        finally:
            session.close()

    merge = staticmethod(merge_forks)
    join = staticmethod(join_records)

    def measured(self, merged: Path) -> Sequence[Identity]:
        """List the benchmarks of a merged file."""
        suite = jmh_json.read(open_document(merged))
        return tuple({**suite, **{f.identity: None for f in suite.failures}})

    def describe(self, versions: Sequence[Version]) -> Mapping[str, str]:
        """Return the versions of Java and JMH, the arguments, and how JMH is started."""
        jmh_versions = (self._jar(version).jmh_version or "unknown" for version in versions)
        described = {
            "java": self._java.version,
            "jmh": ", ".join(dict.fromkeys(jmh_versions)),
            "jmh_started": "once for each version"
            if self._compiled(versions) is not None
            else "once for each fork, because there is no javac that compiles its driver",
        }
        if self._settings.jvm_args:
            described["jvm_args"] = " ".join(self._settings.jvm_args)
        if self._settings.stop is not None:
            described["stop"] = str(self._settings.stop)
        return described

    @cached_property
    def _java(self) -> Java:
        return Java.ask(self._settings.java)

    def _jar(self, version: Version) -> BenchmarkJar:
        if version.target not in self._jars:
            self._jars[version.target] = BenchmarkJar(version.target)
        return self._jars[version.target]

    def _compiled(self, versions: Sequence[Version]) -> bytes | None:
        """Return the driver's class; None where it cannot be compiled."""
        compiler = self._java.compiler
        if self._driver is None and compiler is not None:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, f"{DRIVER}.class")
                if compiled(compiler, SOURCE, [v.target for v in versions[:1]], path.parent):
                    self._driver = path.read_bytes()
        return self._driver


class JmhSession(ForkByFork):
    """Runs trials; a `steady.run.harness.Session`.

    Parameters
    ----------
    jars : mapping of str to BenchmarkJar
        By name of the version.
    settings : HarnessSettings
        The user's options.
    scratch : Path
        A folder for its own use.
    driver : Path or None
        Folder of the driver's class (`Host`).
    """

    def __init__(
        self,
        jars: Mapping[str, BenchmarkJar],
        settings: HarnessSettings,
        scratch: Path,
        driver: Path | None,
    ) -> None:
        self._jars = jars
        self._settings = settings
        self._scratch = scratch
        self._driver = driver
        self._log = scratch / "jmh.log"
        self._arriving = scratch / "result.json"
        self._warmed: set[tuple[str, Identity]] = set()
        self._hosts = {name: self._host(name, jar.path) for name, jar in jars.items()}

    def measure(self, trial: Trial, result: Path) -> float | None:
        """Run one fork, write its JSON to `result`, and return what its iterations took."""
        jar = self._jars[trial.version]
        if trial.identity.name not in jar.records:
            raise TrialError(f"{jar.path.name} holds no benchmark of this name")
        if not all(is_text(value) for _, value in trial.identity.params):
            raise TrialError("a parameter holds half a character, which no results file can hold")
        host = self._hosts[trial.version]
        if not is_nameable(trial.identity):
            host = self._host_of_one(trial)
        for path in (self._log, self._arriving):
            path.unlink(missing_ok=True)
        try:
            seconds = self._run(host, trial)
            self._warmed.add((trial.version, trial.identity))
            if host is not self._hosts[trial.version]:
                host.close()
        except TrialError as error:
            host.kill()
            error.log = error.log or self._output(trial.version)
            raise
        except BaseException:
            host.kill()
            raise
        shutil.move(self._arriving, result)
        return seconds

    def close(self) -> None:
        """End all processes."""
        with ExitStack() as stack:
            for host in self._hosts.values():
                stack.callback(host.close)

    def _run(self, host: Host, trial: Trial) -> float | None:
        rule = self._settings.stop
        if rule is not None and trial.identity.mode in STOPPABLE_MODES:
            self._run_until(host, trial, rule)
            return None
        answer = host.run(self._arguments(trial), self._limit(trial))
        self._check(trial, answer)
        return answer.iteration_seconds

    def _run_until(self, host: Host, trial: Trial, rule: StopRule) -> None:
        """Run a fork, and end it once it has measured enough."""
        fork = LiveFork(self._log, trial, rule)
        answer = host.run(self._arguments(fork.trial), self._limit(trial), fork)
        if not fork.ended:
            self._check(fork.trial, answer)
        fork.write(self._arriving)

    def _check(self, trial: Trial, answer: Answer) -> None:
        try:
            check_result(self._arriving, trial)
        except TrialError as error:
            why = reason(self._log, answer.problem, self._errors(trial.version))
            raise TrialError(why or one_line(str(error))) from None

    def _limit(self, trial: Trial) -> float:
        """Return a trial's limit in seconds: the first trial also runs the warm-up forks."""
        declared = self._jars[trial.version].declared.get(trial.identity)
        if declared is None or (trial.version, trial.identity) in self._warmed:
            return trial.timeout
        return trial.timeout * (1 + declared.warmup_forks)

    def _arguments(self, trial: Trial) -> list[str]:
        identity = trial.identity
        command_line = CommandLine(
            (identity.name,),
            identity.mode,
            identity.threads,
            tuple((key, value) for key, value in identity.params if "," not in value),
            trial.configuration,
        )
        arguments = ["-foe", "true", "-rf", "json", "-rff", str(self._arriving)]
        arguments += ["-o", str(self._log)]
        if (trial.version, identity) in self._warmed:
            arguments += ["-wf", "0"]  # warm-up forks run once, before the first: as in JMH
        if self._settings.jvm_args:
            annotated = self._jars[trial.version].jvm_args_append(identity.name)
            appended = annotated + self._settings.jvm_args
            arguments += ["-jvmArgsAppend", " ".join(map(_quoted, appended))]
        return [*arguments, *command_line.arguments]

    def _host(self, version: str, *class_path: Path) -> Host:
        return Host(self._settings.java, class_path, self._driver, self._errors(version))

    def _host_of_one(self, trial: Trial) -> Host:
        """Return what runs only this benchmark: no argument of JMH can name its parameters."""
        folder = self._scratch / "overlay"
        path = folder / _LIST
        path.parent.mkdir(parents=True, exist_ok=True)
        jar = self._jars[trial.version]
        path.write_bytes(jar.overlay(trial.identity))
        return self._host(trial.version, folder, jar.path)

    def _output(self, version: str) -> bytes:
        """Return JMH's log of a fork, and the standard error of JMH's own JVM."""
        return b"\n".join(filter(None, map(excerpt_of, (self._log, self._errors(version)))))

    def _errors(self, version: str) -> Path:
        return self._scratch / f"{version}.err"


def _quoted(argument: str) -> str:
    return f'"{argument}"' if " " in argument else argument
