"""How the parts are put together."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from dmm.bootstrap import here, open_dmm, today
from dmm.domain.memory import Origin
from dmm.errors import ConfigError, RootNotFound

if TYPE_CHECKING:
    from tests.conftest import MemoryText, Opener, Project

    from dmm.embed.model import Embedder


def never() -> NoReturn:
    raise AssertionError("nothing asked for the model")


def test_the_day_is_the_same_everywhere() -> None:
    before = dt.datetime.now(dt.UTC).date()
    assert before <= today() <= dt.datetime.now(dt.UTC).date()


def test_every_part_is_there_and_made_once(project: Project, open_project: Opener) -> None:
    dmm = open_project(project, never)
    for part in ("packs", "memories", "importer", "validation", "overview"):
        assert getattr(dmm, part) is getattr(dmm, part)
    assert dmm.root.folder == project.dmm.resolve()


def test_opening_reads_no_model_and_no_index(project: Project, open_project: Opener) -> None:
    dmm = open_project(project, never)
    assert [shelf.store for shelf in dmm.indexes.shelves] == [None]
    assert not (project.dmm / "index").exists()


def test_the_settings_decide(project: Project, open_project: Opener) -> None:
    text = '{"indexer": {"batch_size": 7}, "storage": {"embeddings_db": "index/mine.db"}}'
    (project.dmm / "daemon.config.json").write_text(text)
    dmm = open_project(project, never)
    assert dmm.indexes.batch_size == 7
    assert dmm.indexes.shelves[0].path == project.dmm.resolve() / "index" / "mine.db"


def test_settings_cannot_lead_out_of_the_folder(project: Project, open_project: Opener) -> None:
    (project.dmm / "daemon.config.json").write_text('{"storage": {"embeddings_db": "../x.db"}}')
    with pytest.raises(ConfigError, match=r"storage\.embeddings_db"):
        open_project(project, never)


def test_the_variable_names_the_project_unless_the_caller_does(
    project: Project, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DMM_ROOT", str(project.folder))
    assert open_dmm(start=tmp_path, home=home).root.folder == project.dmm.resolve()
    with pytest.raises(RootNotFound):
        open_dmm(override=tmp_path, home=home)


def test_a_home_without_memories_adds_no_shelf(
    project: Project, open_project: Opener, home: Path
) -> None:
    assert len(open_project(project).indexes.shelves) == 1
    (home / ".dmm").mkdir()
    assert len(open_project(project).indexes.shelves) == 1
    (home / ".dmm" / "memory").write_text("a file")
    assert len(open_project(project).indexes.shelves) == 1


def test_the_users_shelf_holds_global_and_agent_memories_only(
    project: Project, open_project: Opener, home: Path, memory_text: MemoryText
) -> None:
    for scope in ("global", "agent", "project", "baseline", "ephemeral", "deprecated"):
        file = home / ".dmm" / "memory" / scope / "note.md"
        file.parent.mkdir(parents=True)
        file.write_text(memory_text(scope=scope))
    shelf = open_project(project).indexes.shelves[1]
    assert shelf.origin is Origin.USER
    assert [stamp.path for stamp in shelf.tree.scan().stamps] == [
        "agent/note.md",
        "global/note.md",
    ]
    assert shelf.path == (home / ".dmm" / "index" / "embeddings.db").resolve()


def test_the_home_itself_can_be_the_project_and_does_not_overlay_itself(
    home: Path, model: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DMM_ROOT", raising=False)
    (home / ".dmm" / "memory").mkdir(parents=True)
    dmm = open_dmm(start=home, home=home, load_model=lambda: model)
    assert [shelf.origin for shelf in dmm.indexes.shelves] == [Origin.PROJECT]


def test_a_working_directory_that_is_gone_is_no_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert here() == Path.cwd()
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(RootNotFound, match="the working directory no longer exists"):
        here()


def test_a_user_whom_the_system_does_not_know_has_no_overlay(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(_number: int) -> NoReturn:
        raise KeyError

    monkeypatch.delenv("HOME")
    monkeypatch.delenv("DMM_ROOT", raising=False)
    monkeypatch.setattr("pwd.getpwuid", unknown)
    assert len(open_dmm(start=project.folder).indexes.shelves) == 1
