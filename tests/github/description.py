"""GitHub's OpenAPI description of its REST API, for the validation of requests and replies.

It is downloaded once from npm to pytest's cache, and not committed because of its size of tens of
megabytes. For each path that a test uses, a small document is cached, so that no test parses the
whole description.
"""

import copy
import json
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from openapi_core import Config, OpenAPI
from openapi_core.exceptions import OpenAPIError
from openapi_core.testing import MockRequest, MockResponse

PACKAGE = "@octokit/openapi"
VERSION = "23.0.2"
EDITIONS = ("api.github.com", "ghes-3.19")
"""Descriptions of GitHub and of Enterprise Server."""

CACHE = Path(__file__).parents[2] / ".pytest_cache" / "d" / f"github-openapi-{VERSION}"

_HOST = "https://github.test"


Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Exchange:
    """The parts of a request that the description covers.

    Parameters
    ----------
    method : str
        HTTP method in capitals.
    template : str
        Path template of the description: ``/repos/{owner}/{repo}/git/ref/{ref}``.
    path, query : tuple of pairs of str
        Values of the names in braces, which may contain slashes, and query parameters.
    body : bytes
        Body as sent.
    """

    method: str
    template: str
    path: Pairs
    query: Pairs
    body: bytes


@lru_cache(4096)
def complaints_about_request(exchange: Exchange, edition: str = EDITIONS[0]) -> tuple[str, ...]:
    """Return the violation of GitHub's description by a request, or an empty string."""
    place = _operation(edition, exchange.template, exchange.method)
    if place is None:
        return (f"GitHub describes no {exchange.method} {exchange.template}",)
    document, operation = place
    known = {parameter["name"] for parameter in _parameters(document, operation)}
    unknown = [name for name, _ in exchange.query if name not in known]
    complaints = [f"{_name(exchange)}: query {name!r} is unknown" for name in unknown]
    if exchange.body and "requestBody" not in operation:
        complaints.append(f"{_name(exchange)}: a body that nobody asked for")
    try:
        _checker(edition, exchange.template).validate_request(_request(exchange))
    except OpenAPIError as error:
        complaints.append(f"{_name(exchange)}: {_all_of(error)}")
    return tuple(complaints)


@lru_cache(4096)
def complaints_about_reply(
    exchange: Exchange, status: int, data: bytes, edition: str = EDITIONS[0]
) -> tuple[str, ...]:
    """Return the violation of GitHub's description by a reply, or an empty string.

    The description omits most failures; such a reply must be GitHub's basic error.
    """
    place = _operation(edition, exchange.template, exchange.method)
    if place is None or str(status) not in place[1]["responses"]:
        body = json.loads(data)
        if status >= 400 and isinstance(body, dict) and isinstance(body.get("message"), str):
            return ()
        return (f"{_name(exchange)}: {status} is not described, and no error either: {body!r}",)
    reply = MockResponse(data, status, content_type="application/json")
    try:
        _checker(edition, exchange.template).validate_response(_request(exchange), reply)
    except OpenAPIError as error:
        return (f"{_name(exchange)}: reply {status}: {_all_of(error)}",)
    return ()


def example(template: str, method: str, status: int) -> Any:
    """Return GitHub's own example of a reply, for fields that no test checks."""
    place = _operation(EDITIONS[0], template, method)
    assert place is not None, template
    document, operation = place
    examples = operation["responses"][str(status)]["content"]["application/json"]["examples"]
    first = next(iter(examples.values()))
    return copy.deepcopy((_resolve(document, first["$ref"]) if "$ref" in first else first)["value"])


def _name(exchange: Exchange) -> str:
    return f"{exchange.method} {exchange.template}"


def _all_of(error: Exception) -> str:
    """Return an error with its causes, which contain openapi-core's details."""
    problems: list[str] = []
    here: BaseException | None = error
    while here is not None:
        wrong = getattr(here, "schema_errors", None)
        if wrong is None:
            problems.append(str(here) or type(here).__name__)
        else:
            problems += [f"{e.json_path}: {e.message[:100]}…{e.message[-100:]}" for e in wrong]
        here = here.__cause__
    return "; ".join(problems)


def _request(exchange: Exchange) -> MockRequest:
    # The description's templates match no slashes, but refs and paths contain some.
    quoted = {name: quote(value, safe="") for name, value in exchange.path}
    return MockRequest(
        _HOST,
        exchange.method,
        exchange.template.format(**quoted),
        args=dict(exchange.query),
        view_args=dict(exchange.path),
        data=exchange.body or None,
    )


def _operation(edition: str, template: str, method: str) -> tuple[Any, Any] | None:
    document = _document(edition, template)
    operation = document["paths"].get(template, {}).get(method.lower())
    return None if operation is None else (document, operation)


def _parameters(document: Any, operation: Any) -> Iterator[Any]:
    for parameter in operation.get("parameters", ()):
        yield _resolve(document, parameter["$ref"]) if "$ref" in parameter else parameter


@cache
def _checker(edition: str, template: str) -> OpenAPI:
    config = Config(
        spec_validator_cls=None,  # type: ignore[arg-type]  # GitHub's own affair, and slow
        additional_properties_default_policy="forbid",
    )
    return OpenAPI.from_dict(_document(edition, template), config=config)


@cache
def _document(edition: str, template: str) -> Any:
    """Return the description of one path with its references only."""
    kept = _folder() / f"{edition}{template.replace('/', '+')}.json"
    if not kept.is_file():
        _write(kept, json.dumps(_prune(_whole(edition), template)).encode())
    return json.loads(kept.read_bytes())


def _prune(whole: Any, template: str) -> Any:
    item = whole["paths"].get(template)
    components: dict[str, dict[str, Any]] = {}
    waiting = _references(item)
    while waiting:
        kind, name = waiting.pop()
        if name not in components.setdefault(kind, {}):
            components[kind][name] = whole["components"][kind][name]
            waiting += _references(components[kind][name])
    return {
        "openapi": whole["openapi"],
        "info": whole["info"],
        "servers": [{"url": _HOST}],
        "paths": {} if item is None else {template: item},
        "components": components,
    }


def _references(node: Any) -> list[tuple[str, str]]:
    """Return kind and name of all components referenced by a part of the description."""
    return re.findall(r'"\$ref": "#/components/([^"/]+)/([^"]+)"', json.dumps(node))


def _resolve(document: Any, reference: str) -> Any:
    _, _, kind, name = reference.split("/")
    return document["components"][kind][name]


@cache
def _whole(edition: str) -> Any:
    return json.loads((_folder() / f"{edition}.json").read_bytes())


@cache
def _folder() -> Path:
    """Return the folder with the description, which is downloaded if missing."""
    if all((CACHE / f"{edition}.json").is_file() for edition in EDITIONS):
        return CACHE
    npm = shutil.which("npm")
    if npm is None:
        _absent("npm is not installed")
    with tempfile.TemporaryDirectory() as folder:
        command = [str(npm), "pack", "--silent", f"{PACKAGE}@{VERSION}"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode:
            _absent(f"npm cannot fetch {PACKAGE}: {done.stderr.strip()[-500:]}")
        [archive] = Path(folder).glob("*.tgz")
        with tarfile.open(archive) as tar:
            for edition in EDITIONS:
                member = tar.extractfile(f"package/generated/{edition}.json")
                assert member is not None
                _write(CACHE / f"{edition}.json", member.read())
    return CACHE


def _absent(why: str) -> None:
    """Skip, or fail if CI guarantees the tools; see `tests/conftest.py`."""
    if os.environ.get("STEADY_REQUIRE_TOOLS"):
        pytest.fail(f"{why}, and STEADY_REQUIRE_TOOLS is set")
    pytest.skip(f"{why}: without GitHub's description nothing is held against it")


def _write(path: Path, data: bytes) -> None:
    """Write the file atomically, because other test runs may be reading it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(data)
    Path(file.name).replace(path)
