"""Review memory from elsewhere before trusting it, and the decision."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass, replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from dmm.clients.registry import all_clients
from dmm.domain.hidden import find_hidden
from dmm.errors import DmmError, LedgerBroken, MemoryFileError, PathRefused, StorageError
from dmm.eventlog.identity import peek
from dmm.eventlog.open_ledger import TrustedLedger
from dmm.eventlog.place import stands
from dmm.eventlog.verify import verify
from dmm.files.consents import find_consents, with_plain_ends
from dmm.files.durable import sync_directory, translated
from dmm.files.repository import find_repository
from dmm.files.shipped import is_example
from dmm.files.trusted import Kept
from dmm.reading import read_regular
from dmm.rulefile import RuleFiles
from dmm.rules.folder import FOLDER as RULES
from dmm.rules.folder import list_rule_files
from dmm.rules.project_ledger import ProjectLedger

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterator

    from dmm.files.consents import Change, Consents
    from dmm.files.roots import Root
    from dmm.files.trusted import TrustStore
    from dmm.rules.wording import ShownRule

T = TypeVar("T")
TEXTS = ("BOOT.md", "policy.md")
BROUGHT = tuple(sorted({path for client in all_clients() for path in client.brought}))
LONGEST = 160
MAX_TEXT_BYTES = 1 << 20
MAX_LEDGER_BYTES = 64 << 20
LOGS = ("-wal", "-shm")
_DAMAGED = (
    "see what is wrong: dmm ledger verify; to set it aside and start a new one: dmm trust --yes; "
    "then a backup of your own: dmm ledger restore"
)


@dataclass(frozen=True, slots=True)
class Always:
    """A memory that every session would begin with."""

    path: str
    title: str
    begins: str


@dataclass(frozen=True, slots=True)
class Demand:
    """A constraint that would be in force."""

    text: str
    priority: str


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a project's memory holds, for a person who decides whether to trust it.

    `memories` counts by top folder, `faulty` the files that can't be read as memories; `changed`
    are texts that differ from those DMM writes; `brought` are settings of agents in the project;
    `hidden` counts characters that can't be seen. `strange` says of a trusted project that its
    ledger is not as it was written here: `other`, `gone`, `damaged`, or `behind` what was recorded.
    `rules` are the rule files that would come into force, in plain words. `written_in` is the
    folder in which the user wrote the ledger, for a project that was moved or restored.
    """

    folder: str
    trusted: bool
    memories: dict[str, int]
    faulty: int
    baseline: tuple[Always, ...]
    ledger: str | None
    constraints: tuple[Demand, ...]
    ledger_note: str
    changed: tuple[str, ...]
    brought: tuple[str, ...]
    hidden: int
    strange: str = ""
    changes: tuple[Change, ...] = ()
    rules: tuple[ShownRule, ...] = ()
    written_in: str | None = None

    @property
    def is_open(self) -> bool:
        """Whether there is something to decide."""
        return not self.trusted or bool(self.strange or self.changes)

    def describe(self) -> object:
        """Return it as plain data."""
        held = [{"path": one.path, "kind": one.kind} for one in self.changes]
        return asdict(replace(self, changes=())) | {"changes": held}


@dataclass(frozen=True, slots=True)
class Vetting:
    """Lets a person look at one project's memory and trust it, or not.

    `check` refuses settings that the project could not be opened with: once agreed to, they would
    stay in force, and no command could take them back.
    """

    root: Root
    store: TrustStore
    ledger: Path
    now: Callable[[], dt.datetime]
    earlier: tuple[Path, ...] = ()
    check: Callable[[], object] = lambda: None

    @property
    def trusted(self) -> bool:
        """Whether the memory may be used without being asked for."""
        return self.store.is_trusted(self.root.folder)

    def seal(self) -> str:
        """Return one digest of all that trust would admit, as it stands."""
        stamps = self.root.tree.scan().stamps
        files = {one.path: _digest(self.root.folder / "memory" / one.path) for one in stamps}
        ledger = self._identify() if stands(self._held) else None
        told = [files, self._consents.seal(), ledger, self.strange]
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()

    def inspect(self) -> Inspection:
        """Return everything that trust would admit; nothing is changed."""
        tree = self.root.tree
        scan = tree.scan()
        trusted, shipped, strange = self.trusted, stands(self._held), self.strange
        baseline, hidden, faulty = [], 0, len(scan.faults)
        for stamp in scan.stamps:
            hidden += _count_hidden(self.root.folder / "memory" / stamp.path)
            try:
                memory = tree.load(stamp.path).memory
            except MemoryFileError:
                faulty += 1
                continue
            if stamp.path.startswith("baseline/") and not is_example(memory.body):
                baseline.append(Always(stamp.path, memory.title, _begin(memory.body)))
        changes = tuple(self._consents.changes())
        demands, note = self._demands() if shipped and (strange or not trusted) else ((), "")
        return Inspection(
            folder=str(self.root.folder),
            trusted=trusted,
            memories=dict(Counter(stamp.path.partition("/")[0] for stamp in scan.stamps)),
            faulty=faulty,
            baseline=tuple(baseline),
            ledger=str(self._held) if shipped else None,
            constraints=demands,
            ledger_note=note,
            changed=tuple(self._changed()),
            brought=tuple(n for n in BROUGHT if os.path.lexists(self.root.project / n)),
            hidden=hidden + sum(_count_hidden(self.root.folder / name) for name in TEXTS),
            strange=strange,
            changes=changes,
            rules=tuple(self._rules(changes)),
            written_in=self._find_writer(),
        )

    def _rules(self, changes: tuple[Change, ...]) -> Iterator[ShownRule]:
        """Show the rules that would come into force: all of a clone's, or those that changed."""
        folder = self.root.folder
        found = {one.path: one.after for one in changes if one.path.startswith(f"{RULES}/")}
        if not self.trusted:
            found = {path: _read(folder / path) for path in sorted(list_rule_files(folder))}
        for path, data in found.items():
            if data is not None:
                # The rules take long to load, and many projects have none in files.
                from dmm.rules.wording import show_rule_file

                yield show_rule_file(path, data)

    @property
    def _consents(self) -> Consents:
        return find_consents(self.store, self.root.folder)

    @property
    def _held(self) -> Path:
        """The ledger that is there: in its place, or where one can come with a clone."""
        places = (self.ledger, *self.earlier)
        return next((path for path in places if stands(path)), self.ledger)

    @property
    def strange(self) -> str:
        """Return how the ledger of a trusted project is not the one that was written here."""
        found = self.store.find(self.root.folder)
        if found is None:
            return ""
        known = found.ledger
        if not stands(self._held):
            return "gone" if known is not None and known.settled else ""
        first = self._identify()
        if first is None and (known is None or not known.settled):
            return ""
        if first is None:
            # A link is not followed: what it leads to was not written here.
            return "other" if self._held.is_symlink() else "damaged"
        if known is None or known.first != first:
            return "other"
        return "" if self._is_whole() else "behind"

    def _is_whole(self) -> bool:
        """Return whether the ledger holds all that was recorded in it.

        Of one that can't be opened nobody can say that something is missing.
        """
        record = TrustedLedger(self.store, self.root.folder)
        own = ProjectLedger(self.ledger, self.now, record_of=record, earlier=self.earlier)
        try:
            own.state()
        except DmmError as error:
            return isinstance(error, StorageError) and not isinstance(error, LedgerBroken)
        finally:
            own.close()
        return True

    def accept(self, seen: Inspection | None = None, *, with_ledger: bool = False) -> Path | None:
        """Trust the project, as it was seen or as it is, with all that instructs and configures.

        A ledger that came with it is put aside, unless it is wanted too or the user's own; a
        damaged one can't be kept. The same goes for one that took the place of a trusted project's
        own. Gives the place where that ledger is now.
        """
        self.check()
        trusted = self.trusted
        if trusted:
            self._consents.accept_seen(self._consents.changes() if seen is None else seen.changes)
            if not self.strange:
                return None
        if not with_ledger and not self._is_own():
            what = "this project's .git leads to another project's ledger"
            hint = "if you want the two to share it: dmm trust --with-ledger"
            raise PathRefused(what, where=str(self.ledger), hint=hint)
        there = stands(self._held)
        with_ledger = with_ledger or self._find_writer() is not None
        first = self._identify() if there and with_ledger else None
        flaw = "" if first is None else self._flaw()
        if flaw:
            raise LedgerBroken(flaw, where=str(self._held), hint=_DAMAGED)
        # Nothing can be kept of one that can't be read.
        aside = self._put_aside() if there and first is None else None
        self.store.trust(self.root.folder)
        if not trusted:
            self._consents.accept()
        self.store.keep_ledger(self.root.folder, None if first is None else Kept(first))
        if first is not None:
            # A person has looked at it: from here on its newest event counts.
            TrustedLedger(self.store, self.root.folder).mark(first).forget()
        return aside

    def revoke(self) -> bool:
        """Trust the project no more; say whether it was trusted."""
        # The record first: if it can't be written, the rules stay.
        was = self.store.revoke(self.root.folder)
        RuleFiles(str(self.store.path.parent)).remove(str(self.root.folder))
        self._consents.forget()
        return was

    def _put_aside(self) -> Path:
        """Rename the ledger; nothing is deleted, and nobody else's rules become ours."""
        held = self._held
        name = f"{held.name}.untrusted-{self.now().date().isoformat()}"
        target, number = held.with_name(name), 1
        while os.path.lexists(target):
            number += 1
            target = held.with_name(f"{name}-{number}")
        with translated(held, "set the ledger aside"):
            for end in (*LOGS, ""):
                part = held.with_name(held.name + end)
                if os.path.lexists(part):
                    part.rename(target.with_name(target.name + end))
            sync_directory(target.parent)
        return target

    def _is_own(self) -> bool:
        """Whether the ledger belongs to this project: it is inside, or the repository vouches."""
        if self.ledger.parent == self.root.folder.resolve():
            return True
        found = find_repository(self.root.folder)
        linked = self._held.parent.resolve() != self._held.parent
        return found is not None and found.vouched and not linked

    def _find_writer(self) -> str | None:
        """Find where the user wrote the ledger of a project that is not trusted in this place."""
        if self.trusted or not stands(self._held) or not self._is_own():
            return None
        record = TrustedLedger(self.store, self.root.folder)
        try:
            writer = self._look(lambda project_ledger: record.find_writer(project_ledger.log))
        except (OSError, DmmError):
            return None
        return None if writer is None or self._flaw() else writer

    def _flaw(self) -> str:
        """Return what is damaged in the ledger, and which part is not; nothing if all is whole."""
        try:
            found, damage = self._look(
                lambda project_ledger: (
                    verify(project_ledger.log.raw()),
                    project_ledger.log.damage(),
                )
            )
        except OSError:
            # Too large to be looked at; whoever wants it is told so.
            return ""
        except DmmError as error:
            return error.what
        if found.valid:
            return f"the ledger is damaged: {damage[0]}" if damage else ""
        intact = f"events 1 to {found.events} are" if found.events > 1 else "event 1 is"
        whole = f"; {intact} intact" if found.events else ""
        return f"event {found.first_bad} of the ledger is damaged: {found.reason}{whole}"

    def _demands(self) -> tuple[tuple[Demand, ...], str]:
        """Read the constraints in force."""
        try:
            return self._look(_in_force), self._flaw()
        except OSError as error:
            return (), f"it can't be read: {error.strerror}"
        except DmmError as error:
            return (), f"it can't be read: {error.what}"

    def _identify(self) -> str | None:
        """Return which ledger is there; the log beside it may belong to the one it replaced."""
        try:
            return peek(self._held) or self._look(lambda project_ledger: project_ledger.log.first())
        except PermissionError as error:
            what, hint = "the ledger can't be read", "check its owner and permissions"
            raise StorageError(what, where=str(self._held), hint=hint) from error
        except (OSError, DmmError):
            return None

    def _look(self, read: Callable[[ProjectLedger], T]) -> T:
        """Read from a copy, so that a look leaves the ledger as it is."""
        with tempfile.TemporaryDirectory(prefix="dmm-look-") as folder:
            copy = Path(folder) / "ledger.db"
            for end in ("", LOGS[0]):
                part = self._held.with_name(self._held.name + end)
                if not end or part.exists():
                    data = read_regular(part, MAX_LEDGER_BYTES)[0]
                    copy.with_name(copy.name + end).write_bytes(data)
            with contextlib.closing(ProjectLedger(copy, self.now)) as project_ledger:
                return read(project_ledger)

    def _changed(self) -> Iterator[str]:
        templates = resources.files("dmm.files") / "templates"
        for name in TEXTS:
            path = self.root.folder / name
            if os.path.lexists(path) and _read(path) != (templates / name).read_bytes():
                yield name


def _in_force(project_ledger: ProjectLedger) -> tuple[Demand, ...]:
    # Worktrees, and the place before a move, each have a record of the same rule file.
    found = (Demand(one.text, one.priority) for one in project_ledger.state().in_force)
    return tuple(dict.fromkeys(found))


def _read(path: Path) -> bytes:
    try:
        return with_plain_ends(read_regular(path, MAX_TEXT_BYTES)[0])
    except OSError:
        # A link, a pipe or a huge file: it differs, and its characters are not looked at.
        return b""


def _digest(path: Path) -> str:
    return hashlib.sha256(_read(path)).hexdigest()


def _count_hidden(path: Path) -> int:
    return sum(map(len, find_hidden(_read(path).decode("utf-8", "replace")).values()))


def _begin(body: str) -> str:
    """Return the first line of a text that is not a heading."""
    lines = (line.strip() for line in body.splitlines())
    line = next((line for line in lines if line and not line.startswith("#")), "")
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
