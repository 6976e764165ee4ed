"""The .dmm folder is found from anywhere inside the project."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.conftest import git

from dmm.errors import RootNotFound, StorageError
from dmm.files.roots import Root, find_root

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Project


def test_the_nearest_folder_upwards_is_taken(
    new_project: Callable[[str], Project], tmp_path: Path
) -> None:
    outer = new_project("work")
    inner = new_project("work/inner")
    deep = inner.folder / "src" / "deep"
    deep.mkdir(parents=True)
    home = tmp_path / "home"
    assert find_root(deep, None, home) == Root(inner.dmm)
    assert find_root(outer.folder, None, home) == Root(outer.dmm)


def test_a_folder_without_memory_is_passed_over(project: Project, tmp_path: Path) -> None:
    inner = project.folder / "inner"
    (inner / ".dmm").mkdir(parents=True)
    assert find_root(inner, None, tmp_path / "home") == Root(project.dmm)


def test_the_places_of_a_project(project: Project) -> None:
    root = find_root(project.folder, None, project.folder.parent)
    assert root.project == project.folder
    assert root.tree.root == project.memory
    assert root.packs == project.dmm / "packs"
    assert root.manifest == project.dmm / "index" / "manifest.json"


def test_the_users_own_folder_is_no_project_unless_one_stands_in_it(
    new_project: Callable[[str], Project],
) -> None:
    home = new_project("home")
    inside = home.folder / "code"
    inside.mkdir()
    with pytest.raises(RootNotFound) as raised:
        find_root(inside, None, home.folder)
    assert str(raised.value) == f"{inside}: no .dmm folder here or above"
    assert raised.value.hint == "create one in your project's folder with: dmm init"
    assert find_root(home.folder, None, home.folder) == Root(home.dmm)
    assert find_root(inside, home.folder, home.folder) == Root(home.dmm)


def test_a_branch_without_memory_in_a_repository_that_has_one_is_told_how_to_get_it(
    tmp_path: Path,
) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / ".git" / "dmm").mkdir()
    with pytest.raises(RootNotFound) as raised:
        find_root(tmp_path, None, tmp_path / "home")
    assert "memory and rules applies here" in raised.value.what
    assert raised.value.hint == (
        "if another branch has it: git checkout BRANCH -- .dmm; if none has: dmm init"
    )


def test_an_override_names_the_folder_or_its_parent(project: Project, tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert find_root(tmp_path, project.folder, home) == Root(project.dmm)
    assert find_root(tmp_path, project.dmm, home) == Root(project.dmm)


def test_an_override_without_memory_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(RootNotFound) as raised:
        find_root(tmp_path, tmp_path / "none", tmp_path)
    assert str(raised.value) == f"{tmp_path}/none/.dmm: there is no memory here"
    assert raised.value.hint == f"create one with: dmm init --root {tmp_path}/none"


def test_the_folder_of_packs_is_made_but_never_behind_a_link(
    project: Project, tmp_path: Path
) -> None:
    root = Root(project.dmm)
    assert root.make_packs() == project.dmm / "packs"
    assert root.make_packs().is_dir()
    root.packs.rmdir()
    root.packs.symlink_to(tmp_path)
    with pytest.raises(StorageError) as raised:
        root.make_packs()
    assert str(raised.value) == f"{root.packs}: the path contains a symbolic link"


def test_a_link_to_the_memory_of_another_project_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "mine" / ".dmm" / "memory").mkdir(parents=True)
    (tmp_path / "evil").mkdir()
    (tmp_path / "evil" / ".dmm").symlink_to(tmp_path / "mine" / ".dmm")
    with pytest.raises(RootNotFound) as raised:
        find_root(tmp_path / "evil", None, tmp_path / "home")
    assert raised.value.hint is not None
    assert "is a symbolic link, which is not followed" in raised.value.hint
    named = find_root(tmp_path, tmp_path / "evil" / ".dmm", tmp_path / "home")
    assert named.folder == tmp_path / "mine" / ".dmm"
    (tmp_path / ".dmm" / "memory").mkdir(parents=True)
    assert find_root(tmp_path / "evil", None, tmp_path / "home").folder == tmp_path / ".dmm"
