"""Handle hook events: parse, find the project, judge, answer, record."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from dmm import losses
from dmm.branch import find_branch, find_checkout
from dmm.clients.registry import NAMES
from dmm.daemon.spooled import split_body
from dmm.errors import (
    ConfigError,
    DaemonError,
    DmmError,
    LedgerRefused,
    NotTrusted,
    RootNotFound,
    StorageError,
    UsageError,
)
from dmm.eventlog.open_ledger import Actor
from dmm.eventlog.place import find_folders
from dmm.rulefile import RuleFiles, read_own_settings
from dmm.sessions.payload import HookEvent, HookKind, name_request, parse_payload
from dmm.sessions.reply import Reply, write_reply
from dmm.sessions.rulings import write_absence, write_failure, write_ruling
from dmm.sessions.service import Attended, Delivery, deliver
from dmm.sessions.supplement import write_supplement

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future, ThreadPoolExecutor

    from dmm.daemon.agents import Agents
    from dmm.daemon.logs import Log
    from dmm.daemon.spooled import Kept
    from dmm.projects import Project, Projects

T = TypeVar("T")
# How an answer to a hook begins: whether the event is kept here, or has to be kept by the hook.
KEPT = b"k"
UNKEPT = b"u"
SESSIONS_BOUND = 512
AT_ONCE = 4
# The first prompt waits for what it needs to be loaded; its hook gives up after 3 s.
COLD = 2.7
UNREADABLE = "DMM can't read this call, and it may break an active rule."
UNTRUSTED = (
    "This repository contains a DMM memory that is not trusted on this machine: none "
    "of it is shown and none of its rules are enforced. The user can review and accept it in a "
    "terminal: dmm trust"
)


@dataclass(slots=True)
class HookHandler:
    """Attends to the events of all agents; counts what could not be done in time."""

    projects: Projects
    agents: Agents
    log: Log
    counts: dict[str, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _pool: ThreadPoolExecutor | None = None
    _bound: OrderedDict[str, Path] = field(default_factory=OrderedDict)
    _files: RuleFiles = field(init=False)

    def __post_init__(self) -> None:
        self._files = RuleFiles(str(self.projects.trust_store.path.parent))

    def attend(self, client: str, body: bytes, peer: int | None) -> bytes:
        """Answer one event: whether it is kept, and what the hook prints."""
        try:
            delivery, project = self._receive(client, body)
            event = delivery.event
            if project is None:
                told = UNTRUSTED if event.kind is HookKind.SESSION_START else ""
                return KEPT + write_reply(event, Reply(context=told, notice=told))
            self.agents.meet(peer, event.session)
            attended = self._answer(project, delivery, split_body(body, "")[1])
        except UsageError as error:
            # It will never be an event; what it was is counted, not kept.
            self._count(f"refused: {error.code}")
            return KEPT + self._doubt(client, body)
        except DmmError as error:
            # The hook keeps the event until it can be taken; the rules on file hold meanwhile.
            self._fail(client, error)
            return UNKEPT + self._rule_by_file(client, body, error)
        if not attended.kept:
            self._count("kept for later")
        return (KEPT if attended.kept else UNKEPT) + write_reply(event, attended.reply)

    def _doubt(self, client: str, body: bytes) -> bytes:
        """Ask about an unreadable call if rules exist that it may break."""
        _, root, payload = split_body(body, "")
        named = name_request(client, payload) if client in NAMES else None
        if named is None:
            return b""
        try:
            with self._nearest(root).recording(Actor()) as dmm:
                ruled = bool(dmm.project_ledger.standing(dmm.project_ledger.state()))
        except DmmError:
            ruled = self._files.read_for("", str(root)) is not None
        event = HookEvent(client, HookKind.TOOL_REQUEST, named, "", "", "")
        return write_reply(event, Reply(decision="ask", reason=UNREADABLE)) if ruled else b""

    def _rule_by_file(self, client: str, body: bytes, error: DmmError) -> bytes:
        """Answer a tool call by the rules on file: its project can't be asked."""
        _, root, payload = split_body(body, "")
        event = parse_payload(client, payload)
        held = self._files.read_for(event.session, str(self._began_in(event.session) or root))
        if event.kind is HookKind.SESSION_START:
            why = f"DMM can't answer ({error.what})"
            return write_reply(event, write_absence(why, ruled=held is not None))
        if event.kind is not HookKind.TOOL_REQUEST:
            return b""
        from dmm.rules.commands.calls import ToolCall
        from dmm.rules.on_file import read_on_failure, read_rules, rule_by_file

        if held is None:
            self._count("unchecked calls")
            on_failure = read_on_failure(read_own_settings())
            return write_reply(event, write_failure(error.what, on_failure))
        project = Path(held[0]).parent
        branch = find_branch(project)
        checkout = find_checkout(str(project), event.cwd)
        call = ToolCall(event.tool, event.input, event.cwd, branch, checkout)
        ruling = rule_by_file(read_rules(held[1]), call)
        self._count(f"by rules on file: {ruling.level}")
        return write_reply(event, write_ruling(ruling, None))

    def _fail(self, client: str, error: DmmError) -> None:
        self._count(f"failed: {error.code}")
        self.log.write(f"an event of {client} could not be taken: {error.code}")

    def make_up(self, kept: Kept) -> bool:
        """Record an event that nobody could take when it happened; say whether it is settled."""
        try:
            delivery, project = self._receive(kept.client, kept.body, f"{kept.moment}")
            if project is not None:
                with project.recording(delivery.actor) as dmm:
                    dmm.sessions.make_up(delivery, kept.ruled)
        except (StorageError, ConfigError, LedgerRefused, DaemonError) as error:
            self.log.write(f"a kept event has to wait: {error.code}")
            return False
        except UsageError as error:
            self._count(f"refused: {error.code}")
        except DmmError as error:
            # Its project is gone, so nothing will ever take it.
            self._count(f"refused: {error.code}")
            losses.add(1)
        return True

    def _receive(self, client: str, body: bytes, name: str = "") -> tuple[Delivery, Project | None]:
        """Read an event and find its project; one that is not trusted takes part in nothing."""
        name, root, payload = split_body(body, name)
        event = parse_payload(client, payload)
        self._count(event.kind.value)
        try:
            project = self._find(event.session, root)
        except NotTrusted:
            if self._files.read_for(event.session, str(root)) is not None:
                # Where trust was not taken back, a record that can't be read is what is wrong.
                self.projects.trust_store.list()
            self._count("not trusted")
            return Delivery(event, name=name), None
        return deliver(event, name), project

    def _find(self, session: str, root: Path) -> Project:
        """Find the project of a session: the one it began in, whatever folder it went to since.

        A worktree may be removed under its session; the rules of its repository hold on.
        """
        began = self._began_in(session)
        try:
            project = self._nearest(root) if began is None else self.projects.find_folder(began)
        except RootNotFound:
            project = self._succeed(began or root, root)
        if began is None or project.root == root != began:
            self._bind(session, project.root)
        return project

    def _succeed(self, gone: Path, root: Path) -> Project:
        """Find what takes the place of a folder that is gone: another worktree, or where it is now.

        A project that was renamed is found where the agent works. Until it is trusted there, the
        session stays under the rules on file of the project that it began in.
        """
        try:
            return self._sibling(gone)
        except RootNotFound as error:
            if gone == root:
                raise
            try:
                return self._nearest(root)
            except NotTrusted:
                raise error from None

    def _began_in(self, session: str) -> Path | None:
        """Return where a session began, also before this process was started."""
        if session not in self._bound and (noted := self._files.recall(session)) is not None:
            self._bound[session] = Path(noted)
            with contextlib.suppress(OSError):
                # A session that continues is not forgotten.
                self._files.remember(session, noted)
        return self._bound.get(session)

    def _bind(self, session: str, root: Path) -> None:
        self._bound[session] = root
        while len(self._bound) > SESSIONS_BOUND:
            self._bound.popitem(last=False)
        with contextlib.suppress(OSError):
            # Known in this process at least; a full disk keeps nobody from being answered.
            self._files.remember(session, str(root))
            self._files.forget_sessions(time.time())

    def _sibling(self, gone: Path) -> Project:
        """Find another worktree with the ledger of a .dmm folder that is gone."""
        ledger = self._files.find_ledger(str(gone))
        for root in () if ledger is None else find_folders(Path(ledger)):
            with contextlib.suppress(RootNotFound, NotTrusted):
                return self.projects.find_folder(root)
        raise RootNotFound("this session's folder no longer exists", where=str(gone))

    def _nearest(self, root: Path) -> Project:
        """Find the nearest trusted project: memory that came from elsewhere hides none above it."""
        for folder in (root, *(above / root.name for above in root.parent.parents)):
            if folder == root or (folder / "memory").is_dir():
                with contextlib.suppress(NotTrusted):
                    return self.projects.find_folder(folder)
        raise NotTrusted("this project's memory is not trusted here", where=str(root))

    def _answer(self, project: Project, delivery: Delivery, root: Path) -> Attended:
        event = delivery.event
        with project.recording(delivery.actor) as dmm:
            ruling = None
            if event.kind is HookKind.TOOL_REQUEST:
                began = self._began_in(event.session)
                ruling = dmm.sessions.judge(event, "" if began is None else str(began.parent))
            attended = dmm.sessions.attend(delivery, ruling)
            known = dmm.sessions.known(event.session)
        if event.kind is HookKind.SESSION_START:
            # A prompt will follow, and has to be answered in a moment; so will calls.
            self._begin(project.warm)
            self._begin(_settle_rules, project)
            return _with_fault(attended, project, root)
        if event.kind is HookKind.PROMPT:
            return Attended(self._supply(project, delivery, known), attended.kept)
        return attended

    def _supply(self, project: Project, delivery: Delivery, known: frozenset[str]) -> Reply:
        """Find what the prompt needs, in time or not at all."""
        deadline = project.dmm.config.hooks.prompt_deadline_ms / 1000
        if not project.warmed:
            deadline = max(deadline, COLD)
        begun = time.monotonic()
        found = self._begin(project.supplement, delivery.event, known)
        try:
            given = found.result(max(0.0, deadline - (time.monotonic() - begun)))
        except TimeoutError:
            found.cancel()
            self._count("late prompts")
            return Reply()
        finally:
            # The longer wait is made once, whatever comes of it.
            project.warmed = True
        if project.indexing is not None:
            # It was answered with what is in memory; the next one has more.
            self._begin(project.warm)
        if given.entries:
            with project.recording(delivery.actor) as dmm, contextlib.suppress(StorageError):
                # Memories are given also where it can't be recorded that they were.
                dmm.sessions.give(delivery, given)
        return Reply(context=write_supplement(given.entries))

    def _begin(self, work: Callable[..., T], *given: object) -> Future[T]:
        """Run something in a worker thread; workers are created on first use."""
        from concurrent.futures import ThreadPoolExecutor

        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="dmm-prompt")
            return self._pool.submit(work, *given)

    def _count(self, what: str) -> None:
        with self._lock:
            self.counts[what] = self.counts.get(what, 0) + 1

    def close(self) -> None:
        """Release the threads."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)


def _settle_rules(project: Project) -> None:
    """Update the ledger and the compiled rules; a failure is retried."""
    with contextlib.suppress(DmmError), project.recording(Actor()) as dmm:
        dmm.shelf.record()
    project.publish_rules()


def _with_fault(attended: Attended, project: Project, root: Path) -> Attended:
    """Return the notices of a session start: what can't be read, and what waits for consent."""
    reply = attended.reply
    if project.fault is not None:
        told = f"Notice: the settings are invalid, so defaults apply: {project.fault}\n"
        reply = reply.changed(context=reply.context + told)
    found = (_passed_over(project, root), project.dmm.consents.notice(), _broken_rules(project))
    notices = [one for one in found if one]
    if notices:
        reply = reply.changed(notice=f"DMM: {'; '.join(notices)}")
    return replace(attended, reply=reply)


def _passed_over(project: Project, root: Path) -> str | None:
    """Name the memory where the session starts if one above it is used because it is not trusted.

    A package that was renamed in its repository is such a memory.
    """
    there = root != project.root and (root / "memory").is_dir()
    if not there or project.dmm.trust_store.is_trusted(root):
        return None
    # Whoever made the folder chose its name, and an agent may read this.
    return "the memory of this folder is not trusted, so its rules are not enforced (dmm trust)"


def _broken_rules(project: Project) -> str | None:
    """Name the first rule file that is broken, and how many more there are."""
    with project.reading(Actor()) as dmm:
        faults = dmm.shelf.faults()
    if not faults:
        return None
    more = f", and {len(faults) - 1} more (dmm validate)" if len(faults) > 1 else ""
    return f"a rule file is broken: {faults[0]}{more}"
