"""Runs workflows as GitHub's runner does, on this machine: job by job, step by step.

What a step's ``run:`` says goes to the same shell, with the same options and the runner's own
environment and command files. Actions of this repository run as they are. Others have a stand-in:
a checkout clones a repository made by the test, an upload copies files. Whatever has neither is an
error, and so is a reusable workflow whose job wants more rights than its caller gives.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml
from action_scenario import read_outputs
from expressions import evaluated, hash_files, shown, substituted, truth
from stand_in_actions import STAND_INS, MissingError, Place

from docs.project import REPOSITORY as OURS

ROOT = Path(__file__).resolve().parents[2]
SHELLS = {
    "": ["bash", "-e"],
    "bash": ["bash", "--noprofile", "--norc", "-eo", "pipefail"],
}
"""What the runner starts where a step names no shell, and where it names bash."""

_LEVELS = ("none", "read", "write")

_PYTHON = """#!/usr/bin/env bash
# Stands in for the Python that makes steady's environment: its commands are those of the tests.
if [[ $1 == -I && $2 == -m && $3 == venv ]]; then
  mkdir -p "$4/bin"
  cat >"$4/bin/python" <<'END'
#!/bin/sh
case "$*" in "-I -m pip "*) ;; *) exec {python} "$@" ;; esac
END
  cat >"$4/bin/steady" <<'END'
#!/bin/sh
exec {steady} "$@"
END
  chmod +x "$4/bin/python" "$4/bin/steady"
fi
"""


@dataclass(frozen=True, kw_only=True)
class Step:
    """A step that ran.

    Parameters
    ----------
    name : str
        As the workflow calls it.
    outcome : str
        ``success``, ``failure`` or ``skipped``.
    output : str
        What it printed.
    outputs : mapping of str to str
        What it handed on.
    """

    name: str
    outcome: str
    output: str = ""
    outputs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Job:
    """A job that ran, or was skipped; see `Step`."""

    name: str
    outcome: str
    steps: Sequence[Step] = ()
    outputs: Mapping[str, str] = field(default_factory=dict)
    permissions: Mapping[str, str] = field(default_factory=dict)
    summary: str = ""
    workspace: Path = Path()

    def __getitem__(self, name: str) -> Step:
        return next(step for step in self.steps if step.name == name)

    @property
    def log(self) -> str:
        return "\n".join(f"## {s.name}: {s.outcome}\n{s.output}" for s in self.steps)


@dataclass(kw_only=True)
class Machine:
    """Where workflows run.

    Parameters
    ----------
    folder : Path
        For everything that a run leaves.
    repository : Path
        The Git repository of the project, as the checkout finds it.
    event : str
        Name of the event.
    payload : dict
        What GitHub says of it.
    commit : str
        What is checked out where nothing else is asked for.
    commands : mapping of str to str
        Scripts that stand for programs of the runner's image, such as ``gh``.
    environment : mapping of str to str
        Further variables.
    steady : str
        The command, as a shell starts it.
    token : str
        The job's token.
    left_out : collection of str
        Jobs that a test does not need.
    patience : float
        Seconds after which a step is given up.
    """

    folder: Path
    repository: Path
    event: str = "pull_request"
    payload: dict[str, Any] = field(default_factory=dict)
    commit: str = "HEAD"
    commands: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    steady: str = f"{sys.executable} -m steady.cli"
    token: str = "ghs_the-job's-own"
    left_out: Collection[str] = ()
    patience: float = 600.0
    used: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    @property
    def artifacts(self) -> Path:
        return self.folder / "artifacts"

    def run(self, path: Path, inputs: Mapping[str, Any] | None = None) -> dict[str, Job]:
        """Run a workflow file; return its jobs, those of a called workflow as ``caller/job``."""
        workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
        return self._workflow(workflow, inputs or {}, None)

    def _workflow(
        self, workflow: Any, inputs: Mapping[str, Any], granted: Mapping[str, str] | None
    ) -> dict[str, Job]:
        ran: dict[str, Job] = {}
        waiting = dict(workflow["jobs"])
        while waiting:
            name = next(n for n, job in waiting.items() if not set(_needs(job)) & set(waiting))
            job = waiting.pop(name)
            ran.update(self._job(name, job, workflow, inputs, ran, granted))
        return ran

    def _job(
        self,
        name: str,
        job: Any,
        workflow: Any,
        inputs: Mapping[str, Any],
        ran: Mapping[str, Job],
        granted: Mapping[str, str] | None,
    ) -> dict[str, Job]:
        permissions = job.get("permissions", workflow.get("permissions", {}))
        assert isinstance(permissions, dict)
        for scope, level in permissions.items() if granted is not None else ():
            given = (granted or {}).get(scope, "none")
            assert _LEVELS.index(level) <= _LEVELS.index(given), f"{name} wants {scope}: {level}"
        needs = {n: {"result": ran[n].outcome, "outputs": ran[n].outputs} for n in _needs(job)}
        fine = all(ran[n].outcome == "success" for n in _needs(job))
        context = self._context(inputs, needs, fine=fine)
        if name in self.left_out or not truth(_condition(job.get("if"), context, fine=fine)):
            return {name: Job(name=name, outcome="skipped")}
        jobs: dict[str, Job] = {}
        matrix = substituted_deep(job.get("strategy", {}).get("matrix", {}), context)
        for index, cell in enumerate(_cells(matrix)):
            here = context | {"matrix": cell, "strategy": {"job-index": index}}
            label = f"{name} ({', '.join(map(shown, cell.values()))})" if cell else name
            if "uses" in job:
                jobs |= self._called(label, job, here, permissions)
            else:
                jobs[label] = self._steps(label, job, workflow, here, permissions)
        if name not in jobs:  # a matrix is for `needs` one job
            outcomes = {part.outcome for part in jobs.values()}
            jobs[name] = Job(
                name=name,
                outcome="failure" if "failure" in outcomes else "success",
                permissions=permissions,
            )
        return jobs

    def _called(
        self, label: str, job: Any, context: Mapping[str, Any], permissions: Mapping[str, str]
    ) -> dict[str, Job]:
        """Run a reusable workflow of this repository."""
        path = job["uses"].removeprefix(f"{OURS}/").removeprefix("./").partition("@")[0]
        called = yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))
        declared = (called[True]["workflow_call"] or {}).get("inputs", {})
        given = substituted_deep(job.get("with", {}), context)
        assert set(given) <= set(declared), f"no such inputs: {set(given) - set(declared)}"
        for name, value in declared.items():
            assert not value.get("required") or name in given, f"{name} is required"
            kind, empty = _KINDS[value["type"]]
            assert isinstance(given.get(name, value.get("default", empty)), kind), name
        defaults = {n: d.get("default", _KINDS[d["type"]][1]) for n, d in declared.items()}
        jobs = self._workflow(called, defaults | given, permissions)
        outcomes = {part.outcome for part in jobs.values()}
        whole = Job(
            name=label,
            outcome="failure" if "failure" in outcomes else "success",
            permissions=permissions,
        )
        return {f"{label}/{name}": part for name, part in jobs.items()} | {label: whole}

    def _context(
        self, inputs: Mapping[str, Any], needs: Mapping[str, Any], *, fine: bool
    ) -> dict[str, Any]:
        repository = self.payload.get("repository", {}).get("full_name", "octo/benchmarks")
        return {
            "github": {
                "event_name": self.event,
                "event": self.payload,
                "repository": repository,
                "sha": self._git("rev-parse", self.commit),
                "token": self.token,
                "run_id": "1",
                "ref": "refs/pull/7/merge" if "pull_request" in self.payload else "refs/heads/main",
                "workflow": "Benchmarks",
            },
            "inputs": inputs,
            "needs": needs,
            "env": {},
            "vars": {},
            "runner": {"os": "Linux"},
            "functions": {
                "always": lambda: True,
                "cancelled": lambda: False,
                "failure": lambda: not fine,
                "success": lambda: fine,
            },
        }

    def _steps(
        self,
        label: str,
        job: Any,
        workflow: Any,
        context: Mapping[str, Any],
        permissions: Mapping[str, str],
    ) -> Job:
        place = self.folder / f"job-{next(self._numbers)}"
        workspace, temporary, bin_folder = (place / n for n in ("workspace", "temp", "image"))
        for folder in (workspace, temporary, bin_folder):
            folder.mkdir(parents=True)
        python = _PYTHON.format(python=sys.executable, steady=self.steady)
        for name, script in ({"python3": python} | dict(self.commands)).items():
            (bin_folder / name).write_text(script)
            (bin_folder / name).chmod(0o755)
        (temporary / "event.json").write_text(json.dumps(self.payload))
        summary = place / "summary"
        summary.touch()
        github = context["github"]
        variables = {
            **os.environ,
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": "http://127.0.0.1:9",
            "GITHUB_EVENT_NAME": self.event,
            "GITHUB_EVENT_PATH": str(temporary / "event.json"),
            "GITHUB_REF": github["ref"],
            "GITHUB_REPOSITORY": github["repository"],
            "GITHUB_SHA": github["sha"],
            "GITHUB_STEP_SUMMARY": str(summary),
            "GITHUB_WORKSPACE": str(workspace),
            "RUNNER_TEMP": str(temporary),
            "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
            **self.environment,
        }
        context = {**context, "runner": {"os": "Linux", "temp": str(temporary)}}
        context["functions"] = {**context["functions"], "hashFiles": hash_files(workspace)}
        scope = _Scope(
            machine=self,
            workspace=workspace,
            variables={
                **variables,
                **_texts(workflow.get("env", {}), context),
                **_texts(job.get("env", {}), context),
            },
            context=context,
            shell=workflow.get("defaults", {}).get("run", {}).get("shell", ""),
        )
        steps = scope.run(job["steps"])
        outputs = {n: shown(scope.value(v)) for n, v in job.get("outputs", {}).items()}
        return Job(
            name=label,
            outcome="failure" if scope.failed else "success",
            steps=steps,
            outputs=outputs,
            permissions=permissions,
            summary=summary.read_text(),
            workspace=workspace,
        )

    def _git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(self.repository), *arguments],
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()


@dataclass(kw_only=True)
class _Scope:
    """Steps that see each other's outputs: those of a job, or of a composite action."""

    machine: Machine
    workspace: Path
    variables: dict[str, str]
    context: dict[str, Any]
    shell: str = ""
    failed: bool = False

    def __post_init__(self) -> None:
        self.context["steps"] = {}

    def value(self, text: Any) -> Any:
        return substituted_deep(text, self.context)

    def run(self, steps: Sequence[Any]) -> list[Step]:
        """Run steps one after the other, those after a failure only where they ask for it."""
        ran = []
        for step in steps:
            name = shown(self.value(step.get("name", step.get("uses", "run"))))
            self.context["functions"] = {
                **self.context["functions"],
                "failure": lambda: self.failed,
                "success": lambda: not self.failed,
            }
            if not truth(_condition(step.get("if"), self.context, fine=not self.failed)):
                ran.append(Step(name=name, outcome="skipped"))
                continue
            self.context["env"] = {**self.variables, **_texts(step.get("env", {}), self.context)}
            done = self._used(name, step) if "uses" in step else self._shell(name, step)
            self.failed = self.failed or done.outcome == "failure"
            if "id" in step:
                known = {"outputs": done.outputs, "outcome": done.outcome}
                self.context["steps"][step["id"]] = known
            ran.append(done)
        return ran

    def _shell(self, name: str, step: Any) -> Step:
        script = self.workspace.parent / "script.sh"
        script.write_text(shown(self.value(step["run"])))
        command = [*SHELLS[step.get("shell", self.shell)], str(script)]
        place = self.workspace / shown(self.value(step.get("working-directory", ".")))
        return self._process(name, command, _texts(step.get("env", {}), self.context), place)

    def _process(
        self, name: str, command: Sequence[str], more: Mapping[str, str], place: Path
    ) -> Step:
        files = {n: self.workspace.parent / n.lower() for n in _COMMAND_FILES}
        for file in files.values():
            file.write_text("")
        variables = self.variables | dict(more) | {n: str(file) for n, file in files.items()}
        done = subprocess.run(
            command,
            cwd=place,
            env=variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=self.machine.patience,
        )
        added = files["GITHUB_PATH"].read_text().splitlines()
        self.variables["PATH"] = os.pathsep.join([*reversed(added), self.variables["PATH"]])
        self.variables |= _read_file(files["GITHUB_ENV"])
        return Step(
            name=name,
            outcome="failure" if done.returncode else "success",
            output=done.stdout,
            outputs=_read_file(files["GITHUB_OUTPUT"]),
        )

    def _used(self, name: str, step: Any) -> Step:
        action = step["uses"].partition("@")[0]
        given = {n: shown(self.value(value)) for n, value in step.get("with", {}).items()}
        self.machine.used.append((action, given))
        if action.startswith(OURS):
            return self._own(name, ROOT / action.removeprefix(OURS).strip("/"), given)
        try:
            machine = self.machine
            commit = machine._git("rev-parse", given.get("ref") or machine.commit)
            place = Place(self.workspace, machine.repository, commit, machine.artifacts)
            STAND_INS[action](place, given)
            return Step(name=name, outcome="success")
        except MissingError as error:
            return Step(name=name, outcome="failure", output=str(error))

    def _own(self, name: str, folder: Path, given: Mapping[str, str]) -> Step:
        """Run an action of this repository: its steps, or what its container would run."""
        action = yaml.safe_load((folder / "action.yml").read_text(encoding="utf-8"))
        assert set(given) <= set(action["inputs"]), f"{folder.name} has no such input: {given}"
        required = {n for n, declared in action["inputs"].items() if declared["required"]}
        assert required <= set(given), f"{folder.name} requires {required - set(given)}"
        inputs = {
            n: given.get(n, shown(self.value(declared.get("default", ""))))
            for n, declared in action["inputs"].items()
        }
        if action["runs"]["using"] == "docker":
            command = [sys.executable, "-IB", "-X", "utf8", "-m", "steady.action"]
            more = {f"INPUT_{n.upper()}": value for n, value in inputs.items()}
            return self._process(name, command, more, self.workspace)
        own = {"GITHUB_ACTION_PATH": str(folder)}
        own |= {f"INPUT_{n.upper()}": value for n, value in inputs.items()}  # act does so
        inner = replace(
            self,
            variables={**self.variables, **own},
            context={**self.context, "inputs": inputs},
            failed=False,
        )
        steps = inner.run(action["runs"]["steps"])
        outer_path = self.variables["PATH"]
        self.variables |= {n: v for n, v in inner.variables.items() if n not in own}
        assert self.variables["PATH"].endswith(outer_path)
        outputs = {n: shown(inner.value(o["value"])) for n, o in action.get("outputs", {}).items()}
        return Step(
            name=name,
            outcome="failure" if inner.failed else "success",
            output="\n".join(f"# {s.name}: {s.outcome}\n{s.output}" for s in steps),
            outputs=outputs,
        )


_COMMAND_FILES = ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH")
_KINDS: Mapping[str, tuple[type, Any]] = {
    "string": (str, ""),
    "boolean": (bool, False),
    "number": (int, 0),
}
"""What an input of a reusable workflow may be, and what it is where nothing was given."""


def substituted_deep(value: Any, context: Mapping[str, Any]) -> Any:
    """Replace expressions in whatever YAML holds."""
    if isinstance(value, str):
        return substituted(value, context)
    if isinstance(value, Mapping):
        return {name: substituted_deep(each, context) for name, each in value.items()}
    if isinstance(value, list):
        return [substituted_deep(each, context) for each in value]
    return value


def _condition(text: Any, context: Mapping[str, Any], *, fine: bool) -> Any:
    """Return the value of an ``if``; where it asks for no status, ``success()`` is meant too."""
    if text is None:
        return fine
    expression = shown(text).strip().removeprefix("${{").removesuffix("}}")
    asks = any(f"{name}()" in expression for name in ("always", "failure", "cancelled", "success"))
    return (fine or asks) and evaluated(expression, context)


def _cells(matrix: Any) -> list[dict[str, Any]]:
    """Return a matrix's combinations; one empty one where there is no matrix."""
    more = matrix.get("include", [])
    axes = {name: values for name, values in matrix.items() if name != "include"}
    if more and not axes:
        return list(more)
    assert not more, "a matrix with axes and further cells is not needed here"
    return [dict(zip(axes, chosen, strict=True)) for chosen in itertools.product(*axes.values())]


def _needs(job: Any) -> Sequence[str]:
    needs = job.get("needs", [])
    return [needs] if isinstance(needs, str) else list(needs)


def _texts(values: Mapping[str, Any], context: Mapping[str, Any]) -> dict[str, str]:
    return {name: shown(substituted_deep(value, context)) for name, value in values.items()}


def _read_file(path: Path) -> dict[str, str]:
    """Read a command file, with ``name=value`` and ``name<<delimiter`` as the runner does."""
    outputs: dict[str, str] = {}
    lines = path.read_text(encoding="utf-8").split("\n")
    while lines and lines[0]:
        line = lines[0]
        if "<<" in line and "=" not in line.partition("<<")[0]:
            end = lines.index(line.partition("<<")[2], 1)
            outputs |= read_outputs("\n".join(lines[: end + 1]) + "\n")
            del lines[: end + 1]
            continue
        name, sign, value = line.partition("=")
        assert sign, f"not a line of a command file: {line!r}"
        outputs[name] = value
        del lines[0]
    return outputs
