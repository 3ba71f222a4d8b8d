"""Runs the forks of one version: host JVM, files, and arguments of JMH."""

import math
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from steady.execution.fork_log import excerpt_of
from steady.files import is_text
from steady.harness.jmh.configure.command_lines import CommandLine, is_nameable
from steady.harness.jmh.run.fork_outcome import check_result, one_line, reason
from steady.harness.jmh.run.jar import BenchmarkJar
from steady.harness.jmh.run.java_program import HOOK, Answer, Host, Watch
from steady.harness.jmh.run.merged_records import note_stop
from steady.harness.jmh.run.stopper import Stopper
from steady.harness.jmh.run.turn_server import ForeignMessages, TurnServer
from steady.harness.runs import HarnessSettings
from steady.harness.trial import Trial, TrialError, out_of_time
from steady.model import Identity

_LIST = Path("META-INF", "BenchmarkList")

_NOT_STOPPED = {
    1: "its JVM did not load the profiler that ends it",
    2: "it ended with the other fork of its pair",
}
"""Reasons why live stopping did not end forks, by the number of forks."""


@dataclass(frozen=True, slots=True)
class Connection:
    """The connection of a fork to a turn server.

    Parameters
    ----------
    server : TurnServer
        The turn server.
    side : int
        The side of the fork.
    stop : Stopper, optional
        Live stopping; without it, all configured iterations run.
    """

    server: TurnServer
    side: int
    stop: Stopper | None = None

    @property
    def name(self) -> str:
        """Argument of the profiler, with port, token and side."""
        return self.server.address(self.side)

    def watch(self, limit: float) -> Watch:
        """Return a check that raises TrialError at the timeout, excluding waiting for turns."""

        def check() -> float:
            left = limit - self.server.seconds(self.side)
            if left <= 0:
                raise out_of_time(limit)
            return left

        self.server.begin(self.side)
        return check


class JmhSide:
    """One side of a run, which runs the forks of one version one after the other.

    Parameters
    ----------
    jar : BenchmarkJar
        The jar of the version.
    settings : HarnessSettings
        The user's options.
    folder : Path
        A temporary folder.
    classes : Path
        The folder of steady's compiled Java classes.
    foreign : ForeignMessages
        Counter of messages without a valid password.
    """

    def __init__(
        self,
        jar: BenchmarkJar,
        settings: HarnessSettings,
        folder: Path,
        classes: Path,
        foreign: ForeignMessages,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._jar = jar
        self._settings = settings
        self._folder = folder
        self._classes = classes
        self.foreign = foreign
        self._log = folder / "jmh.log"
        self._errors = folder / "jvm.err"
        self.arriving = folder / "result.json"
        """Path to which JMH writes the JSON of a fork."""
        self._host = self._new_host(jar.path)
        self._running = self._host

    def run(self, trial: Trial, connection: Connection | None = None) -> float | None:
        """Run one fork; `deliver` then moves its JSON.

        Parameters
        ----------
        trial : Trial
            The fork.
        connection : Connection, optional
            Its connection to a turn server, if it is interleaved or stopped live.

        Returns
        -------
        float or None
            Seconds of its iterations, if known.

        Raises
        ------
        TrialError, BusyError
            See `steady.harness.runs.Session.measure`.
        """
        identity = trial.identity
        if identity.name not in self._jar.records:
            raise TrialError(f"{self._jar.path.name} contains no benchmark of this name")
        if not all(is_text(value) for _, value in identity.params):
            raise TrialError(
                "a parameter contains an incomplete character, which a results file cannot store"
            )
        for path in (self._log, self.arriving):
            path.unlink(missing_ok=True)
        self._running = self._host if is_nameable(identity) else self._host_of_one(identity)
        try:
            seconds = self._measure(trial, connection)
            if self._running is not self._host:
                self._running.close()
        except BaseException as error:
            self.kill()
            if isinstance(error, TrialError):
                error.log = error.log or self._output()
            raise
        return seconds

    def deliver(self, result: Path) -> None:
        """Move the JSON of the last fork to its final path."""
        shutil.move(self.arriving, result)

    def kill(self) -> None:
        """Kill all processes; the next fork starts a new host JVM."""
        self._running.kill()

    def close(self) -> None:
        """End all processes."""
        self._host.close()

    def _measure(self, trial: Trial, connection: Connection | None) -> float | None:
        if connection is None:
            answer = self._running.run(["-prof", HOOK, *self._arguments(trial)], trial.timeout)
            self._check(trial, answer)
            return answer.iteration_seconds
        watch = connection.watch(trial.timeout)
        if connection.stop is not None:
            trial = replace(trial, configuration=connection.stop.configuration)
        arguments = ["-prof", f"{HOOK}:{connection.name}", *self._arguments(trial)]
        answer = self._running.run(arguments, math.inf, watch)
        if connection.stop is None:
            self._check(trial, answer)
            return answer.iteration_seconds
        stopped = connection.stop.stopped
        least = 1 if stopped is None else stopped.iterations
        measured = replace(trial.configuration, iterations=least)
        self._check(replace(trial, configuration=measured), answer, at_least=True)
        if stopped is None:
            raise TrialError(connection.stop.problem or _NOT_STOPPED[connection.stop.forks])
        scores = connection.stop.warmup_scores(connection.side)
        note_stop(self.arriving, trial, stopped, scores, connection.stop.turns)
        return answer.iteration_seconds

    def _check(self, trial: Trial, answer: Answer, *, at_least: bool = False) -> None:
        try:
            check_result(self.arriving, trial, at_least=at_least)
        except TrialError as error:
            why = reason(self._log, answer.problem, self._errors)
            raise TrialError(why or one_line(str(error))) from None

    def _arguments(self, trial: Trial) -> list[str]:
        identity = trial.identity
        command_line = CommandLine(
            (identity.name,),
            identity.mode,
            identity.threads,
            tuple((key, value) for key, value in identity.params if "," not in value),
            trial.configuration,
        )
        arguments = ["-foe", "true", "-rf", "json", "-rff", str(self.arriving)]
        # Warm-up forks are separate processes, which do not affect the measured one.
        arguments += ["-wf", "0", "-o", str(self._log)]
        if self._settings.jvm_args:
            annotated = self._jar.jvm_args_append(identity.name)
            appended = annotated + self._settings.jvm_args
            arguments += ["-jvmArgsAppend", " ".join(map(_quoted, appended))]
        return [*arguments, *command_line.arguments]

    def _new_host(self, *class_path: Path) -> Host:
        path = (*class_path, self._classes)
        return Host(self._settings.java, path, self._errors, self.foreign)

    def _host_of_one(self, identity: Identity) -> Host:
        """Return a host whose class path has an overlay with one parameter combination.

        JMH's command line cannot express values with commas.
        """
        folder = self._folder / "overlay"
        path = folder / _LIST
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self._jar.overlay(identity))
        return self._new_host(folder, self._jar.path)

    def _output(self) -> bytes:
        """Return JMH's log of the fork, and the standard error of the host JVM."""
        return b"\n".join(filter(None, map(excerpt_of, (self._log, self._errors))))


def _quoted(argument: str) -> str:
    return f'"{argument}"' if " " in argument else argument
