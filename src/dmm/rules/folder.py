"""Read the rule files of one checkout in the texts that the user approved.

The files are what is in force, whether or not the ledger can be written. A file that changed
without the user's consent counts in the text they agreed to last, and so does one that broke.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.domain.event import Trust
from dmm.domain.frozen import frozen
from dmm.errors import MemoryFileError
from dmm.eventlog.state import FILE, Constraint
from dmm.files.consents import RACY_NS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from dmm.eventlog.state import State
    from dmm.files.consents import Consents
    from dmm.rules.rule import Rule
    from dmm.rules.rule import State as RuleState

FOLDER = "rules"
ENDING = ".md"
# Up to so many files are looked at with every call; more only once in a while, unless one came or
# went, which their folder shows.
FEW = 64
LOOK_EVERY = 1.0
DEEPEST = 8
MAX_BYTES = 1 << 20

Stamp = tuple[int, ...]


@frozen
class FileRule:
    """An active rule with its file; `held` if the file says something else.

    `seq` is the event that recorded it, 0 until there is one.
    """

    rule: Rule
    path: str
    source: str
    digest: str
    held: bool = False
    seq: int = 0

    @property
    def state(self) -> RuleState:
        """What the rule does."""
        from dmm.rules.source import state_of_rule

        return state_of_rule(self.rule)


@frozen
class Found:
    """The rules in the files, and the faults with their lines."""

    rules: tuple[FileRule, ...] = ()
    faults: tuple[MemoryFileError, ...] = ()


@dataclass(slots=True)
class RuleFolder:
    """The rule files of one .dmm folder, under the consents of its user.

    `in_ledger` holds the files and the record of them that were last seen to agree.
    """

    root: Path
    consents: Consents
    in_ledger: tuple[Found, Mapping[str, Constraint]] | None = None
    _stamps: dict[str, Stamp] = field(default_factory=dict)
    _folders: dict[Path, int] | None = None
    _looked: float = 0.0
    _texts: dict[str, tuple[bytes | None, bool]] = field(default_factory=dict)
    _agreed: Stamp | None = None
    _unsettled: bool = False
    _found: tuple[Mapping[str, Constraint], Found] | None = None
    _recorded: tuple[dict[int, Constraint], dict[str, Constraint]] | None = None
    _standing: tuple[dict[int, Constraint], Found, list[Constraint]] | None = None

    @property
    def place(self) -> str:
        """The name of this checkout in a shared ledger."""
        return hashlib.sha256(os.fsencode(self.root)).hexdigest()[:16]

    def recorded(self, state: State) -> Mapping[str, Constraint]:
        """Return the rules from files that the ledger records as active here, by path."""
        known = self._recorded
        if known is None or known[0] is not state.constraints:
            place = self.place
            held = {
                one.path: one for one in state.in_force if one.place == place and not one.pending
            }
            if known is not None and known[1] == held:
                held = known[1]
            known = self._recorded = (state.constraints, held)
        return known[1]

    def standing(self, state: State) -> list[Constraint]:
        """Return everything active here: the ledger's constraints and the rules in files."""
        recorded = self.recorded(state)
        found = self.read(recorded)
        known = self._standing
        if known is None or known[0] is not state.constraints or known[1] is not found:
            # A proposed rule has no file yet; until a person decides, it asks.
            plain = [one for one in state.in_force if one.pending or not one.from_file]
            known = (state.constraints, found, [*plain, *self._enacted(found, recorded)])
            self._standing = known
        return known[2]

    def alone(self) -> list[Constraint]:
        """Return only the rules in files, for when the ledger can't be read."""
        return list(self._enacted(self.read({}), {}))

    def _enacted(self, found: Found, recorded: Mapping[str, Constraint]) -> Iterator[Constraint]:
        for one in found.rules:
            if one.rule.disabled:
                continue
            known = recorded.get(one.path)
            same = known is not None and known.digest == one.digest
            yield known if known is not None and same else enact(one, self.place)

    def read(self, recorded: Mapping[str, Constraint]) -> Found:
        """Read the rules; for a broken file, use the text that the ledger recorded."""
        changed = self._read_texts()
        if self._found is None or changed or self._found[0] is not recorded:
            self._found = (recorded, self._compile(recorded))
        return self._found[1]

    def _read_texts(self) -> bool:
        """Read changed files and consents; return whether a text has changed."""
        agreed = self.consents.stamp
        if not self._look() and agreed == self._agreed and not self._unsettled:
            return False
        # A file written a moment ago may change again without a new stamp.
        now = time.time_ns()
        self._unsettled = any(now - stamp[-1] <= RACY_NS for stamp in self._stamps.values())
        paths = {*self._stamps, *self.consents.agreed(f"{FOLDER}/")}
        texts = {path: self.consents.weigh(path) for path in sorted(paths)}
        changed = texts != self._texts
        self._texts, self._agreed = texts, agreed
        return changed

    def _look(self) -> bool:
        """Return whether files have changed; of many files, only the folders are checked often."""
        now = time.monotonic()
        if self._folders is not None and len(self._stamps) > FEW:
            same = all(_changed(path) == at for path, at in self._folders.items())
            if same and now - self._looked < LOOK_EVERY:
                return False
        folders: dict[Path, int] = {}
        stamps = dict(_scan(self.root / FOLDER, FOLDER, folders))
        self._looked = now
        moved = stamps != self._stamps
        self._stamps, self._folders = stamps, folders
        return moved

    def _compile(self, recorded: Mapping[str, Constraint]) -> Found:
        rules: list[FileRule] = []
        faults: list[MemoryFileError] = []
        for path, (data, held) in self._texts.items():
            if data is not None:
                rules += _read_file(path, data, recorded.get(path), faults, held=held)
        faults += find_doubles((one.path, one.rule.id) for one in rules)
        order = sorted(rules, key=lambda one: (one.rule.id, one.path))
        return Found(tuple(order), tuple(faults))


def _read_file(
    path: str,
    data: bytes,
    recorded: Constraint | None,
    faults: list[MemoryFileError],
    *,
    held: bool,
) -> Iterator[FileRule]:
    """Read one file; if it is broken, return its last active rule."""
    from dmm.files.markdown import decode
    from dmm.rules.source import check_rule, read_rule

    try:
        source = decode(path, data)
        named = digest_source(source)
        known = recorded is not None and recorded.digest == named
        rule = read_rule(path, source) if known else check_rule(path, source)
        yield FileRule(rule, path, source, named, held)
    except MemoryFileError as fault:
        faults.append(fault)
        if recorded is not None and recorded.source:
            with contextlib.suppress(MemoryFileError):
                rule = read_rule(path, recorded.source)
                yield FileRule(rule, path, recorded.source, recorded.digest, held=True)


def enact(one: FileRule, place: str, seq: int = 0) -> Constraint:
    """Return a rule file as a constraint."""
    return Constraint(
        seq=seq,
        text=one.rule.title,
        priority=priority_of(one.rule),
        trust=Trust.REVIEWED.value,
        triggered_by=one.rule.triggered_by,
        rule=describe_file(one, place),
    )


def describe_file(one: FileRule, place: str) -> dict[str, str]:
    """Return a rule file as the ledger records it."""
    return {
        "kind": FILE,
        "id": one.rule.id,
        "path": one.path,
        "digest": one.digest,
        "place": place,
        "source": one.source,
    }


def priority_of(rule: Rule) -> str:
    """Return the priority of a rule among constraints."""
    return "required" if rule.binds else "preferred"


def digest_source(source: str) -> str:
    """Return the digest of a rule file's text."""
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()


def find_doubles(ids: Iterable[tuple[str, str]]) -> Iterator[MemoryFileError]:
    """Report files whose rule has the id of another; both stay active."""
    first: dict[str, str] = {}
    for path, rule in ids:
        other = first.setdefault(rule, path)
        if other != path:
            what = f"the id '{rule}' is also used by {other}"
            yield MemoryFileError(path, "content", what, hint="give it another id")


def list_rule_files(root: Path) -> list[str]:
    """List the rule files of a .dmm folder."""
    return [path for path, _ in _scan(root / FOLDER, FOLDER, {})]


def _scan(
    folder: Path, name: str, folders: dict[Path, int], depth: int = 0
) -> Iterator[tuple[str, Stamp]]:
    """Find the rule files in a folder with their stamps; no link is followed."""
    folders[folder] = _changed(folder)
    try:
        entries = [] if folder.is_symlink() else list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        try:
            found = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        path = f"{name}/{entry.name}"
        if stat.S_ISDIR(found.st_mode) and depth < DEEPEST:
            yield from _scan(folder / entry.name, path, folders, depth + 1)
        elif entry.name.endswith(ENDING) and stat.S_ISREG(found.st_mode):
            yield path, (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _changed(folder: Path) -> int:
    try:
        return folder.lstat().st_mtime_ns
    except OSError:
        return 0
