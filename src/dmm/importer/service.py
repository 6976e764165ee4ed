"""Import instruction files as memories, and export them: read, plan, measure, write."""

from __future__ import annotations

import contextlib
import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.domain.proposal import Edit
from dmm.domain.text import strip_hidden
from dmm.errors import FileExists, MemoryFileError, StaleBase, UsageError
from dmm.files import markdown
from dmm.files.commits import find_ignored
from dmm.files.shipped import is_example
from dmm.files.tree import MAX_FILE_BYTES
from dmm.gc_tuning import undisturbed
from dmm.importer.cuts import fill
from dmm.importer.given import (
    Hidden,
    each_once,
    expand,
    hides,
    is_there,
    kept_lines,
    list_hidden,
    refuse_kept,
)
from dmm.importer.imperatives import find_imperatives
from dmm.importer.join import join
from dmm.importer.outdated import find_changed, find_corrected, find_outdated
from dmm.importer.plan import plan_import, read_all
from dmm.importer.references import resolve_paths
from dmm.importer.remembered import Remembered
from dmm.importer.room import MOST, may_widen, round_up, widen
from dmm.importer.secrets import leave_secrets
from dmm.importer.sources import Source, find_instructions, is_instruction
from dmm.importer.standing import Held
from dmm.project.init import settle_trust
from dmm.redaction.clean import clean

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from dmm.config import RetrievalConfig
    from dmm.domain.memory import Memory
    from dmm.domain.proposal import ProposalResult
    from dmm.files.roots import Root
    from dmm.files.trusted import TrustStore
    from dmm.importer.documents import Skipped
    from dmm.importer.imperatives import Imperative
    from dmm.importer.memories import ImportPlan, PlannedMemory
    from dmm.importer.outdated import Corrected, Outdated
    from dmm.importer.plan import Kept
    from dmm.importer.rules import PlannedRule, RuleImport, RulePlan
    from dmm.importer.sources import FileImport

MAX_SOURCE_BYTES = 16 * MAX_FILE_BYTES
# What one write holds at most: an event has room for a mebibyte, and escapes take some of it.
LARGEST_BATCH = 150_000
# What a .dmm folder may hold that says nothing to an agent.
OWN = {"memory", "index", "packs", "run", ".gitignore"}


@dataclass(frozen=True, slots=True)
class Import:
    """The result of planning an import, with what exists already and the cost of a pack.

    `known` counts, by path, the rules left out of a memory because the project has them;
    `missing` are the mentioned files that do not exist; `instructions` are the files that a tool
    reads in every session; `notice` says why the memory is not trusted, where it is not; `secret`
    are memories left out because they hold what looks like one; `repeated` are those of the
    `proposed` that had been proposed before; `hidden` are invisible characters that were left out,
    and `unseen` the memories that would still hold some; `rules` are the rule files to write, and
    `proposed_rules` the constraints that hold them until a person accepts them; `outdated` is what
    came from these files before and is no longer in them, `corrected` what was changed here since.
    """

    plan: ImportPlan
    present: tuple[PlannedMemory, ...]
    pack_tokens: int | None
    written: tuple[str, ...] = ()
    known: Mapping[str, int] = field(default_factory=dict)
    missing: tuple[FileImport, ...] = ()
    instructions: tuple[str, ...] = ()
    notice: str = ""
    sources: tuple[str, ...] = ()
    secret: tuple[str, ...] = ()
    proposed: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    hidden: tuple[Hidden, ...] = ()
    unseen: tuple[str, ...] = ()
    rules: tuple[PlannedRule, ...] = ()
    proposed_rules: tuple[int, ...] = ()
    baseline_budget: int = 0
    baseline_held: int = 0
    outdated: tuple[Outdated, ...] = ()
    corrected: tuple[Corrected, ...] = ()

    @property
    def named(self) -> str:
        """The files that it comes from, in a few words."""
        more = f" and {len(self.sources) - 3} more" if len(self.sources) > 3 else ""
        return ", ".join(self.sources[:3]) + more


@dataclass(frozen=True, slots=True)
class Importer:
    """Imports into and exports from one project."""

    root: Root
    settings: RetrievalConfig
    count: Callable[[str], int]
    today: Callable[[], dt.date]
    home: Path
    store: TrustStore
    write: Callable[[Sequence[Edit], str], None]
    propose: Callable[[str, str, str], ProposalResult]
    find_rules: Callable[[], RuleImport]
    # What earlier imports wrote, oldest first.
    imported: Callable[[], Sequence[Edit]]

    def plan(
        self, files: Sequence[Path], keep: Sequence[str] = (), *, proposed: bool = False
    ) -> Import:
        """Plan the memories and rules that replace some instruction files; nothing is written.

        `keep` names lines as FILE:LINE that are not to be left out. What is `proposed` keeps to
        the baseline's budget; otherwise that grows with the instructions.
        """
        paths = each_once(path for given in files for path in expand(given))
        read = list(map(self._read, paths))
        kept = kept_lines(keep, {one.path for one in read})
        cleaned = [self._cleaned(one) for one in read]
        sources = [source for source, _ in cleaned]
        secret = [line for _, lines in cleaned for line in lines]
        refuse_kept(kept, secret)
        memories = self._memories()
        ruled = self.find_rules().plan(_rule_sentences(sources))
        with undisturbed():
            plan = self._plan(sources, memories, ruled, kept, wide=not proposed)
        changed = find_changed(memories, self._imported())
        found = self._fresh(plan, memories, changed.values())
        new = {one.memory.path for one in found.fresh}
        files_read = {source.path: path for source, path in zip(sources, paths, strict=True)}
        mentions = self._mentions(plan, files_read)
        plan = dataclasses.replace(
            plan,
            memories=found.fresh,
            skipped=tuple(sorted((*plan.skipped, *secret), key=lambda one: one.source)),
            conflicts=tuple(one for one in plan.conflicts if new & {*one.memories}),
            imports=tuple(mentions),
        )
        held, usual = self._count_held(memories), self.settings.baseline_budget
        widest = max(usual, round_up(held + plan.baseline_room) if plan.baseline_room else 0)
        return Import(
            plan,
            found.present,
            self.settings.default_budget + widest - usual if found.fresh else None,
            known=found.known,
            missing=tuple(one for one, file in mentions.items() if not is_there(file)),
            instructions=tuple(filter(is_instruction, files_read)),
            sources=tuple(files_read),
            secret=found.secret,
            hidden=tuple(found for one in read for found in list_hidden(one)),
            unseen=found.unseen,
            rules=ruled.rules,
            baseline_budget=widest,
            baseline_held=held,
            outdated=tuple(find_outdated(sources, memories, found.fresh, ruled.shelved, changed)),
            corrected=tuple(find_corrected(sources, memories, changed)),
        )

    def find_files(self) -> list[Path]:
        """Find the instruction files and skills of the project, wherever they lie."""
        return list(find_instructions(self.root.project))

    def _cleaned(self, read: Source) -> tuple[Source, list[Skipped]]:
        """Remove invisible characters and lines with secrets, and resolve paths."""
        source = Source(read.path, strip_hidden(read.text))
        source, secret = leave_secrets(source)
        return resolve_paths(source, self._is_in_project), secret

    def _is_in_project(self, path: str) -> bool:
        return not path.startswith(("..", "/", "~")) and is_there(self.root.project / path)

    def _imported(self) -> Iterator[Memory]:
        """Read what earlier imports wrote."""
        for edit in self.imported():
            with contextlib.suppress(MemoryFileError):
                yield markdown.parse(edit.path, edit.after or "").memory

    def _fresh(
        self, plan: ImportPlan, memories: Sequence[Memory], changed: Iterable[str]
    ) -> _Found:
        """Sort the planned memories into new ones, known ones and those left out."""
        remembered = Remembered.of((*(memory.body for memory in memories), *changed))
        rests = [(one, remembered.rest_of(one.memory.body)) for one in plan.memories]
        present = tuple(one for one, rest in rests if not rest.text)
        ids = {memory.title: memory.id for memory in memories}
        there = {one.memory.id: ids.get(one.memory.title) for one in present}
        fresh = [self._trimmed(one, rest.text, there) for one, rest in rests if rest.text]
        secret = [one.memory.path for one in fresh if _holds_secret(one.memory)]
        unseen = [one.memory.path for one in fresh if hides(one.memory)]
        return _Found(
            tuple(one for one in fresh if one.memory.path not in {*secret, *unseen}),
            present,
            tuple(secret),
            tuple(unseen),
            {one.memory.path: rest.known for one, rest in rests if rest.text and rest.known},
        )

    def _count_held(self, memories: Sequence[Memory]) -> int:
        """Count the tokens of the baseline as it is."""
        return sum(self.count(one.body) for one in memories if _is_baseline(one))

    def _plan(
        self,
        sources: Sequence[Source],
        memories: Sequence[Memory],
        ruled: RulePlan,
        kept: Kept,
        *,
        wide: bool,
    ) -> ImportPlan:
        baseline = [memory.body for memory in memories if _is_baseline(memory)]
        held = self._count_held(memories)
        wide = wide and may_widen(self.root.folder, self.store)
        plan = plan_import(
            sources,
            count=self.count,
            day=self.today(),
            taken_ids={memory.id for memory in memories},
            taken_paths={stamp.path for stamp in self.root.tree.scan().stamps},
            baseline_budget=max(0, self.settings.baseline_budget - held),
            most_baseline=max(0, MOST - held) if wide else 0,
            held=Held(ruled.enforced, " ".join(" ".join(baseline).split())),
            kept=kept,
        )
        return self._out_of_ignored(plan)

    def _out_of_ignored(self, plan: ImportPlan) -> ImportPlan:
        """Return the plan with other folders for paths that Git ignores, such as `build/`."""
        ignored = find_ignored(self.root.folder, [f"memory/{p.memory.path}" for p in plan.memories])
        moved = tuple(
            one if f"memory/{one.memory.path}" not in ignored else one.moved()
            for one in plan.memories
        )
        return dataclasses.replace(plan, memories=moved)

    def apply(self, planned: Import) -> Import:
        """Write the planned memories; each file is new, nothing is overwritten.

        A memory that was empty before is the user's own from now on.
        """
        notice = settle_trust(self.store, self.root.folder, own=self._is_empty())
        self.store.require(self.root.folder)
        rules = self.find_rules()
        rules.refuse_unapproved(planned.rules)
        if planned.baseline_budget > self.settings.baseline_budget:
            widen(self.root.folder, self.store, self.settings, planned.baseline_budget)
        memories = planned.plan.memories
        edits = [Edit(one.memory.path, None, markdown.render(one.memory)) for one in memories]
        for batch in fill(edits, LARGEST_BATCH, lambda edit: len(edit.after or "")):
            self._write(batch, f"import of {planned.named}")
        rules.write(planned.rules)
        written = tuple(edit.path for edit in edits)
        return dataclasses.replace(planned, written=written, notice=notice)

    def _write(self, edits: Sequence[Edit], reason: str) -> None:
        try:
            self.write(edits, reason)
        except (FileExists, StaleBase) as error:
            what = "the memory changed during the import"
            hint = "run it again; what was imported meanwhile is skipped"
            raise StaleBase(what, where=error.where, hint=hint) from error

    def submit(self, planned: Import) -> Import:
        """Propose the planned memories and rules; each waits for a person."""
        told = [
            self.propose(one.memory.path, markdown.render(one.memory), f"import of {planned.named}")
            for one in planned.plan.memories
        ]
        return dataclasses.replace(
            planned,
            proposed=tuple(one.id for one in told),
            repeated=tuple(one.id for one in told if one.repeated),
            proposed_rules=self.find_rules().propose(planned.rules),
        )

    def _is_empty(self) -> bool:
        """Whether the project has no memory, BOOT, setting or ledger of its own."""
        scan = self.root.tree.scan()
        folder = self.root.folder
        held = [path for path in folder.iterdir() if path.name not in OWN]
        return not (scan.stamps or scan.descriptors or scan.faults or held)

    def export(self, *, include_deprecated: bool = False) -> str:
        """Join all memories into one markdown text, without untouched examples of `dmm init`."""
        title = f"{self.root.project.name}: project memory"
        own = [one for one in self._memories() if not is_example(one.body)]
        return join(own, title=title, include_deprecated=include_deprecated)

    def _mentions(self, plan: ImportPlan, files: Mapping[str, Path]) -> dict[FileImport, Path]:
        """Return the paths of the mentioned files, except those that are imported too."""
        given = {path.resolve() for path in files.values()}
        found = {}
        for one in plan.imports:
            target = one.target.removeprefix("~/")
            folder = self.home if target != one.target else files[one.ref.path].parent
            if (folder / target).resolve() not in given:
                found[one] = folder / target
        return found

    def _trimmed(
        self, one: PlannedMemory, body: str, there: Mapping[str, str | None]
    ) -> PlannedMemory:
        """Return a memory without its known rules, linked to the memories that have them."""
        memory = dataclasses.replace(
            one.memory,
            body=body,
            related=_linked(one.memory.related, there),
            supersedes=_linked(one.memory.supersedes, there),
        )
        return dataclasses.replace(one, memory=memory, tokens=self.count(body))

    def _memories(self) -> list[Memory]:
        """Read all memories of the project that can be read."""
        memories = []
        for stamp in self.root.tree.scan().stamps:
            try:
                memories.append(self.root.tree.load(stamp.path).memory)
            except MemoryFileError:
                # A faulty file is told by `dmm validate`; its name stays taken all the same.
                continue
        return memories

    def _read(self, path: Path) -> Source:
        try:
            # A pipe has no size, and what a link leads to may have no end.
            with path.open("rb") as file:
                data = file.read(MAX_SOURCE_BYTES + 1)
        except OSError as error:
            raise UsageError(f"unreadable: {error.strerror}", where=str(path)) from error
        if len(data) > MAX_SOURCE_BYTES:
            raise UsageError(f"larger than {MAX_SOURCE_BYTES >> 20} MiB", where=str(path))
        return Source(self._shown(path), markdown.plain(markdown.decode(str(path), data)))

    def _shown(self, path: Path) -> str:
        """Return the path of a source in the project, or below the user's home."""
        full = path.resolve()
        if full.is_relative_to(self.root.project):
            return full.relative_to(self.root.project).as_posix()
        if full.is_relative_to(self.home):
            return f"~/{full.relative_to(self.home).as_posix()}"
        return full.as_posix()


@dataclass(frozen=True, slots=True)
class _Found:
    """The planned memories, sorted."""

    fresh: tuple[PlannedMemory, ...]
    present: tuple[PlannedMemory, ...]
    secret: tuple[str, ...]
    unseen: tuple[str, ...]
    known: Mapping[str, int]


def _rule_sentences(sources: Sequence[Source]) -> list[Imperative]:
    """Return the sentences that may become rules: from files for all, or for one folder."""
    voices = (document.voice for document in read_all(sources))
    scoped = {one.path for one in voices if one.front.globs and not one.front.always}
    read = (one for one in sources if is_instruction(one.path) and one.path not in scoped)
    return [sentence for one in read for sentence in find_imperatives(one)]


def _is_baseline(memory: Memory) -> bool:
    return memory.path.startswith("baseline/") and not is_example(memory.body)


def _holds_secret(memory: Memory) -> bool:
    text = markdown.render(memory)
    return clean(text) != text


def _linked(ids: Sequence[str], there: Mapping[str, str | None]) -> tuple[str, ...]:
    return tuple(found for one in ids if (found := there.get(one, one)))
