"""End-to-end checks of program, project, daemon and clients."""

from __future__ import annotations

import os
import stat
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from dmm import VERSION, endpoint, losses
from dmm.errors import DmmError, LedgerRefused
from dmm.files.consents import FILES
from dmm.install.trial import ask_http
from dmm.project.daemon_status import Health, ask_health, ask_status
from dmm.project.init import keep_in_git
from dmm.storage import sqlite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dmm.domain.report import Finding
    from dmm.files.consents import Consents
    from dmm.ledger.audit import Audit
    from dmm.ledger.backups import Backups
    from dmm.ledger.known_passkeys import KnownPasskeys
    from dmm.memories.overview import Overview, RootState
    from dmm.rules.published import PublishedRules
    from dmm.rules.results import UncheckedRule

Level = Literal["ok", "warn", "fail"]

OLDEST_PYTHON = (3, 11)
# Older versions can damage a database that several processes write.
OLDEST_SQLITE = (3, 51, 3)
ANSWER_WITHIN = 3.0
BACKLOG = 1_000
MOST_NAMED = 4


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: how it is, and the way out where it is not well."""

    area: str
    name: str
    level: Level
    told: str
    way: str | None = None
    fixed: bool = False
    fix: Callable[[], object] | None = field(default=None, repr=False, compare=False)

    def describe(self) -> object:
        """Return it as plain data."""
        told = {"area": self.area, "name": self.name, "level": self.level, "told": self.told}
        return told | {"way": self.way, "fixed": self.fixed}


@dataclass(frozen=True, slots=True)
class Memory:
    """What a checkup looks at in one project; `reindex` leaves nothing open."""

    folder: Path
    trusted: bool
    list_trusted: Callable[[], object]
    overview: Overview
    audit: Audit
    reindex: Callable[[], object]
    consents: Consents
    published: PublishedRules
    backups: Backups
    unchecked: Callable[[], tuple[UncheckedRule, ...]]
    passkeys: KnownPasskeys


def examine(probes: Iterable[Callable[[], Iterable[Check]]], *, fix: bool) -> Iterator[Check]:
    """Carry the checks out; where that is wanted, fix what can be fixed and look again."""
    for probe in probes:
        found = list(probe())
        fixes = [check.fix for check in found if check.fix is not None] if fix else []
        if not fixes:
            yield from found
            continue
        for carry_out in fixes:
            carry_out()
        before = {(check.area, check.name): check.told for check in found if check.fix}
        for check in probe():
            told = before.get((check.area, check.name))
            fixed = check.level == "ok" and told is not None and told != check.told
            yield replace(check, fixed=fixed)


def attempt(area: str, name: str, look: Callable[[], Iterable[Check]]) -> Iterator[Check]:
    """Look; a failure that explains itself becomes a finding."""
    try:
        yield from look()
    except DmmError as error:
        yield Check(area, name, "fail", str(error), error.hint)


# The program


def check_program(load_model: Callable[[], object]) -> Iterator[Check]:
    """Check the versions of what this program stands on, and that the model loads."""
    yield Check("program", "dmm", "ok", f"version {VERSION}")
    yield _check_version("Python", sys.version_info[:3], OLDEST_PYTHON, "install a newer Python")
    found = tuple(int(part) for part in sqlite.version().split(".")[:3])
    yield _check_version("SQLite", found, OLDEST_SQLITE, "pip install --upgrade apsw")
    yield from attempt("program", "model", lambda: _check_model(load_model))


def _check_version(name: str, found: tuple[int, ...], oldest: tuple[int, ...], way: str) -> Check:
    told = ".".join(map(str, found))
    if found >= oldest:
        return Check("program", name, "ok", f"version {told}")
    needed = ".".join(map(str, oldest))
    return Check("program", name, "fail", f"version {told} is older than {needed}", way)


def _check_model(load_model: Callable[[], object]) -> Iterator[Check]:
    load_model()
    yield Check("program", "model", "ok", "loaded")


# The project


def check_project(open_memory: Callable[[], Memory]) -> Iterator[Check]:
    """Check the project around the working directory."""
    try:
        memory = open_memory()
    except DmmError as error:
        level: Level = "warn" if error.code == "no_root" else "fail"
        yield Check("project", "memory", level, str(error), error.hint)
        return
    yield Check("project", "memory", "ok", str(memory.folder))
    yield from attempt("project", "trust", lambda: _check_trust(memory))
    yield from attempt("project", "files", lambda: _check_files(memory))
    if memory.trusted:
        yield _check_consents(memory.consents)
        yield from attempt("project", "ledger", lambda: _check_ledger(memory.audit))
        yield from attempt("project", "passkeys", lambda: _check_passkeys(memory.passkeys))
        yield from attempt("project", "rules on file", lambda: _check_rules(memory.published))
        yield from attempt("project", "rule", lambda: _check_marks(memory.unchecked()))
        yield from attempt("project", "backup", lambda: _check_backup(memory.backups))


def _check_trust(memory: Memory) -> Iterator[Check]:
    """Check that agents get the memory; a record that can't be read raises."""
    memory.list_trusted()
    if memory.trusted:
        yield Check("project", "trust", "ok", "trusted")
    else:
        way = "review it and decide: dmm trust"
        told = "it is not trusted: agents get none of it, and no rule is enforced"
        yield Check("project", "trust", "warn", told, way)


def _check_consents(consents: Consents) -> Check:
    held = [one.path for one in consents.changes()]
    if not held:
        return Check("project", "consent", "ok", "nothing is held back")
    told = f"inactive until you review it: {', '.join(held)}"
    return Check("project", "consent", "warn", told, "see the changes: dmm trust")


def _check_rules(published: PublishedRules) -> Iterator[Check]:
    """Check that a hook could judge without the daemon."""
    if published.publish():
        yield Check("project", "rules on file", "ok", "a hook can decide without the daemon")
    else:
        way = "free some disk space, and check the owner of the state folder"
        told = "the rules can't be written to the state folder"
        yield Check("project", "rules on file", "fail", told, way)


def _check_marks(unchecked: tuple[UncheckedRule, ...]) -> Iterator[Check]:
    """Name the rules that could not be checked on real calls lately."""
    for one in unchecked:
        where = f" ({one.where})" if one.where else ""
        times = "1 call" if one.calls == 1 else f"{one.calls:,} calls"
        told = f"{one.id} could not be checked on {times}: {one.why}{where}"
        way = "matching calls ask; simplify the rule: docs/rules.md#limits-and-broken-files"
        yield Check("project", "rule", "warn", told, way)


def _check_backup(backups: Backups) -> Iterator[Check]:
    found = backups.find()
    if found:
        told = f"of {found[0].day}, up to event {found[0].seq}"
        yield Check("project", "backup", "ok", told)
    else:
        yield Check("project", "backup", "ok", "none yet; the daemon makes one each day")


def _check_files(memory: Memory) -> Iterator[Check]:
    state = memory.overview.describe()
    files = sum(root.files for root in state.roots)
    others = {*state.rule_faults, *(one for one in state.torn if one.path in FILES)}
    faults = len(state.faults) - len(others)
    told = f"{files - faults} of {files} memory files valid"
    if faults:
        yield Check("project", "files", "fail", told, "see them with: dmm validate")
    else:
        yield Check("project", "files", "ok", told)
    for fault in state.torn:
        told = f"{fault.where}: {fault.message}"
        yield Check("project", "merge conflict", "fail", told, fault.hint)
    for fault in (one for one in state.rule_faults if one not in state.torn):
        told = f"{fault.where}: {fault.message}"
        yield Check("project", "rule file", "fail", told, fault.hint or "see: dmm validate")
    yield from _check_git(memory.folder, state.ignored)
    for root in state.roots:
        yield _check_index(root, memory.reindex)


def _check_git(folder: Path, ignored: Sequence[Finding]) -> Iterator[Check]:
    """Name what a clone would not have."""
    if not ignored:
        yield Check("project", "Git", "ok", "no memory or rule is ignored")
        return
    names = ", ".join(f"{one.path}: {one.message}" for one in ignored[:MOST_NAMED])
    more = f" and {len(ignored) - MOST_NAMED} more" if len(ignored) > MOST_NAMED else ""
    way = "have Git keep them (in .dmm/.gitignore): dmm doctor --fix"
    told = f"a clone would lose {names}{more}"
    yield Check("project", "Git", "fail", told, way, fix=lambda: keep_in_git(folder))


def _check_index(root: RootState, reindex: Callable[[], object]) -> Check:
    index, name = root.index, f"index of {root.folder}"
    if index.up_to_date and not index.without_vectors:
        return Check("project", name, "ok", f"up to date, {index.indexed} memories")
    if index.note and endpoint.is_running():
        # The newest part is in a log that only its owner may read.
        return Check("project", name, "ok", f"open in the daemon, {_progress(root)}")
    if index.state == "not built":
        return Check("project", name, "ok", "not built yet; the next query builds it", fix=reindex)
    if index.state == "ready":
        counts = {"new": index.added, "changed": index.changed, "removed": index.removed}
        counts["without vectors"] = index.without_vectors
        parts = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
        told = f"behind the files: {parts}"
        return Check("project", name, "warn", told, "dmm reindex", fix=reindex)
    told = f"{index.state}: {index.note}" if index.note else index.state
    return Check("project", name, "fail", told, "dmm reindex", fix=reindex)


def _progress(root: RootState) -> str:
    """Return how far the daemon is with an index."""
    told = ask_status(ANSWER_WITHIN)
    for one in () if told is None else told.projects:
        if one.indexing and Path(root.folder).parent == Path(one.root):
            done, of = one.indexing
            return f"which is indexing it, {100 * done // max(1, of)} % done"
    return "which keeps it up to date"


def _check_ledger(audit: Audit) -> Iterator[Check]:
    if not audit.project_ledger.exists and not audit.project_ledger.missing:
        yield Check("project", "ledger", "ok", "none yet")
        return
    try:
        told = audit.verify()
    except LedgerRefused as error:
        yield Check("project", "ledger", "fail", error.what, error.hint or "see: dmm trust")
        return
    if told.wrong_snapshots:
        what = f"the stored state at event {told.wrong_snapshots[0]} was changed"
        yield Check("project", "ledger", "fail", what, "see: dmm ledger verify")
    elif not told.valid:
        what = f"broken at event {told.first_bad_seq}: {told.reason}"
        yield Check("project", "ledger", "fail", what, "see: dmm ledger verify")
    else:
        yield Check("project", "ledger", "ok", f"the chain of {told.events} events is valid")


def _check_passkeys(passkeys: KnownPasskeys) -> Iterator[Check]:
    """Tell of passkeys that can't confirm any more; of none, nothing."""
    missing = len(passkeys.missing())
    if missing:
        told = f"the ledger knows {missing} that you do not have here, so nothing can be decided"
        way = "restore passkeys.jsonl, or run: dmm trust --forget-passkeys"
        yield Check("project", "passkeys", "fail", told, way)
    unproven = passkeys.keyring.unproven()
    if unproven:
        lines = ", ".join(map(str, unproven[:MOST_NAMED]))
        told = (
            f"passkeys.jsonl has {len(unproven)} without a valid signature, ignored: line {lines}"
        )
        way = "if you added a passkey there, add it again in the web UI: dmm ui"
        yield Check("project", "passkeys", "warn", told, way)
    for event in passkeys.given_up():
        told = f"lost passkeys were given up on {event.at[:10]} (event {event.seq})"
        way = "if that was not you, a program has decided in your name since: dmm ledger log"
        yield Check("project", "passkeys", "warn", told, way)


# The daemon


def check_daemon() -> Iterator[Check]:
    """Check the background process, and what an earlier one may have left behind."""
    folder, state = Path(endpoint.run_folder()), Path(endpoint.state_folder())
    yield from _check_state(state)
    yield from _check_folder(folder)
    told = ask_health(ANSWER_WITHIN)
    if told is not None:
        yield _check_answer(told)
        yield from attempt("daemon", "HTTP", lambda: _check_http(folder))
    elif endpoint.is_running():
        way = "dmm daemon stop; if that does not help, kill its process"
        yield Check("daemon", "socket", "fail", "a process holds the lock but does not answer", way)
    else:
        yield from _check_remains(folder)
    yield _check_spool(state / "spool")


def _check_state(folder: Path) -> Iterator[Check]:
    """Find a state folder that can't be written: no daemon starts, and nothing is trusted anew."""
    there = next(one for one in (folder, *folder.parents) if os.path.lexists(one))
    if not (there.is_dir() and os.access(there, os.W_OK)):
        way = f"check the owner and permissions of {there}; or name a folder with DMM_STATE_DIR"
        yield Check("daemon", "state folder", "fail", f"{folder} can't be written", way)


def _check_folder(folder: Path) -> Iterator[Check]:
    try:
        found = folder.lstat()
    except FileNotFoundError:
        return
    mode = stat.S_IMODE(found.st_mode)
    if sys.platform != "win32" and (not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid()):
        told = "it does not belong to you"
        yield Check("daemon", "run folder", "fail", f"{folder}: {told}", "remove it")
    elif mode & 0o077:
        told = f"{folder}: other users can enter it (mode {mode:o})"
        way = f"chmod 700 {folder}"
        yield Check("daemon", "run folder", "fail", told, way, fix=lambda: folder.chmod(0o700))
    else:
        yield Check("daemon", "run folder", "ok", f"{folder}, private to you")


def _check_answer(told: Health) -> Check:
    if told.version == VERSION:
        up = f"it answers (process {told.pid}, version {VERSION})"
        return Check("daemon", "socket", "ok", up)
    what = f"it is version {told.version}, this is {VERSION}"
    return Check("daemon", "socket", "warn", what, "dmm daemon stop; the next hook starts it again")


def _check_http(folder: Path) -> Iterator[Check]:
    # A process answers calls once it has told its port: what is not told by now never will be.
    yield Check("daemon", "HTTP", "ok", f"it answers on port {ask_http(folder)}")


def _check_remains(folder: Path) -> Iterator[Check]:
    left = [name for name in (endpoint.SOCKET, endpoint.ABOUT) if os.path.lexists(folder / name)]
    if left:
        told = f"not running, but left behind: {', '.join(left)}"
        way = "dmm daemon start; it removes them"
        yield Check("daemon", "socket", "warn", told, way, fix=lambda: _clear(folder, left))
        return
    told = "not running; the first hook starts it"
    yield Check("daemon", "socket", "ok", told, fix=endpoint.start)


def _clear(folder: Path, names: list[str]) -> None:
    """Remove what a dead process has left; one that came up meanwhile keeps its own."""
    if not endpoint.is_running():
        for name in names:
            (folder / name).unlink(missing_ok=True)
        endpoint.start()


def _check_spool(folder: Path) -> Check:
    try:
        waiting = sum(path.suffix == ".event" for path in folder.iterdir())
    except FileNotFoundError:
        return Check("daemon", "spool", "ok", "empty")
    lost = losses.count()
    told = f"{waiting} events pending" if waiting else "empty"
    if waiting > BACKLOG or lost:
        told += f", {lost} events were lost: the disk or the spool was full" if lost else ""
        way = "free some disk space; dmm daemon start records the pending events"
        return Check("daemon", "spool", "warn", told, way, fix=endpoint.start)
    return Check("daemon", "spool", "ok", told)
