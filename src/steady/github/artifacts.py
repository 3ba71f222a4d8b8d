"""Find the artifacts of a workflow run by name, download and unpack them within size limits.

The workflow of a pull request, even from a fork, can upload artifacts under any name. So the run
that uploaded an artifact is checked through GitHub's API.

Artifacts are stored on other hosts than GitHub's API, and PyGithub does not follow redirects to
these. So `requests` downloads them, and sends the token to the API only.

Archives are untrusted, and so is their metadata. An archive with an unexpected entry name is
rejected; sizes are counted while reading; nothing is written to disk.
"""

import io
import json
import stat
import zipfile
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

import requests
from github import Github, GithubException

from steady.errors import InputError, SteadyError
from steady.files import ARCHIVE_DAMAGE
from steady.github.client import PAGE, TIMEOUT_SECONDS, get
from steady.github.context import commit, nested
from steady.github.workflow_runs import Run
from steady.harness.fields import quoted

_BLOCK = 2**16
_REDIRECTS = 3
_MOVED = (301, 302, 303, 307, 308)
_GONE = 410


@dataclass(frozen=True, slots=True)
class Artifact:
    """An artifact of a workflow run.

    Parameters
    ----------
    number, name : int, str
        GitHub's identifier, and the name given by the workflow.
    size : int
        Size in bytes, as reported by GitHub.
    expired : bool
        Whether GitHub has deleted it.
    """

    number: int
    name: str
    size: int
    expired: bool


class ExpiredError(SteadyError):
    """Raised for an artifact that GitHub has deleted."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"artifact {name!r} has expired: GitHub keeps artifacts for a limited time; run the "
            "measuring workflow again"
        )


def find_artifact(client: Github, repository: str, run: Run, name: str) -> Artifact | None:
    """Return the newest artifact named `name` of a run, or None if there is none.

    A run with several attempts may have several artifacts of the same name.

    Raises
    ------
    GithubException, OSError
        If GitHub rejects the request or does not respond.
    """
    path = f"/repos/{repository}/actions/runs/{run.number}/artifacts"
    return newest_of(get(client, path, name=name, per_page=PAGE), run, name)


def newest_of(data: object, run: Run, name: str) -> Artifact | None:
    """Choose among the artifacts that GitHub listed; see `find_artifact`.

    Raises
    ------
    SteadyError
        If the response is not a list, such as a proxy's error page. An empty list would mean that
        the run has no artifact.
    """
    rows = nested(data, "artifacts")
    if not isinstance(rows, list):
        raise SteadyError("GitHub's response contains no list of artifacts; run the job again")
    of_the_run = [
        Artifact(row["id"], name, row["size_in_bytes"], nested(row, "expired") is not False)
        for row in rows
        if nested(row, "name") == name
        and type(nested(row, "id")) is int
        and type(nested(row, "size_in_bytes")) is int
        and nested(row, "workflow_run", "id") == run.number
        and commit(nested(row, "workflow_run", "head_sha")) == run.head
    ]
    return max(of_the_run, key=lambda artifact: artifact.number, default=None)


def download(artifact: Artifact, repository: str, token: str, api_url: str, limit: int) -> bytes:
    """Download an artifact's archive.

    Parameters
    ----------
    artifact, repository
        Artifact to download, and its repository.
    token, api_url : str
        Token for and address of GitHub's API; the token is not sent to the redirect's target.
    limit : int
        Maximum download size in bytes.

    Raises
    ------
    ExpiredError
        If GitHub has deleted the artifact.
    InputError
        If the archive is larger than `limit`.
    SteadyError
        If there are too many redirects, or one leads from HTTPS to HTTP.
    GithubException, OSError
        If GitHub rejects the request or does not respond.
    """
    if artifact.expired:
        raise ExpiredError(artifact.name)
    if artifact.size > limit:
        raise _too_large(artifact, limit)
    url = f"{api_url}/repos/{repository}/actions/artifacts/{artifact.number}/zip"
    scheme, problem = urlsplit(url).scheme, "too often"
    secret = {"Authorization": f"Bearer {token}"}
    with requests.Session() as session:
        for _ in range(1 + _REDIRECTS):
            with _get(session, url, secret) as answer:
                if answer.status_code not in _MOVED:
                    _check(answer, artifact, of_api=bool(secret))
                    return _body(answer, artifact, limit)
                url = urljoin(url, answer.headers.get("Location", ""))
            if urlsplit(url).scheme not in ("https", scheme):
                problem = "to an address that is not https; nothing was downloaded"
                break
            secret = {}
    raise SteadyError(f"GitHub's API redirects artifact {artifact.name!r} {problem}")


def _get(session: requests.Session, url: str, secret: dict[str, str]) -> requests.Response:
    return session.get(
        url,
        auth=lambda request: request,  # ignore credentials in `.netrc`
        headers={"User-Agent": "steady-action", "Accept-Encoding": "identity", **secret},
        timeout=TIMEOUT_SECONDS,
        allow_redirects=False,
        stream=True,
    )


def _check(answer: requests.Response, artifact: Artifact, *, of_api: bool) -> None:
    status = answer.status_code
    if status == requests.codes.ok:
        return
    if status == _GONE:
        raise ExpiredError(artifact.name)
    if not of_api and status < requests.codes.server_error:
        raise SteadyError(
            f"the server to which GitHub's API redirects artifact {artifact.name!r} answered "
            f"{status}; run the job again"
        )
    start = next(answer.iter_content(_BLOCK), b"")
    headers = {name.lower(): value for name, value in answer.headers.items()}
    data = None
    with suppress(ValueError, RecursionError):
        data = json.loads(start)
    # The form in which PyGithub reports a response that is not JSON, such as a proxy's error page.
    raise GithubException(status, data or {"data": start.decode(errors="replace")}, headers)


def _body(answer: requests.Response, artifact: Artifact, limit: int) -> bytes:
    if answer.headers.get("Content-Encoding", "identity") != "identity":
        # requests would decompress it without a size limit.
        raise SteadyError(f"artifact {artifact.name!r} has an encoding that was not requested")
    content = bytearray()
    for block in answer.iter_content(_BLOCK):
        content += block
        if len(content) > limit:
            raise _too_large(artifact, limit)
    return bytes(content)


def _too_large(artifact: Artifact, limit: int) -> InputError:
    return InputError(
        f"is larger than {_mib(limit)}, the limit for downloads",
        source=f"artifact {artifact.name!r}",
    )


_ENTRY = b"PK\x01\x02"
_ENCRYPTED = 0x1 | 0x40 | 0x2000
"""Flags of an encrypted entry: traditional encryption, strong encryption, masked headers."""
_FREE_BYTES = 2**20
"""Number of bytes that is allowed at any compression ratio."""
_KNOWN_COMPRESSION = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@dataclass(frozen=True, slots=True)
class Limits:
    """Size limits for reading an archive.

    Parameters
    ----------
    archive : int
        Maximum size of the archive itself, in bytes.
    entry, total : int
        Maximum unpacked size of one entry, and of all entries, in bytes.
    ratio : int
        Maximum compression ratio; deflate reaches about 1,000.
    """

    archive: int = 16 * 2**20
    entry: int = 32 * 2**20
    total: int = 64 * 2**20
    ratio: int = 200


LIMITS = Limits()


def read_entries(
    data: bytes, names: Collection[str], source: str, limits: Limits = LIMITS
) -> dict[str, bytes]:
    """Unpack an archive whose entries must be among `names`.

    Parameters
    ----------
    data : bytes
        Content of the archive.
    names : collection of str
        Allowed entry names, in lower case and without folders.
    source : str
        Name of the archive in error messages.
    limits : Limits
        Size limits.

    Returns
    -------
    dict of str to bytes
        Content of each entry by name, in the order of `names`.

    Raises
    ------
    InputError
        If the archive is damaged, too large, or contains an unexpected entry.
    """
    if len(data) > limits.archive:
        raise InputError(f"is larger than {_mib(limits.archive)}", source=source)
    # Each entry of the central directory begins with this signature. Counting signatures is cheap;
    # parsing a directory of a million entries is not. In compressed data the signature occurs by
    # chance about once in 4 GiB.
    if data.count(_ENTRY) > len(names) + 4:
        problem = f"contains more than the {len(names)} files allowed"
        raise InputError(problem, source=source)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            _check_entries(entries, names, source)
            contents = _unpacked(archive, entries, source, limits, len(data))
    except InputError:
        raise
    except (*ARCHIVE_DAMAGE, OSError):
        # The message of zipfile may quote the untrusted archive.
        raise InputError("is not a zip archive, or is damaged", source=source) from None
    return {name: contents[name] for name in names if name in contents}


def _check_entries(entries: list[zipfile.ZipInfo], names: Collection[str], source: str) -> None:
    seen: set[str] = set()
    for entry in entries:
        # zipfile truncates `filename` at a NUL byte; `orig_filename` is the stored name.
        name = entry.orig_filename
        problem = _kind_problem(entry)
        if name not in names:
            problem = f"is unexpected; only {', '.join(names)} may be in the archive"
        if name in seen:
            problem = "is in the archive twice"
        if problem:
            raise InputError(f"{quoted(name)} {problem}", source=source)
        seen.add(name)


def _kind_problem(entry: zipfile.ZipInfo) -> str:
    """Return the problem with the type of an entry, or an empty string if there is none."""
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        return "is a link" if kind == stat.S_IFLNK else "is not a plain file"
    if entry.flag_bits & _ENCRYPTED:
        return "is encrypted"
    if entry.compress_type not in _KNOWN_COMPRESSION:
        return "has an unsupported compression"
    return ""


def _unpacked(
    archive: zipfile.ZipFile, entries: list[zipfile.ZipInfo], source: str, limits: Limits, size: int
) -> dict[str, bytes]:
    contents: dict[str, bytes] = {}
    room = min(limits.total, max(_FREE_BYTES, limits.ratio * size))
    for entry in entries:
        limit = min(limits.entry, room)
        with archive.open(entry) as stream:
            content = stream.read(limit + 1)
        if len(content) > limit:
            most = f"at most {_mib(limits.entry)} per file, {_mib(limits.total)} in total"
            what = f"{quoted(entry.orig_filename)} is too large when unpacked"
            raise InputError(f"{what}: {most}, and {limits.ratio} times the archive", source=source)
        room -= len(content)
        contents[entry.orig_filename] = content
    return contents


def _mib(size: int) -> str:
    return f"{size / 2**20:g} MiB"
