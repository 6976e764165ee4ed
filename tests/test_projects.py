"""Projects held open answer from many threads, follow their settings, and let go when idle."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from dmm.domain.event import Trust
from dmm.domain.pack import QueryRequest
from dmm.errors import ConfigError, NotTrusted, RootNotFound
from dmm.projects import Projects, SharedModel
from dmm.service.chronicle import Voice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.conftest import Project

    from dmm.embed.model import Embedder

QUESTION = QueryRequest("store the passwords of customers")


@pytest.fixture
def projects(home: Path, model: Embedder) -> Iterator[Projects]:
    found = Projects(home=home, model=SharedModel(lambda: model))
    yield found
    found.close()


@pytest.fixture
def trusted(shop: Project, home: Path) -> Project:
    shop.trust(home)
    return shop


def test_a_project_is_opened_once_from_wherever_one_stands(
    projects: Projects, trusted: Project
) -> None:
    (trusted.folder / "src").mkdir()
    found = projects.find(trusted.folder)
    assert projects.find(trusted.folder / "src") is found
    assert projects.find(trusted.dmm) is found
    assert projects.each() == [found]
    assert found.root == trusted.dmm


def test_what_is_not_trusted_is_refused_but_can_be_looked_at(
    projects: Projects, shop: Project, home: Path
) -> None:
    with pytest.raises(NotTrusted) as told:
        projects.find(shop.folder)
    assert told.value.where == str(shop.dmm)
    assert "dmm trust" in str(told.value.hint)
    assert projects.look_up(shop.folder).query(QUESTION).pack.retrieved_entries
    shop.trust(home)
    assert projects.find(shop.folder).trusted


def test_where_there_is_no_memory_that_is_said(projects: Projects, tmp_path: Path) -> None:
    with pytest.raises(RootNotFound):
        projects.find(tmp_path)


def test_new_settings_open_it_again_and_wrong_ones_are_told(
    projects: Projects, trusted: Project
) -> None:
    first = projects.find(trusted.folder)
    settings = trusted.dmm / "daemon.config.json"
    settings.write_text('{"retrieval": {"default_budget": 300}}')
    second = projects.find(trusted.folder)
    assert second is not first
    assert second.dmm.config.retrieval.default_budget == 300
    settings.write_text('{"retrieval": {"default_budget": "many"}}')
    with pytest.raises(ConfigError):
        projects.find(trusted.folder)
    settings.unlink()
    assert projects.find(trusted.folder).query(QUESTION).pack.retrieved_entries


def test_many_ask_speak_and_index_at_once(
    projects: Projects, trusted: Project, memory_text: Callable[..., str]
) -> None:
    project = projects.find(trusted.folder)

    def work(number: int) -> int:
        if number % 3 == 0:
            text = memory_text(f"Note {number}", id=f"mem_2026_01_31_{number:03d}")
            trusted.write(f"project/note_{number}.md", text)
            project.sync()
        elif number % 3 == 1:
            with project.speak(Voice(actor=f"agent-{number}", session=f"s-{number}")) as dmm:
                dmm.ledger.add_fact(f"key {number}", f"value {number}")
        return len(project.query(QUESTION).pack.retrieved_entries)

    with ThreadPoolExecutor(8) as pool:
        assert min(pool.map(work, range(24))) > 0
    facts = [one for one in project.dmm.chronicle.log.events() if one.type == "FactAdded"]
    assert {(one.actor, one.session) for one in facts} == {
        (f"agent-{n}", f"s-{n}") for n in range(1, 24, 3)
    }


def test_each_pack_is_recorded_in_the_name_of_whoever_asked(
    projects: Projects, trusted: Project
) -> None:
    project = projects.find(trusted.folder)
    with project.speak(Voice()) as dmm:
        dmm.ledger.add_fact("wares", "lanterns")
    agent = Voice(actor="codex", source="mcp", trust=Trust.AGENT, session="s")
    project.query(QUESTION, voice=agent)
    project.query(QUESTION)
    served = [one for one in project.dmm.chronicle.log.events() if one.type == "PackServed"]
    assert [(one.actor, one.source, one.session) for one in served] == [
        ("codex", "mcp", "s"),
        ("user", "cli", None),
    ]


def test_the_model_is_loaded_once_let_go_and_loaded_again(
    home: Path, model: Embedder, trusted: Project
) -> None:
    loads = []
    shared = SharedModel(lambda: loads.append(1) or model)  # type: ignore[func-returns-value]  # counted
    projects = Projects(home=home, model=shared)
    project = projects.find(trusted.folder)
    assert not shared.loaded
    threads = [threading.Thread(target=project.query, args=(QUESTION,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    project.sync()
    assert (shared.loaded, len(loads)) == (True, 1)
    projects.release_model()
    assert not shared.loaded
    assert project.query(QUESTION).stats["retrieval"] == "hybrid"
    assert len(loads) == 2
    projects.close()


def test_a_project_that_nobody_uses_is_closed(projects: Projects, trusted: Project) -> None:
    project = projects.find(trusted.folder)
    assert projects.close_idle(3600) == []
    project.used -= 7200
    assert projects.close_idle(3600) == [project]
    assert projects.each() == []
    assert projects.find(trusted.folder) is not project


def test_a_session_that_begins_warms_what_its_prompts_need(
    projects: Projects, trusted: Project
) -> None:
    project = projects.find(trusted.folder)
    assert project.indexed_count == 0
    project.warm()
    assert project.indexed_count > 10
    assert projects.model.loaded
