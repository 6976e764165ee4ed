"""Validate all memory files and report every error and warning."""

from __future__ import annotations

import contextlib
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.domain.memory import MOST_TOKENS, Origin, Scope, has_expired
from dmm.domain.pack import Freshness, shown_path
from dmm.domain.report import Finding, ValidationReport
from dmm.domain.text import neutralise
from dmm.errors import DmmError, MemoryFileError
from dmm.files import citations, markdown, repairs
from dmm.files.commits import find_ignored
from dmm.files.consents import FILES, MAX_BYTES
from dmm.files.texts import check_characters, check_isolation, check_markers, describe_fault
from dmm.index.analysis import analyze
from dmm.merge.notes import find_notes
from dmm.packs.baseline import overflow_notice
from dmm.packs.baselines import compile_baseline
from dmm.packs.twins import find_pairs
from dmm.reading import read_regular

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from dmm.config import RetrievalConfig, ValidationConfig
    from dmm.domain.memory import Citation, Memory
    from dmm.domain.proposal import Edit
    from dmm.domain.report import Repair
    from dmm.files.markdown import Document
    from dmm.files.roots import Root
    from dmm.files.tree import MemoryTree
    from dmm.index.service import Indexes
    from dmm.index.snapshot import Place, Snapshot
    from dmm.index.sync import Progress

    Count = Callable[[str], int]

# Of the shorter one's words; texts on one script point the same way and say different things.
SHARED = 0.7


@dataclass(frozen=True, slots=True)
class Validation:
    """Checks the memory files of one project, and fixes them on request.

    Without `indexes` it looks for no near-duplicates; `own` is for the user's own memory, whose
    paths are those of any project.
    """

    root: Root
    settings: ValidationConfig
    retrieval: RetrievalConfig
    indexes: Indexes | None
    count: Count
    today: Callable[[], dt.date]
    write: Callable[[Edit, str], object]
    own: bool = False

    def check(self, progress: Progress | None = None) -> ValidationReport:
        """Check every file; nothing but the derived index is written."""
        return _Check(self, self.today(), progress).carry_out()

    def fix(self, progress: Progress | None = None) -> tuple[tuple[Repair, ...], ValidationReport]:
        """Fix what can be fixed safely, then check again."""
        files, _ = read_files(self.root.tree, (s.path for s in self.root.tree.scan().stamps))
        return tuple(repairs.repair(files, self.today(), self.write)), self.check(progress)


def read_files(
    tree: MemoryTree, paths: Iterable[str]
) -> tuple[dict[str, bytes], dict[str, Finding]]:
    """Read files, each once; for one that can't be read there is a finding instead."""
    files: dict[str, bytes] = {}
    refused: dict[str, Finding] = {}
    for path in paths:
        try:
            files[path] = tree.read(path)
        except MemoryFileError as fault:
            refused[path] = describe_fault(fault)
        except DmmError as error:
            refused[path] = Finding(path, "error", "io", error.what, hint=error.hint)
    return files, refused


def find_torn(folder: Path) -> Iterator[Finding]:
    """Name the launch contract, policy or settings where Git left them in two versions."""
    for name in FILES:
        with contextlib.suppress(OSError):
            data = read_regular(folder / name, MAX_BYTES)[0]
            yield from check_markers(name, data.decode("utf-8", "replace"))


def check_expiry(path: str, expires: dt.date | None, today: dt.date) -> Finding | None:
    """Warn of a memory that is no longer served."""
    if expires is None or not has_expired(expires, today):
        return None
    hint = "delete it, give it a later day, or make it a project memory"
    message = f"expired on {expires.isoformat()[:10]}; it is no longer served"
    return Finding(path, "warning", "expired", message, hint=hint)


def check_citations(
    path: str, cites: Iterable[Citation], project: Path, states: frozenset[Freshness]
) -> list[Finding]:
    """Warn of cited code that is no longer as it was when the memory was written."""
    checks = (citations.check(project, cite) for cite in cites)
    return [
        Finding(
            path,
            "warning",
            "stale_citation",
            f"cites {check.cite}: {check.state}" + (f", now {check.now}" if check.now else ""),
            hint="correct the memory, then its 'cites'",
        )
        for check in checks
        if check.state in states
    ]


def find_lost(folder: Path, paths: Iterable[str]) -> list[Finding]:
    """Warn of memories and rules that Git ignores: no clone would have them.

    Where it ignores all of them, the memory is kept out of Git on purpose.
    """
    places = {one if one.startswith("rules/") else f"memory/{one}": one for one in paths}
    ignored = find_ignored(folder, list(places))
    if len(ignored) == len(places):
        return []
    hint = "rename its folder, or have Git keep it: dmm doctor --fix"
    return [
        Finding(places[path], "warning", "ignored", f"Git ignores it ({by})", hint=hint)
        for path, by in ignored.items()
    ]


ANY_STALE = frozenset({Freshness.MOVED, Freshness.CHANGED, Freshness.GONE})


@dataclass(slots=True)
class _Check:
    """One run: what was read, and what was found so far."""

    parts: Validation
    today: dt.date
    progress: Progress | None = None
    findings: list[Finding] = field(default_factory=list)
    documents: dict[str, Document] = field(default_factory=dict)
    ids: set[str] = field(default_factory=set)

    def carry_out(self) -> ValidationReport:
        tree = self.parts.root.tree
        scan = tree.scan()
        paths = [stamp.path for stamp in scan.stamps]
        self.findings += [self._unfollowed(fault) for fault in scan.faults]
        files, refused = read_files(tree, paths)
        self.findings += refused.values()
        for path, data in files.items():
            self._look(path, data)
        for document in self.documents.values():
            self._look_closer(document)
        descriptors = [stamp.path for stamp in scan.descriptors]
        self._look_at_descriptors(tree, descriptors)
        self.findings += find_torn(self.parts.root.folder)
        self.findings += _check_letter_case([*paths, *descriptors])
        self._check_ids()
        self._check_baseline(files)
        self._check_twins()
        paths += self._check_rules()
        self.findings += find_lost(self.parts.root.folder, paths)
        return self._report(paths)

    def _check_rules(self) -> list[str]:
        """Check the rule files, and list them."""
        # The rules take long to load, and others use this module without them.
        from dmm.rules.faults import check_rule_files, find_rule_files

        files = find_rule_files(self.parts.root.folder)
        self.findings += check_rule_files(files, self.parts.settings.isolation_terms)
        for path, data in files.items():
            self.findings += _check_notes(path, (data or b"").decode("utf-8", "replace"))
        return list(files)

    def _report(self, paths: list[str]) -> ValidationReport:
        wrong = {finding.path for finding in self.findings if finding.level == "error"}
        order = sorted(
            self.findings, key=lambda f: (f.path, f.level, f.line or 0, f.check, f.message)
        )
        return ValidationReport(len(paths), len(set(paths) - wrong), tuple(order))

    def _warn(self, path: str, check: str, message: str, hint: str | None = None) -> None:
        self.findings.append(Finding(path, "warning", check, message, hint=hint))

    def _unfollowed(self, fault: MemoryFileError) -> Finding:
        link = (self.parts.root.tree.root / fault.path).is_symlink()
        check = "symlink" if link else fault.fault
        return Finding(fault.path, "error", check, fault.what, hint=fault.hint)

    def _look(self, path: str, data: bytes) -> None:
        """Read one file as a memory."""
        try:
            text = markdown.decode(path, data)
        except MemoryFileError as fault:
            self.findings.append(describe_fault(fault))
            return
        try:
            self.documents[path] = markdown.parse(path, text)
            self.ids.add(self.documents[path].memory.id)
        except MemoryFileError as fault:
            fixable = _is_fixable(fault, text, self.today)
            self.findings.append(describe_fault(fault, fixable=fixable))
            self.ids |= {name for name in [repairs.claimed_id(path, text)] if name}
        self.findings += _check_notes(path, text)
        self.findings += check_characters(path, text, fixable=_loses_mark(path, text, self.today))
        self.findings += check_isolation(path, text, self.parts.settings.isolation_terms)

    def _look_at_descriptors(self, tree: MemoryTree, paths: list[str]) -> None:
        files, refused = read_files(tree, paths)
        self.findings += refused.values()
        for path, data in files.items():
            try:
                text = markdown.decode(path, data)
                self.findings += check_markers(path, text)
                self.findings += check_characters(path, text)
                self.findings += check_isolation(path, text, self.parts.settings.isolation_terms)
            except MemoryFileError as fault:
                self.findings.append(describe_fault(fault))

    def _look_closer(self, document: Document) -> None:
        """Check a sound memory against the recommendations and the rest of the project."""
        memory = document.memory
        for name, line in document.unknown:
            message = f"unknown field '{name}'"
            known = ", ".join((*markdown.REQUIRED, *markdown.OPTIONAL))
            self.findings.append(
                Finding(
                    memory.path, "warning", "unknown_field", message, line, f"known fields: {known}"
                )
            )
        self._check_tags(memory)
        self._check_tokens(memory)
        self._check_links(memory)
        if self.parts.settings.warn_on_missing_optional and memory.created is None:
            self._warn(
                memory.path, "no_created", "no 'created' day", "add one: created: 2026-01-31"
            )
        if memory.in_force:
            self._check_expiry(memory)
            project = self.parts.root.project
            self.findings += check_citations(memory.path, memory.cites, project, ANY_STALE)
            for glob in () if self.parts.own else citations.find_missing(project, memory.paths):
                message = f"it applies to {glob}, which does not exist"
                self._warn(memory.path, "no_file", message, "correct its 'paths', or remove them")

    def _check_tags(self, memory: Memory) -> None:
        if not memory.tags:
            hint = "name the area, and synonyms the text does not use: tags: [auth, login]"
            self._warn(memory.path, "tags", "no tags", hint)
        seen: set[str] = set()
        for tag in memory.tags:
            if tag.casefold() in seen:
                self._warn(memory.path, "tags", f"the tag '{tag}' is listed twice")
            seen.add(tag.casefold())

    def _check_tokens(self, memory: Memory) -> None:
        tokens = self.parts.count(neutralise(memory.body).strip())
        most = self.parts.settings.max_tokens
        if tokens > MOST_TOKENS:
            message = f"{tokens} tokens; a memory has at most {MOST_TOKENS}"
            hint = "split it into one concept per file"
            self.findings.append(Finding(memory.path, "error", "too_long", message, hint=hint))
        elif memory.scope is Scope.BASELINE or not memory.in_force:
            return
        elif tokens > most:
            hint = "split it into one concept per file"
            self._warn(memory.path, "tokens", f"{tokens} tokens; recommended: up to {most}", hint)

    def _check_links(self, memory: Memory) -> None:
        for name, ids in (("related", memory.related), ("supersedes", memory.supersedes)):
            for missing in (wanted for wanted in ids if wanted not in self.ids):
                message = f"'{name}' names {missing}, and no memory has that id"
                self._warn(memory.path, "dangling", message, "correct the id or remove it")

    def _check_expiry(self, memory: Memory) -> None:
        if memory.scope is Scope.EPHEMERAL and memory.expires is None:
            hint = "add the last day it applies: expires: 2026-01-31"
            self._warn(memory.path, "no_expires", "an ephemeral memory without 'expires'", hint)
        expired = check_expiry(memory.path, memory.expires, self.today)
        self.findings += [expired] if expired else []

    def _check_ids(self) -> None:
        memories = [document.memory for document in self.documents.values()]
        for later, earlier in repairs.clashes(memories):
            message = f"the id {later.id} is also used by {earlier.path}"
            hint = "give it a different id"
            self.findings.append(
                Finding(later.path, "error", "duplicate_id", message, hint=hint, fixable=True)
            )

    def _check_baseline(self, files: Mapping[str, bytes]) -> None:
        compiled = compile_baseline(files, self.parts.count)
        notice = overflow_notice(compiled, self.parts.retrieval.baseline_budget)
        if notice:
            self._warn(Scope.BASELINE.value, "baseline_budget", notice)

    def _check_twins(self) -> None:
        indexes = self.parts.indexes
        if indexes is None:
            return
        try:
            indexes.refresh(whole=True, progress=self.progress)
            snapshot = indexes.snapshot()
        except DmmError as error:
            self._warn(".", "near_duplicate", f"near-duplicates were not checked: {error}")
            return
        if snapshot.vectors is None or (len(snapshot) and not len(snapshot.vectors)):
            message = "near-duplicates were not checked: model unavailable"
            self._warn(".", "near_duplicate", message, indexes.notices.get("model"))
            return
        if "index" in indexes.notices:
            message = f"near-duplicates may be missing: {indexes.notices['index']}"
            self._warn(".", "near_duplicate", message)
        for first, second, likeness in self._pairs(indexes, snapshot):
            mine, other = (second, first) if second.origin is Origin.PROJECT else (first, second)
            named = shown_path(other.path, other.origin)
            message = f"nearly the same as {named} (similarity {likeness:.2f})"
            hint = "merge them, or have the newer one supersede the other"
            self._warn(mine.path, "near_duplicate", message, hint)

    def _pairs(self, indexes: Indexes, snapshot: Snapshot) -> Iterator[tuple[Place, Place, float]]:
        """Near-duplicates in force of which at least one is the project's."""
        threshold = self.parts.retrieval.diversity_threshold
        in_force = snapshot.columns.in_force
        for one, two, likeness in find_pairs(snapshot, threshold):
            first, second = snapshot.places[one], snapshot.places[two]
            own = [memory for memory in (self._own(first), self._own(second)) if memory]
            linked = {name for memory in own for name in (*memory.supersedes, *memory.related)}
            # What applies to other files is no duplicate, nor is a part of the same whole.
            reaches = {memory.paths for memory in own}
            apart = len(reaches) > 1 and () not in reaches
            serving = in_force[one] and in_force[two] and self._there(first, second)
            if not own or not serving or apart or linked & {first.id, second.id}:
                continue
            found = ((self._own(one), one) for one in (first, second))
            texts = (one.body if one else indexes.memory(place).content for one, place in found)
            mine, yours = map(set, map(analyze, texts))
            if len(mine & yours) >= SHARED * min(len(mine), len(yours)):
                yield first, second, likeness

    def _own(self, place: Place) -> Memory | None:
        document = self.documents.get(place.path) if place.origin is Origin.PROJECT else None
        return document.memory if document else None

    def _there(self, *places: Place) -> bool:
        """An index that could not be refreshed may still hold files that are gone."""
        return all(place.origin is not Origin.PROJECT or self._own(place) for place in places)


def _check_notes(path: str, text: str) -> Iterator[Finding]:
    """Warn where a merge kept two versions."""
    hint = "keep one version and delete the 'dmm merge' comments"
    for note in find_notes(markdown.plain(text)):
        yield Finding(path, "warning", "undecided", f"merge: {note.what}", note.line, hint)


def _is_fixable(fault: MemoryFileError, text: str, day: dt.date) -> bool:
    """Return whether a repair would make this very fault go away."""
    fixed = repairs.fix(fault.path, text, f"mem_{day:%Y_%m_%d}_001", day)
    try:
        markdown.parse(fault.path, fixed.text)
    except MemoryFileError as left:
        return bool(fixed.what) and left.what != fault.what
    return True


def _loses_mark(path: str, text: str, day: dt.date) -> bool:
    if not text.startswith(markdown.BOM):
        return False
    return not repairs.fix(path, text, "", day).text.startswith(markdown.BOM)


def _check_letter_case(paths: Iterable[str]) -> Iterator[Finding]:
    """Report files and folders beside each other that some file systems take for the same."""
    names: dict[tuple[str, str], set[str]] = {}
    for path in paths:
        parts = path.split("/")
        for depth, part in enumerate(parts):
            folded = unicodedata.normalize("NFC", part).casefold()
            names.setdefault(("/".join(parts[:depth]), folded), set()).add(part)
    for (parent, _), spellings in names.items():
        first, *others = sorted(f"{parent}/{name}" if parent else name for name in spellings)
        for other in others:
            message = f"differs from {first} only in letter case"
            hint = "rename one: some file systems treat them as the same"
            yield Finding(other, "error", "letter_case", message, hint=hint)
