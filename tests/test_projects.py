"""Projects held open answer from many threads, follow their settings, and let go when idle."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.conftest import git

from dmm.daemon import hook_events
from dmm.daemon.agents import Agents
from dmm.daemon.logs import Log
from dmm.domain.event import Trust
from dmm.domain.pack import QueryRequest
from dmm.errors import ConfigError, DaemonError, NotTrusted, PathRefused, RootNotFound
from dmm.eventlog.open_ledger import Actor
from dmm.files.trusted import TrustStore
from dmm.project.known import Known
from dmm.projects import GRACE, Projects, SharedModel
from dmm.rulefile import RuleFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.conftest import Project

    from dmm.embed.model import Embedder
    from dmm.projects import Project as OpenProject

SOON = 20.0
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


def test_a_project_is_warm_until_the_model_is_released(
    projects: Projects, trusted: Project
) -> None:
    project = projects.find(trusted.folder)
    states = [project.warmed]
    for act in (project.warm, project.release_model):
        act()
        states.append(project.warmed)
    assert states == [False, True, False]


def test_a_late_answer_ends_the_longer_wait_of_a_cold_start(
    projects: Projects, trusted: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hook_events, "COLD", 0.001)
    handler = hook_events.HookHandler(projects, Agents(), Log())
    told = {"session_id": "s", "cwd": str(trusted.folder), "hook_event_name": "UserPromptSubmit"}
    project = projects.find(trusted.folder)
    # Somebody else uses the index for longer than a prompt can wait.
    with project._asking:
        for number in (1, 2):
            prompt = json.dumps(told | {"prompt": "how are passwords stored"}).encode()
            body = f"{number}-1\n{trusted.dmm}\n".encode() + prompt
            assert handler.attend("claude-code", body, None) == hook_events.KEPT
            assert project.warmed
    assert handler.counts["late prompts"] == 2
    handler.close()


def test_a_session_of_another_user_with_the_same_id_is_another_session(
    projects: Projects,
    trusted: Project,
    new_project: Callable[[str], Project],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = tmp_path / "other"
    monkeypatch.setenv("HOME", str(other))
    RuleFiles().remember("s", str(new_project("elsewhere").dmm))
    handler = hook_events.HookHandler(projects, Agents(), Log())
    stop = {"session_id": "s", "cwd": str(trusted.folder), "hook_event_name": "Stop"}
    body = f"1-1\n{trusted.dmm}\n".encode() + json.dumps(stop).encode()
    assert handler.attend("claude-code", body, None) == hook_events.KEPT
    assert handler.counts == {"turn_end": 1}
    assert RuleFiles(str(projects.trust_store.path.parent)).recall("s") == str(trusted.dmm)
    handler.close()


def test_a_project_is_opened_once_from_wherever_one_stands(
    projects: Projects, trusted: Project
) -> None:
    (trusted.folder / "src").mkdir()
    found = projects.find(trusted.folder)
    assert projects.find(trusted.folder / "src") is found
    assert projects.find(trusted.dmm) is found
    assert projects.each() == [found]
    assert found.root == trusted.dmm


def test_the_projects_of_a_user_are_known_before_they_are_open(
    projects: Projects, trusted: Project, home: Path, tmp_path: Path
) -> None:
    gone = tmp_path / "gone" / ".dmm"
    gone.mkdir(parents=True)
    TrustStore.of_user(home).trust(gone)
    gone.rmdir()
    root = str(trusted.folder)
    assert projects.known() == (Known(root, trusted.folder.name, trusted=True, open=False),)
    projects.find(trusted.folder)
    assert projects.known() == (Known(root, trusted.folder.name, trusted=True, open=True),)
    TrustStore.of_user(home).revoke(trusted.dmm)
    assert projects.known() == (Known(root, trusted.folder.name, trusted=False, open=True),)


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
    projects: Projects, trusted: Project, home: Path
) -> None:
    first = projects.find(trusted.folder)
    settings = trusted.dmm / "daemon.config.json"
    settings.write_text('{"retrieval": {"default_budget": 300}}')
    assert projects.find(trusted.folder).dmm.config.retrieval.default_budget == 2000
    trusted.trust(home)
    second = projects.find(trusted.folder)
    assert second is not first
    assert second.dmm.config.retrieval.default_budget == 300
    settings.write_text('{"retrieval": {"default_budget": "many"}}')
    trusted.trust(home)
    with pytest.raises(ConfigError):
        projects.look_up(trusted.folder)
    # For agents its rules hold on, and defaults count.
    third = projects.find(trusted.folder)
    assert third.fault is not None
    assert third.dmm.config.retrieval.default_budget == 2000
    settings.unlink()
    trusted.trust(home)
    assert projects.find(trusted.folder).query(QUESTION).pack.retrieved_entries


def test_a_repository_that_comes_later_opens_the_project_with_its_ledger_moved(
    projects: Projects, trusted: Project
) -> None:
    with projects.find(trusted.folder).recording(Actor()) as dmm:
        dmm.ledger.add_constraint("never run terraform destroy")
    git(trusted.folder, "init", "-q")
    project = projects.find(trusted.folder)
    with project.recording(Actor()) as dmm:
        assert [one.text for one in dmm.project_ledger.state().in_force] == [
            "never run terraform destroy"
        ]
        assert dmm.project_ledger.path == trusted.folder / ".git" / "dmm" / "ledger.db"
    assert projects.find(trusted.folder) is project


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
            with project.recording(Actor(name=f"agent-{number}", session=f"s-{number}")) as dmm:
                dmm.ledger.add_fact(f"key {number}", f"value {number}")
        return len(project.query(QUESTION).pack.retrieved_entries)

    with ThreadPoolExecutor(8) as pool:
        assert min(pool.map(work, range(24))) > 0
    facts = [one for one in project.dmm.project_ledger.log.events() if one.type == "FactAdded"]
    assert {(one.actor, one.session) for one in facts} == {
        (f"agent-{n}", f"s-{n}") for n in range(1, 24, 3)
    }


def test_each_pack_is_recorded_in_the_name_of_whoever_asked(
    projects: Projects, trusted: Project
) -> None:
    project = projects.find(trusted.folder)
    with project.recording(Actor()) as dmm:
        dmm.ledger.add_fact("wares", "lanterns")
    agent = Actor(name="codex", source="mcp", trust=Trust.AGENT, session="s")
    project.query(QUESTION, actor=agent)
    project.query(QUESTION)
    served = [one for one in project.dmm.project_ledger.log.events() if one.type == "PackServed"]
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
    assert project.query(QUESTION).stats.retrieval == "hybrid"
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


def is_closed(project: OpenProject) -> bool:
    return project.closed


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_the_exact_folder_is_found_in_the_users_home_and_never_behind_a_link(
    projects: Projects, shop: Project, home: Path, tmp_path: Path
) -> None:
    own = home / ".dmm"
    shop.dmm.rename(own)
    with pytest.raises(NotTrusted):
        projects.find_folder(own)
    TrustStore.of_user(home).trust(own)
    assert projects.find_folder(own).root == own
    linked = tmp_path / "linked" / ".dmm"
    linked.parent.mkdir()
    linked.symlink_to(own)
    with pytest.raises(RootNotFound):
        projects.find_folder(linked)


def test_the_exact_folder_is_never_one_above(projects: Projects, trusted: Project) -> None:
    inner = trusted.folder / "inner" / ".dmm"
    with pytest.raises(RootNotFound):
        projects.find_folder(inner)
    (inner / "memory").mkdir(parents=True)
    with pytest.raises(NotTrusted):
        projects.find_folder(inner)
    assert projects.look_up(inner.parent, exact=True).root == inner
    with pytest.raises(RootNotFound):
        projects.look_up(trusted.folder / "src", exact=True)


@pytest.mark.parametrize("path", ["/x\0y", "/" + "n" * 300, "/n" * 3000])
def test_a_place_that_can_not_be_is_told_in_our_words(projects: Projects, path: str) -> None:
    for look in (projects.find, projects.find_folder, projects.look_up):
        with pytest.raises((PathRefused, RootNotFound)):
            look(Path(path))


def test_new_settings_wait_for_nobody_and_leave_nothing_open(
    projects: Projects, trusted: Project
) -> None:
    first = projects.find(trusted.folder)
    first.query(QUESTION)
    first.sync()
    before = descriptors()
    working, go_on = threading.Event(), threading.Event()

    def work() -> None:
        with first.recording(Actor()):
            working.set()
            assert go_on.wait(SOON)

    thread = threading.Thread(target=work)
    thread.start()
    assert working.wait(SOON)
    (trusted.dmm / "daemon.config.json").write_text("{}")
    second = projects.find(trusted.folder)
    assert second is not first
    first.used -= 2 * GRACE
    projects.close_idle(3600)
    assert not is_closed(first)
    go_on.set()
    thread.join()
    first.used -= 2 * GRACE
    assert projects.close_idle(3600) == []
    assert is_closed(first)
    with pytest.raises(DaemonError):
        first.query(QUESTION)
    with pytest.raises(DaemonError):
        first.sync()
    second.query(QUESTION)
    second.sync()
    assert descriptors() <= before


def test_opening_one_project_keeps_no_other_waiting(projects: Projects, trusted: Project) -> None:
    held = projects.find(trusted.folder)
    lock = projects._opening[trusted.dmm]
    other = trusted.folder.parent / "other"
    (other / ".dmm" / "memory").mkdir(parents=True)
    with lock, ThreadPoolExecutor(1) as pool:
        found = pool.submit(projects.look_up, other).result(SOON)
    assert {found.root, held.root} == {one.root for one in projects.each()}


def test_a_long_look_keeps_no_event_waiting(projects: Projects, trusted: Project) -> None:
    project = projects.find(trusted.folder)
    with project.reading(Actor()) as looked, ThreadPoolExecutor(1) as pool:

        def record() -> int:
            with project.recording(Actor()) as dmm:
                return int(dmm.ledger.add_fact("wares", "lanterns").seq)

        seq = pool.submit(record).result(SOON)
        assert looked.project_ledger.state().seq == seq
        assert looked.audit.verify().valid


def test_indexing_ends_after_the_batch_when_it_is_told_to(
    projects: Projects, trusted: Project, home: Path
) -> None:
    (trusted.dmm / "daemon.config.json").write_text('{"indexer": {"batch_size": 1}}')
    trusted.trust(home)
    project = projects.find(trusted.folder)
    stop = threading.Event()
    stop.set()
    with pytest.raises(DaemonError, match="stopped"):
        project.sync(stop=stop)
    assert project.sync().total > 10


def test_closing_and_the_end_of_an_index_run_do_not_wait_for_one_another(
    projects: Projects, trusted: Project
) -> None:
    project = projects.find(trusted.folder)
    with ThreadPoolExecutor(2) as pool:
        with project._indexing:
            closing = pool.submit(project.close)
            while not project._recording.locked():
                threading.Event().wait(0.01)
            threading.Event().wait(0.1)
            # A run ends with this while it still holds the index.
            pool.submit(project.publish_rules).result(SOON)
        assert closing.result(SOON)


def test_what_is_in_use_is_neither_closed_nor_waited_for(
    projects: Projects, trusted: Project
) -> None:
    project = projects.find(trusted.folder)
    project.query(QUESTION)
    with project.recording(Actor()):
        project.used -= 7200
        assert projects.close_idle(3600) == [project]
        assert not is_closed(project)
    projects.close_idle(3600)
    assert is_closed(project)
    again = projects.find(trusted.folder)
    again.query(QUESTION)
    held = projects.find(trusted.folder)._asking
    with held:
        assert not projects.release_model()
        assert projects.model.loaded
    assert projects.release_model()
    assert not projects.model.loaded


def test_writing_uses_the_index_of_the_queries_in_the_name_of_the_caller(
    projects: Projects, trusted: Project
) -> None:
    project = projects.find(trusted.folder)
    project.query(QUESTION)
    actor = Actor(name="codex", source="mcp", trust=Trust.AGENT, session="s-1")
    with project.write(actor) as dmm:
        assert dmm.indexes is project.asked.indexes
        told = dmm.proposals.create("project/lamp.md", "# Lamp\n\nIt is red.", "seen")
    with project.reading(Actor()) as dmm:
        made = dmm.proposal_store.find(told.id)
    assert (made.proposer, made.source, made.session) == ("codex", "mcp", "s-1")
    assert "indexes" not in project.dmm.base.__dict__


def test_what_waits_for_others_keeps_no_query_waiting(projects: Projects, trusted: Project) -> None:
    project = projects.find(trusted.folder)
    with project.isolated(Actor()) as apart, ThreadPoolExecutor(1) as pool:
        assert apart.reviews.list().pending == 0
        assert pool.submit(project.query, QUESTION).result(SOON).pack
        assert apart.project_ledger is not project.dmm.project_ledger
    project.close()
    for use in (project.isolated, project.write):
        with pytest.raises(DaemonError), use(Actor()):
            pass


@pytest.mark.parametrize("committed", [False, True])
def test_no_query_waits_for_the_hooks_of_a_commit(
    projects: Projects, trusted: Project, home: Path, *, committed: bool
) -> None:
    wanted = json.dumps({"governance": {"git_commit": committed}})
    (trusted.dmm / "daemon.config.json").write_text(wanted)
    trusted.trust(home)
    project = projects.find(trusted.folder)
    with project.applying(Actor()) as dmm:
        assert (dmm.base is project.asked.base) is not committed
        if committed:
            assert project.query(QUESTION).pack


def test_a_long_question_keeps_no_query_waiting_and_leaves_nothing_open(
    projects: Projects, trusted: Project
) -> None:
    project = projects.find(trusted.folder)
    with project.asking(Actor()) as dmm:
        assert dmm.asking.ask("what is this?").written.text
        assert project.query(QueryRequest("tests")).pack.query == "tests"
        assert not project.release_model()
    assert project.release_model()
    with project.asking(Actor()) as again:
        assert again.base is dmm.base
    assert project.close()
    with pytest.raises(DaemonError, match="the project was closed"), project.asking(Actor()):
        pass
