"""How the parts of an open project hold each other, and in whose name they act."""

from __future__ import annotations

import json
import threading
import types
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from typing import TYPE_CHECKING

import pytest
from tests.conftest import git

from dmm.bootstrap.lazy import Lazy
from dmm.domain.event import EventType, Trust
from dmm.domain.pack import QueryRequest
from dmm.errors import ReviewRefused
from dmm.eventlog.open_ledger import Actor
from dmm.projects import Projects, SharedModel
from dmm.sessions.payload import parse_payload
from dmm.sessions.service import deliver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.conftest import MemoryText, Opener, Project

    from dmm.bootstrap import Dmm
    from dmm.embed.model import Embedder

OLDER, NEWER = "mem_2026_01_31_001", "mem_2026_01_31_002"
AGENTS = [Actor(f"agent-{number}", "mcp", Trust.AGENT, f"s-{number}") for number in range(2)]


def find_cycles(root: object) -> list[str]:
    """Follow every reference between our objects; tell the chains that lead back to their start."""
    found: list[str] = []
    done: dict[int, object] = {}
    path: dict[int, object] = {}
    stack = [(root, iter([root]))]
    while stack:
        owner, held = stack[-1]
        for one in held:
            if id(one) in path:
                chain = list(path.values())
                chain = chain[[id(each) for each in chain].index(id(one)) :]
                if any(map(_is_ours, chain)):
                    found.append(" -> ".join(map(_name, [*chain, one])))
            elif id(one) not in done:
                path[id(one)] = one
                stack.append((one, iter(list(_held_by(one)))))
                break
        else:
            stack.pop()
            path.pop(id(owner), None)
            # Kept, so that no other object gets its id.
            done[id(owner)] = owner
    return found


def _is_ours(one: object) -> bool:
    return type(one).__module__.partition(".")[0] in ("dmm", "tests")


def _name(one: object) -> str:
    return str(getattr(one, "__qualname__", type(one).__qualname__))


def _held_by(one: object) -> Iterator[object]:
    """List what an object holds; classes, modules and what libraries made hold nothing of ours."""
    if isinstance(one, dict):
        yield from (*one.keys(), *one.values())
    elif isinstance(one, list | tuple | set | frozenset):
        yield from one
    elif isinstance(one, types.FunctionType):
        yield from (cell.cell_contents for cell in one.__closure__ or ())
        yield from (*(one.__defaults__ or ()), *(one.__kwdefaults__ or {}).values())
    elif isinstance(one, types.MethodType):
        yield from (one.__self__, one.__func__)
    elif isinstance(one, partial):
        yield from (one.func, one.args, one.keywords)
    elif _is_ours(one):
        yield from vars(one).values() if hasattr(one, "__dict__") else ()
        slots = (vars(kind).get("__slots__", ()) for kind in type(one).__mro__)
        for name in (name for names in slots for name in names):
            if hasattr(one, name):
                yield getattr(one, name)


def touch_everything(owner: object) -> None:
    """Ask for every part, so that each is made."""
    for kind in type(owner).__mro__:
        for name, value in vars(kind).items():
            if isinstance(value, cached_property | property):
                part = getattr(owner, name)
                if isinstance(part, Lazy):
                    part()


def attend(dmm: Dmm, folder: Path) -> None:
    """Begin a session, then call a tool."""
    start = {"hook_event_name": "SessionStart", "session_id": "s", "cwd": str(folder)}
    call = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "t"}
    for payload in (start, start | call | {"tool_input": {"command": "git push"}}):
        event = parse_payload("claude-code", json.dumps(payload).encode())
        ruling = dmm.sessions.judge(event) if event.tool else None
        dmm.sessions.attend(deliver(event), ruling)


def use_everything(dmm: Dmm, folder: Path) -> None:
    """Do what people and agents do, so that each part has used those it holds."""
    dmm.packs.query(QueryRequest("how long is the timeout of the API"))
    dmm.ledger.add_constraint("Never push.")
    attend(dmm, folder)
    dmm.recall.search("push")
    dmm.asking.ask("how long is the timeout of the API?")
    made = dmm.proposals.create("project/retries.md", "# Retries\n\nTwo retries.\n", "agreed")
    assert dmm.reviews.approve(made.id, bypass_reviewer=True).status == "applied"
    dmm.undoing.undo(made.seq)
    (found,) = dmm.conflicts.scan().conflicts
    dmm.resolutions.resolve(found.conflict_id, "deprecate", target=OLDER, reason="outdated")
    dmm.lifecycle.report(["project/b.md"], "helped")
    dmm.agenda.read(dmm.overview.survey())
    dmm.digest.run()
    dmm.validation.check()


@pytest.fixture
def clashing(project: Project, memory_text: MemoryText) -> Project:
    git(project.folder, "init", "-q")
    git(project.folder, "config", "user.name", "Ana")
    git(project.folder, "config", "user.email", "ana@example.org")
    (project.dmm / "daemon.config.json").write_text('{"governance": {"git_commit": true}}')
    slow = memory_text("API timeout", "The API timeout is 30 seconds.", id=OLDER)
    fast = memory_text("Timeout of the API", "The API timeout is 10 seconds.", id=NEWER)
    project.write("project/a.md", slow)
    project.write("project/b.md", fast)
    return project


@pytest.fixture
def projects(home: Path, model: Embedder) -> Iterator[Projects]:
    found = Projects(home=home, model=SharedModel(lambda: model))
    yield found
    found.close()


class Part:
    """Something that holds something."""

    def __init__(self, held: object = None) -> None:
        self.held = held

    def use(self) -> object:
        return self.held


class Slotted:
    """Something that holds something in a slot."""

    __slots__ = ("held",)

    held: object


@pytest.mark.parametrize(
    "hold",
    [
        lambda part: part,
        lambda part: [{"part": (part,)}],
        lambda part: lambda: part,
        lambda part: lambda known=part: known,
        lambda part: part.use,
        lambda part: partial(print, part),
        lambda part: partial(print, end=part),
        lambda part: Lazy(Part, part),
    ],
)
def test_a_way_back_is_found_through_whatever_it_leads(hold: Callable[[Part], object]) -> None:
    part, other, slotted = Part(), Part(), Slotted()
    slotted.held = hold(part)
    part.held = slotted
    assert len(find_cycles(part)) == 1
    slotted.held = hold(other)
    assert find_cycles(part) == []


def test_no_part_of_an_open_project_leads_back_to_itself(
    clashing: Project, open_project: Opener, model: Embedder
) -> None:
    dmm = open_project(clashing, lambda: model)
    use_everything(dmm, clashing.folder)
    for owner in (dmm, dmm.base):
        touch_everything(owner)
    cycles = find_cycles(dmm)
    assert not cycles, "\n".join(cycles)


def test_no_project_held_open_leads_back_to_itself(
    clashing: Project, projects: Projects, home: Path
) -> None:
    clashing.trust(home)
    project = projects.find(clashing.folder)
    project.query(QueryRequest("how long is the timeout of the API"), actor=AGENTS[0])
    for use in (project.recording, project.reading, project.write, project.asking):
        with use(AGENTS[0]) as dmm:
            touch_everything(dmm)
            touch_everything(dmm.base)
    cycles = find_cycles(projects)
    assert not cycles, "\n".join(cycles)


def test_git_comes_after_the_index_and_the_conflicts(
    clashing: Project, open_project: Opener
) -> None:
    names = [
        _name(getattr(one, "func", one)) for one in open_project(clashing).application.subscribers
    ]
    assert names == ["update_index", "check_conflicts", "Committing.follow"]


def test_what_an_agent_does_leaves_the_name_of_others_alone(
    clashing: Project, open_project: Opener
) -> None:
    dmm = open_project(clashing)
    attend(dmm, clashing.folder)
    dmm.ledger.add_fact("a", "b")
    agent = dmm.as_actor(AGENTS[0])
    agent.ledger.add_fact("c", "d")
    made = agent.proposals.create("project/retries.md", "# Retries\n\nTwo.\n", "agreed")
    with pytest.raises(ReviewRefused, match="an agent can't approve"):
        agent.reviews.approve(made.id, bypass_reviewer=True)
    assert dmm.reviews.approve(made.id, bypass_reviewer=True).status == "applied"
    log = dmm.project_ledger.reading
    names = [(one.type, one.actor) for one in log.events() if one.type != EventType.CONFLICT_FOUND]
    assert names == [
        ("SessionStarted", "claude-code"),
        ("PackServed", "claude-code"),
        ("ToolRequested", "claude-code"),
        ("FactAdded", "user"),
        ("FactAdded", "agent-0"),
        ("ProposalMade", "agent-0"),
        ("ProposalChecked", "agent-0"),
        ("ProposalReviewed", "user"),
        ("ProposalApplying", "user"),
        ("ProposalApplied", "user"),
        ("ProposalCommitted", "user"),
    ]


def test_two_actors_in_two_threads_never_mix(clashing: Project, open_project: Opener) -> None:
    dmm = open_project(clashing)
    dmm.ledger.add_fact("first", "opens the ledger")
    turns, writing = threading.Barrier(2), threading.Lock()

    def speak(actor: Actor) -> None:
        own = dmm.as_actor(actor)
        for number in range(25):
            # Both have taken their view before either records with it.
            turns.wait()
            with writing:
                own.ledger.add_fact(f"{actor.name} {number}", actor.name)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(speak, AGENTS))
    facts = [one for one in dmm.project_ledger.reading.events() if one.actor != "user"]
    assert len(facts) == 50
    assert all(one.get("value") == one.actor for one in facts)
    assert {(one.actor, one.session, one.trust) for one in facts} == {
        (actor.name, actor.session, actor.trust) for actor in AGENTS
    }


def test_two_actors_who_use_a_project_in_every_way_never_mix(
    clashing: Project, projects: Projects, home: Path
) -> None:
    clashing.trust(home)
    project = projects.find(clashing.folder)

    def use(actor: Actor) -> None:
        for number in range(5):
            for way in (project.recording, project.write, project.applying):
                with way(actor) as dmm:
                    dmm.ledger.add_fact(f"{actor.name} {number}", actor.name)
            project.query(QueryRequest(actor.name), actor=actor)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(use, AGENTS))
    events = list(project.dmm.project_ledger.reading.events())
    told = [one.get("task") or one.get("value") for one in events]
    assert [one.actor for one in events] == told
    assert len(events) == 2 * 5 * 4
