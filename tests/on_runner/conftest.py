"""A server for all tests of this room, and a project with a runner for each."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from act_runner import Runner, install, publish, reuse
from emulate_server import Server, emulate
from projects import Project
from scene import Scene


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with emulate(tmp_path_factory.mktemp("emulate")) as server:
        yield server


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return publish(tmp_path_factory.mktemp("published"))


@pytest.fixture(scope="session")
def image(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return what stands in for the container of the Action."""
    return install(published, tmp_path_factory.mktemp("image"))


@pytest.fixture
def scene(server: Server, published: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Scene:
    hosted = server.repository(re.sub(r"\W+", "-", request.node.name)[:60])
    project = Project(tmp_path / "project")
    runner = Runner(
        folder=tmp_path / "runs",
        project=project.folder,
        repository=hosted.name,
        published=published,
        api=server.front.url,
    )
    return Scene(project, hosted, runner, {})


@pytest.fixture(scope="session")
def installed(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return what is published, with the environment of the Action for `steady run` too."""
    return reuse(published, tmp_path_factory.mktemp("installed"))


@pytest.fixture
def with_image(scene: Scene, image: Path, installed: Path) -> Scene:
    """Return a scene whose workflows run the Action itself too."""
    scene.runner.image = image
    scene.runner.published = installed
    return scene
