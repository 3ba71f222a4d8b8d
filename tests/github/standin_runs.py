"""The stand-in's workflow runs and artifacts, and the other host that stores artifacts."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from description import example
from standin_git import GitRepository
from standin_state import REPOSITORY, Answer, Call, StandIn, paged, refusal, route, user

from steady.github.workflow_runs import Run

_RUN = "/repos/{owner}/{repo}/actions/runs/{run_id}"
_ARTIFACTS = f"{_RUN}/artifacts"
_PULLS = "/repos/{owner}/{repo}/pulls"
_ALL_ARTIFACTS = "/repos/{owner}/{repo}/actions/artifacts"

RUN = 3001
HEAD = "c" * 40
FORK = "stranger/benchmarks"
FORK_NUMBER = 2002
OURS_NUMBER = 1001
BRANCH = "faster/than&light"
MEASURE = ".github/workflows/steady-fork-measure.yml"
MEASURED = Run(RUN, MEASURE, "pull_request", "success", HEAD, BRANCH, "stranger", FORK_NUMBER)
"""The run added by `add_run`, as read by `steady.github`."""


@dataclass
class Runs:
    """Workflow runs, for setup.

    Attributes
    ----------
    runs, artifacts : list
        Runs and artifacts in GitHub's format.
    location : str
        Redirect target of downloads, without the artifact's number.
    """

    runs: list[dict[str, Any]] = field(default_factory=list)
    artifacts: list[dict[str, Any]] = field(default_factory=list)
    location: str = ""


def add_run(state: StandIn, **changes: Any) -> dict[str, Any]:
    """Add a finished run for a pull request from a fork."""
    run: dict[str, Any] = example(_RUN, "GET", 200)
    run |= {
        "id": RUN,
        "path": f"{MEASURE}@refs/pull/7/merge",
        "event": "pull_request",
        "status": "completed",
        "conclusion": "success",
        "head_branch": BRANCH,
        "head_sha": HEAD,
        "pull_requests": [],
        **changes,
    }
    run["repository"] |= {"id": OURS_NUMBER, "full_name": REPOSITORY, "owner": user("octo")}
    run["head_repository"] |= {"id": FORK_NUMBER, "full_name": FORK, "owner": user("stranger")}
    state.part(Runs).runs.append(run)
    return run


def add_artifact(state: StandIn, number: int = 11, **changes: Any) -> dict[str, Any]:
    """Add an artifact of the run."""
    artifact: dict[str, Any] = example(_ARTIFACTS, "GET", 200)["artifacts"][0]
    artifact |= {"id": number, "name": "steady-results", "size_in_bytes": 1000, **changes}
    del artifact["digest"]  # Enterprise Server has none yet
    artifact["workflow_run"] |= {"id": RUN, "head_sha": HEAD, "head_branch": BRANCH}
    state.part(Runs).artifacts.append(artifact)
    return artifact


def add_pull(state: StandIn, number: int = 7, **head: Any) -> dict[str, Any]:
    """Add an open pull request from the fork; `head` overrides fields."""
    [pull] = example(_PULLS, "GET", 200)
    repository = head.pop("repository", FORK_NUMBER)
    label = f"stranger:{head.get('ref', BRANCH)}"
    pull["head"] |= {"label": label, "ref": BRANCH, "sha": HEAD, **head}
    pull["head"]["repo"] |= {"id": repository, "full_name": FORK}
    pull["base"] |= {"label": "octo:main", "ref": "main"}
    pull["base"]["repo"] |= {"id": OURS_NUMBER, "full_name": REPOSITORY}
    pull |= {"number": number, "state": "open", "title": "\n::add-mask::x @everyone"}
    # GitHub's example violates its description.
    pull["requested_teams"] = []
    for side in ("head", "base"):
        for name in ("network_count", "subscribers_count", "template_repository"):
            del pull[side]["repo"][name]
    state.part(GitRepository).pulls.append(pull)
    state.pull_requests.add(number)
    return pull  # type: ignore[no-any-return]


@route("GET", _RUN)
def read_run(state: StandIn, call: Call) -> Answer:
    """Return a run."""
    matching = [r for r in state.part(Runs).runs if str(r["id"]) == call.path["run_id"]]
    return (200, matching[0], {}) if matching else refusal(404, "Not Found")


@route("GET", _ARTIFACTS)
def list_artifacts(state: StandIn, call: Call) -> Answer:
    """List the artifacts of a run."""
    rows = [
        artifact
        for artifact in state.part(Runs).artifacts
        if str(artifact["workflow_run"]["id"]) == call.path["run_id"]
        and call.query.get("name", artifact["name"]) == artifact["name"]
    ]
    return paged(state, call, rows, "artifacts")


@route("GET", f"{_ALL_ARTIFACTS}/{{artifact_id}}/{{archive_format}}")
def download(state: StandIn, call: Call) -> Answer:
    """Redirect to an artifact."""
    number = call.path["artifact_id"]
    [artifact] = [a for a in state.part(Runs).artifacts if str(a["id"]) == number]
    if artifact["expired"]:
        return refusal(410, "Artifact has expired")
    return 302, None, {"Location": f"{state.part(Runs).location}/{number}?sig=a%2Fb"}


@dataclass
class Storage:
    """The other host: its content, its failures, and received requests.

    Attributes
    ----------
    content : bytes
        Content of every artifact.
    headers : dict of str to str
        Response headers; may contradict the content.
    status : int
        Status of the next `times` answers; then 200.
    received : list of dict
        The headers of each request.
    """

    content: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    status: int = 200
    times: int = 0
    received: list[dict[str, str]] = field(default_factory=list)
    url: str = ""


@contextmanager
def storage() -> Iterator[Storage]:
    """Run the other host on a free port of this machine."""
    held = Storage()

    class Server(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            """Suppress logging."""

        def do_GET(self) -> None:
            held.received.append(dict(self.headers))
            status = held.status if held.times else 200
            held.times = max(held.times - 1, 0)
            self.send_response(status)
            # Announce that the connection will be closed; otherwise, the client would send its next
            # request on it, and retry.
            always = {"Content-Length": str(len(held.content)), "Connection": "close"}
            for name, value in (always | held.headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(held.content)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    held.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield held
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
