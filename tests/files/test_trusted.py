"""Who is trusted: the folder the user meant, and no other that comes to stand in its place."""

from __future__ import annotations

import json
import os
import shutil
import stat
import threading
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import git

from dmm.errors import NotTrusted, StorageError
from dmm.files.trusted import TrustStore

if TYPE_CHECKING:
    from pathlib import Path

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
not_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is read-only for root"
)


@pytest.fixture
def store(tmp_path: Path) -> TrustStore:
    return TrustStore(tmp_path / "state" / "trust.json")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "work" / ".dmm"
    made.mkdir(parents=True)
    return made


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    made = tmp_path / "repository"
    made.mkdir()
    git(made, "init", "-q", "-b", "trunk")
    git(made, "commit", "-q", "--allow-empty", "-m", "first")
    (made / ".dmm").mkdir()
    return made


def test_nothing_is_trusted_until_the_user_says_so(store: TrustStore, folder: Path) -> None:
    assert not store.is_trusted(folder)
    assert (store.list(), store.fault()) == ((), None)
    with pytest.raises(NotTrusted, match="not trusted here") as refused:
        store.require(folder)
    assert refused.value.hint == f"review it and decide: dmm trust --root {folder.parent}"


def test_a_trusted_folder_stays_trusted_while_its_content_changes(
    store: TrustStore, folder: Path
) -> None:
    store.trust(folder)
    (folder / "memory").mkdir()
    (folder / "memory" / "a.md").write_text("a")
    store.require(folder)
    assert TrustStore(store.path).is_trusted(folder)


def test_the_file_is_the_users_alone(store: TrustStore, folder: Path) -> None:
    store.trust(folder)
    store.trust(folder)
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(store.path.parent.stat().st_mode) == 0o700
    assert len(store.list()) == 1
    assert sorted(path.name for path in store.path.parent.iterdir()) == ["trust.json", "trust.lock"]


def test_another_folder_at_the_same_path_is_not_trusted(store: TrustStore, folder: Path) -> None:
    store.trust(folder)
    for _ in range(20):  # the system likes to give the number of the old folder to the new one
        folder.rmdir()
        folder.mkdir()
        assert not store.is_trusted(folder)
    assert [store.is_there(one) for one in store.list()] == [False]
    store.trust(folder)
    assert [store.is_there(one) for one in store.list()] == [True]


def test_a_folder_that_was_moved_is_not_trusted(store: TrustStore, folder: Path) -> None:
    store.trust(folder)
    moved = folder.parent.rename(folder.parent.with_name("moved")) / ".dmm"
    assert not store.is_trusted(moved)


def test_a_path_through_a_link_is_the_folder_it_leads_to(
    store: TrustStore, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "alias").symlink_to(folder.parent)
    store.trust(tmp_path / "alias" / ".dmm")
    assert store.is_trusted(folder)
    assert store.list()[0].folder.path == str(folder)


def test_trust_can_be_taken_back_also_of_a_folder_that_is_gone(
    store: TrustStore, folder: Path
) -> None:
    assert not store.revoke(folder)
    store.trust(folder)
    assert store.revoke(folder)
    assert not store.is_trusted(folder)
    store.trust(folder)
    folder.rmdir()
    assert store.revoke(folder)
    assert store.list() == ()


def test_what_is_not_a_folder_can_not_be_trusted(store: TrustStore, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for name in ("gone", "file"):
        with pytest.raises(StorageError, match="there is no such folder"):
            store.trust(tmp_path / name)


@needs_git
def test_worktrees_of_a_trusted_repository_are_trusted_at_the_same_place(
    store: TrustStore, repository: Path, tmp_path: Path
) -> None:
    store.trust(repository / ".dmm")
    git(repository, "worktree", "add", "-q", "-b", "one", str(tmp_path / "one"))
    (tmp_path / "one" / "vendor" / ".dmm").mkdir(parents=True)
    (tmp_path / "one" / ".dmm").mkdir()
    assert store.is_trusted(tmp_path / "one" / ".dmm")
    assert not store.is_trusted(tmp_path / "one" / "vendor" / ".dmm")
    assert store.revoke(tmp_path / "one" / ".dmm")
    assert not store.is_trusted(repository / ".dmm")


@needs_git
def test_a_branch_without_the_folder_does_not_cost_the_trust(
    store: TrustStore, repository: Path
) -> None:
    store.trust(repository / ".dmm")
    (repository / ".dmm").rmdir()
    assert not store.is_trusted(repository / ".dmm")
    (repository / ".dmm").mkdir()
    assert store.is_trusted(repository / ".dmm")


@needs_git
def test_a_clone_is_not_trusted_even_at_the_same_path(
    store: TrustStore, repository: Path, tmp_path: Path
) -> None:
    store.trust(repository / ".dmm")
    git(tmp_path, "clone", "-q", str(repository), str(tmp_path / "clone"))
    (tmp_path / "clone" / ".dmm").mkdir()
    assert not store.is_trusted(tmp_path / "clone" / ".dmm")
    shutil.rmtree(repository)
    (tmp_path / "clone").rename(repository)
    assert not store.is_trusted(repository / ".dmm")


@needs_git
@pytest.mark.parametrize("forged", ["file", "link", "worktree", "folder", "common"])
def test_a_git_entry_that_names_a_trusted_repository_makes_nothing_trusted(
    store: TrustStore, repository: Path, tmp_path: Path, forged: str
) -> None:
    store.trust(repository / ".dmm")
    git(repository, "worktree", "add", "-q", "-b", "one", str(tmp_path / "one"))
    evil = tmp_path / "evil"
    (evil / ".dmm").mkdir(parents=True)
    entry = evil / ".git"
    if forged == "file":
        entry.write_text(f"gitdir: {repository}/.git\n")
    elif forged == "link":
        entry.symlink_to(repository / ".git")
    elif forged == "worktree":
        entry.write_text(f"gitdir: {repository}/.git/worktrees/one\n")
    elif forged == "folder":
        entry.mkdir()
        (entry / "HEAD").write_text("ref: refs/heads/trunk\n")
        (entry / "commondir").write_text(f"{repository}/.git\n")
    else:
        own = evil / "own" / "worktrees" / "x"
        own.mkdir(parents=True)
        (own / "commondir").write_text(f"{repository}/.git\n")
        (own / "gitdir").write_text(f"{entry}\n")
        entry.write_text(f"gitdir: {own}\n")
    assert not store.is_trusted(evil / ".dmm")


@needs_git
def test_a_pipe_or_nonsense_in_the_git_folder_is_neither_waited_for_nor_believed(
    store: TrustStore, tmp_path: Path
) -> None:
    own = tmp_path / "own" / "worktrees" / "x"
    own.mkdir(parents=True)
    (own / "commondir").write_text("../..\n")
    (own / "gitdir").write_bytes(b"\0\xff")
    (tmp_path / "work" / ".dmm").mkdir(parents=True)
    (tmp_path / "work" / ".git").write_text(f"gitdir: {own}\n")
    store.trust(tmp_path / "work" / ".dmm")
    assert store.list()[0].shared is None
    (own / "commondir").unlink()
    os.mkfifo(own / "commondir")
    assert store.is_trusted(tmp_path / "work" / ".dmm")


@pytest.mark.parametrize(
    "text",
    [
        *("", "nonsense", "[]", "{}", '{"version": 2, "projects": []}', '{"version": 1}', "null"),
        *('{"version": 1, "projects": [1]}', '{"version": 1, "projects": [{}]}', "[" * 100_000),
        '{"version": 1, "projects": [{"folder": {"path": "", "mark": ""}, "shared": null}]}',
        '{"version": 1, "projects": [{"folder": {"path": 1, "mark": 2}, "shared": null}]}',
    ],
)
def test_a_damaged_file_trusts_nothing_says_so_and_is_not_overwritten(
    store: TrustStore, folder: Path, text: str
) -> None:
    store.trust(folder)
    store.path.write_text(text)
    assert not store.is_trusted(folder)
    assert store.fault() == f"{store.path}: the record of trusted projects is damaged"
    with pytest.raises(StorageError, match="damaged") as refused:
        store.trust(folder)
    assert str(refused.value.hint).endswith("in each of your projects: dmm trust --with-ledger")
    with pytest.raises(NotTrusted, match="damaged"):
        store.require(folder)
    assert store.path.read_text() == text


@given(data=st.binary(max_size=200))
def test_no_bytes_in_the_file_make_it_trust_or_fall(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    base = tmp_path_factory.mktemp("any")
    store = TrustStore(base / "trust.json")
    store.path.write_bytes(data)
    store.path.chmod(0o600)
    assert not store.is_trusted(base)


def test_a_file_that_others_may_write_is_not_believed(store: TrustStore, folder: Path) -> None:
    store.trust(folder)
    store.path.chmod(0o660)
    assert not store.is_trusted(folder)
    assert (store.fault() or "").endswith("can't be read: other users can write to it")


def test_links_in_the_place_of_the_file_or_its_folder_are_not_followed(
    store: TrustStore, folder: Path, tmp_path: Path
) -> None:
    store.trust(folder)
    alias = tmp_path / "alias"
    alias.symlink_to(store.path.parent)
    assert not TrustStore(alias / "trust.json").is_trusted(folder)
    with pytest.raises(StorageError):
        TrustStore(alias / "trust.json").trust(folder)
    real = store.path.rename(tmp_path / "elsewhere.json")
    before = real.read_bytes()
    store.path.symlink_to(real)
    assert not store.is_trusted(folder)
    with pytest.raises(StorageError, match="can't be read"):
        store.trust(folder)
    assert real.read_bytes() == before


def test_a_state_folder_that_can_not_be_made_is_reported_with_its_path(
    folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "blocked").write_text("")
    store = TrustStore(tmp_path / "blocked" / "dmm" / "trust.json")
    assert not store.is_trusted(folder)
    with pytest.raises(StorageError, match=r"blocked/dmm: could not make the folder"):
        store.trust(folder)


@not_root
def test_a_state_folder_that_is_read_only_is_reported_with_its_path(
    store: TrustStore, folder: Path
) -> None:
    store.trust(folder)
    store.path.parent.chmod(0o500)
    try:
        with pytest.raises(StorageError, match="Permission denied"):
            store.revoke(folder)
        assert store.is_trusted(folder)
    finally:
        store.path.parent.chmod(0o700)


def test_writers_at_the_same_time_lose_nothing(store: TrustStore, tmp_path: Path) -> None:
    folders = [tmp_path / str(number) / ".dmm" for number in range(12)]
    for folder in folders:
        folder.mkdir(parents=True)
    threads = [threading.Thread(target=store.trust, args=(folder,)) for folder in folders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(store.is_trusted(folder) for folder in folders)
    assert len(json.loads(store.path.read_text())["projects"]) == 12


def test_the_store_of_the_user_lies_in_the_state_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DMM_STATE_DIR", str(tmp_path / "named"))
    assert TrustStore.of_user().path == tmp_path / "named" / "trust.json"
    monkeypatch.delenv("DMM_STATE_DIR")
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    assert TrustStore.of_user(tmp_path).path == tmp_path / ".local/state/dmm/trust.json"
