"""No path from a workflow or a pull request can escape the workspace."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from steady.action.workspace import Workspace
from steady.errors import InputError
from tests.looped import looped


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Return a workspace with some files, next to a folder with a secret."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key.json").write_text("secret")
    root = tmp_path / "workspace"
    (root / "results" / "deep").mkdir(parents=True)
    for name in ("b.json", "a.json", "deep/c.json", "[odd] name.json"):
        (root / "results" / name).write_text("[]")
    (root / "link.json").symlink_to(root / "results" / "a.json")
    (root / "out.json").symlink_to(tmp_path / "secret" / "key.json")
    (root / "outside").symlink_to(tmp_path / "secret")
    (root / "round").symlink_to(root / "round")
    return Workspace(root)


Ask = Callable[[Workspace, str, str], object]


def of_files(workspace: Workspace, pattern: str, name: str) -> list[Path]:
    """Return the files of one pattern."""
    return workspace.files((pattern,), name)


def names(paths: list[Path]) -> list[str]:
    """Return the files' names."""
    return [path.name for path in paths]


def test_patterns_are_expanded(workspace: Workspace) -> None:
    assert names(workspace.files(("results/*.json",), "base")) == [
        "[odd] name.json",
        "a.json",
        "b.json",
    ]
    assert names(of_files(workspace, "results/**/*.json", "base"))[-1] == "c.json"
    assert names(workspace.files(("results/b.json", "results/[ab].json"), "base")) == [
        "b.json",
        "a.json",
    ]
    assert names(workspace.files(("results/[odd] name.json",), "base")) == ["[odd] name.json"]
    assert names(workspace.files((f"{workspace.root}/results/a.json",), "base")) == ["a.json"]
    assert names(workspace.files(("link.json",), "base")) == ["a.json"]


OUT = "is outside the workspace"


@looped(
    ("ask", "path", "message"),
    [
        *(
            (of_files, path, message)
            for path, message in (
                ("absent.json", "matches no file in the workspace; paths are relative"),
                ("results/*.xml", "matches no file in the workspace; paths are relative"),
                ("results", "but a folder: write results/*.json"),
                ("results/", "but a folder: write results/*.json"),
                ("../secret/key.json", OUT),
                ("../*/key.json", OUT),
                ("out.json", OUT),
                ("out*.json", OUT),
                ("outside/*.json", OUT),
                ("/etc/hostname", OUT),
                ("/home/runner/work/a/a/r.json", "the only folder that the container can access"),
                ("round", "'round'"),
                ("x" * 5000, "matches no file"),
            )
        ),
        *(
            (Workspace.file, path, "")
            for path in ("absent", "results", "out.json", "../secret/key.json", "round")
        ),
        *((Workspace.folder, path, OUT) for path in ("..", "../workspace-2", "/tmp", "outside")),
        *(
            (Workspace.folder, path, "name a separate folder")
            for path in (".", "results/..", ".git/hooks")
        ),
        (Workspace.folder, "outside/report", OUT),
        (Workspace.folder, "results/a.json", "is a file"),
    ],
)
def test_invalid_paths_are_rejected(
    workspace: Workspace, ask: Ask, path: str, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        ask(workspace, path, "it")
    assert message in str(caught.value)
    assert str(caught.value).startswith("input `it`: ")


@pytest.mark.parametrize("link", ["plan.json", "overlay", "deep/overlay"])
def test_a_planted_link_in_the_folder_is_rejected(workspace: Workspace, link: str) -> None:
    planted = workspace.root / ".steady" / link
    planted.parent.mkdir(parents=True)
    planted.symlink_to(workspace.root.parent / "secret")
    with pytest.raises(InputError, match="is outside the workspace"):
        workspace.folder(".steady", "out")


def test_a_new_or_existing_folder_is_accepted(workspace: Workspace) -> None:
    assert workspace.folder("new/deep", "out") == workspace.root / "new" / "deep"
    assert workspace.folder("results", "out") == workspace.root / "results"
    assert not (workspace.root / "new").exists()


def test_paths_are_shown_relative_to_the_current_folder(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace.root)
    assert workspace.files(("results/a.json",), "base") == [Path("results/a.json")]
    assert workspace.folder(".steady", "out") == Path(".steady")
    assert workspace.relative(Path(".steady/plan.json")) == ".steady/plan.json"


def test_the_workspace_is_given_by_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Workspace.of({"GITHUB_WORKSPACE": str(tmp_path)}).root == tmp_path
    monkeypatch.chdir(tmp_path)
    assert Workspace.of({}).root == tmp_path


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_written_files_belong_to_the_workspaces_owner(workspace: Workspace) -> None:
    os.chown(workspace.root, 1001, 121)
    folder = workspace.root / "a" / "out"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "file").write_text("")
    (folder / "link").symlink_to(workspace.root.parent / "secret")
    workspace.hand_over(folder)
    for path in (folder.parent, folder, folder / "deep", folder / "deep" / "file"):
        assert (path.stat().st_uid, path.stat().st_gid) == (1001, 121)
    assert (workspace.root / "results").stat().st_uid == 0
    assert (workspace.root.parent / "secret").stat().st_uid == 0
