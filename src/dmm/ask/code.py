"""The project's repository as a source of evidence, kept current."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING

from dmm.ask import landmarks
from dmm.ask.evidence import Evidence, make_code
from dmm.ask.guides import is_guide, is_upper, read_instructions
from dmm.ask.howto import tell, title_of
from dmm.ask.sources import DECLARED, DOCUMENT, FOREIGN, CodeFile, Definition
from dmm.ask.tasks import is_declaring, read_tasks
from dmm.errors import IndexBusy, ModelUnavailable, StorageError
from dmm.files.citations import digest
from dmm.files.lock import exclusive
from dmm.lru import LruCache
from dmm.private import make_private_folder
from dmm.redaction.clean import clean
from dmm.repo import study
from dmm.repo.index import RepoIndex
from dmm.repo.remarks import find_remark

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

    from dmm.ask.guides import Instruction
    from dmm.ask.howto import Judged
    from dmm.embed.model import Embedder, Vectors
    from dmm.repo.records import Evidence as Found
    from dmm.repo.records import Kind, Symbol

LOCK = "repo.lock"
# A second process that indexes is nearly done, or has a large repository before it.
PATIENCE = 5.0
IMPORTED_BY = "imported by"
MOST_DEFINITIONS = 2
# Vectors of so many files are made at once, in a second or two.
BATCH = 200
# A question does not wait for more vectors than a client waits for an answer; the next one goes on.
MOST_SECONDS = 30.0
# Questions in one session meet the same passages; a vector has 1.5 KB.
MOST_VECTORS = 1_000
LONGEST_SHOWN = 60
# Of the commits to a file, those whose words are most like the question's.
MOST_CHANGES = 3
# Of files that declare tasks and of upper documents, so many are read for a question.
MOST_DECLARING, MOST_UPPER = 200, 30


@dataclass(slots=True)
class Repository:
    """The files of one project; without a folder there are none.

    The store is derived and can be thrown away; where it can't be written, memory holds it.
    """

    project: Path | None
    store: Path
    find_embedder: Callable[[], Embedder | None] = lambda: None
    notices: dict[str, str] = field(default_factory=dict)
    most_seconds: float = MOST_SECONDS
    _index: RepoIndex | None = None
    _vectors: LruCache[Vectors] = field(default_factory=lambda: LruCache(MOST_VECTORS))

    def refresh(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Update what is known from the files, and record failures."""
        self.notices.clear()
        if self.project is None:
            self.notices["repository"] = "there is no repository around this memory"
            return
        try:
            index = self._open(self.project)
            with self._alone():
                index.sync(progress=progress)
            self._embed_files(index, progress)
        except ModelUnavailable as error:
            self.notices["model"] = f"code is found by its words only: {error}"
        except IndexBusy:
            self.notices["repository"] = "another process is indexing the repository"
        except StorageError as error:
            self.notices["repository"] = f"the repository could not be reread: {error}"

    def _embed_files(self, index: RepoIndex, progress: Callable[[int, int], None] | None) -> None:
        """Make the vectors that are missing, batch by batch: others can come in between.

        What is held in memory only is forgotten too soon for that. Of a very large repository,
        each question makes some of them.
        """
        embedder = None if "store" in self.notices else self.find_embedder()
        if embedder is None:
            return
        lacking, started = index.find_lacking(embedder), time.monotonic()
        for at in range(0, len(lacking), BATCH):
            if at and time.monotonic() - started >= self.most_seconds:
                left = (
                    f"{len(lacking) - at:,} of {len(lacking):,} files are found by their words only"
                )
                self.notices["vectors"] = f"{left}; the next question reads more of them"
                return
            with self._alone():
                index.embed(lacking[at : at + BATCH], embedder)
            if progress is not None:
                progress(min(at + BATCH, len(lacking)), len(lacking))

    def files(self) -> list[CodeFile]:
        """List all files in path order."""
        listed = [] if self._index is None else self._index.files()
        return [CodeFile(one.path, str(one.kind), one.language) for one in listed]

    def search(
        self,
        question: str,
        limit: int,
        kinds: Collection[Kind] | None = None,
        under: str | None = None,
    ) -> list[Evidence]:
        """Find the places that bear on a question, best first, with their lines."""
        index = self._index
        if index is None or not question.strip():
            return []
        found = index.search(question, limit, under, kinds, self.embed(question))
        places = [(one, index.excerpt(one)) for one in found]
        return [self._evidence(one, text) for one, text in places if text is not None]

    def _evidence(self, found: Found, text: str) -> Evidence:
        """Make evidence of a place; what a file holds of secrets is not shown."""
        within = self._definitions_of(found)
        span = max(((one.start, one.end) for one in within), default=(found.start, found.end))
        remark = find_remark(self.read(found.path), *span, found.path) if found.symbol else ""
        declared = [one.kind for one in within if one.kind in DECLARED]
        return make_code(
            found.path,
            (found.start, found.end),
            found.hash,
            clean(text),
            symbol=found.symbol,
            score=found.score,
            kind=declared[0] if declared else str(found.kind),
            remark=clean(remark),
        )

    def _definitions_of(self, found: Found) -> list[Definition]:
        """List the definitions that a passage belongs to, of the name that it goes by."""
        name = (found.symbol or "").rpartition(".")[2]
        return [
            one
            for one in self.definitions(found.path)
            if one.name == name and one.start <= found.start <= one.end
        ]

    def list_instructions(self, question: str, limit: int) -> list[Instruction]:
        """List what files declare, and what documents tell: upper ones and the best of a search."""
        files = {one.path: one for one in self.files()}
        own = [path for path, one in files.items() if one.kind != FOREIGN]
        declaring = [path for path in own if is_declaring(path)]
        guides = {path for path in own if is_guide(path)} - {*declaring}
        ranked = [path for path in self.rank(question) if path in guides][:limit]
        upper = sorted(path for path in guides if is_upper(path))[:MOST_UPPER]
        declaring = sorted(declaring, key=landmarks.order)[:MOST_DECLARING]
        told = [read_tasks(path, self.read(path), files) for path in declaring]
        told += [
            read_instructions(path, self.read(path)) for path in dict.fromkeys((*upper, *ranked))
        ]
        return list(chain.from_iterable(told))

    def cite(self, one: Judged) -> Evidence:
        """Make evidence of an instruction."""
        told = one.told
        lines = self.read(told.path)[told.line - 1 : told.end]
        found = make_code(
            told.path,
            (told.line, told.end),
            digest(lines),
            clean("\n".join(lines)),
            symbol=clean(title_of(told)),
            kind=DOCUMENT,
            remark=clean(tell(told)),
        )
        return replace(found, near=one.near, alike=one.alike, covers=one.covers)

    def find_file(self, name: str, question: str) -> list[Evidence]:
        """Find what bears on a question in the file of a name, or of a path's end.

        A bare name means a file of the product, not one that tests or shows it.
        """
        fitting = [one.path for one in self.files() if f"/{one.path}".endswith(f"/{name}")]
        own = [one for one in fitting if "/" in name or not landmarks.order(one)[0]]
        best = min(own, key=landmarks.order, default=None)
        return [] if best is None else self.search(question, 1, under=best)

    def locate(self, name: str) -> list[Evidence]:
        """Find the definitions of a name; a dotted one has to stand within what it names first."""
        outer, _, inner = name.replace("::", ".").rpartition(".")
        found = [] if self._index is None else self._index.symbols(inner)
        fitting = [one for one in found if not outer or self._stands_in(one, outer)]
        best = sorted(fitting, key=lambda one: (*landmarks.order(one.path), one.start))
        return [self._definition(one) for one in best[:MOST_DEFINITIONS]]

    def _stands_in(self, symbol: Symbol, outer: str) -> bool:
        module = outer.replace(".", "/")
        stem = symbol.path.rpartition(".")[0]
        if stem == module or stem.endswith(f"/{module}"):
            return True
        last = outer.rpartition(".")[2]
        return any(
            one.name == last and one.start <= symbol.start and symbol.end <= one.end
            for one in self.definitions(symbol.path)
        )

    def _definition(self, symbol: Symbol) -> Evidence:
        end = min(symbol.end, symbol.start + LONGEST_SHOWN - 1)
        whole = self.read(symbol.path)
        lines = whole[symbol.start - 1 : end]
        text = clean("\n".join(lines))
        span = (symbol.start, symbol.start + len(lines) - 1)
        return make_code(
            symbol.path,
            span,
            digest(lines),
            text,
            symbol=symbol.name,
            score=1.0,
            kind=symbol.kind,
            remark=clean(find_remark(whole, symbol.start, symbol.end, symbol.path)),
        )

    def rank(self, words: str) -> list[str]:
        """List the paths of all files that bear on some words, best first."""
        return [] if self._index is None else self._index.rank(words)

    def changes(self, question: str, paths: Collection[str]) -> dict[str, list[str]]:
        """Return what commits to some files say of what is asked, by path."""
        return {} if self._index is None else self._index.changes(question, paths, MOST_CHANGES)

    def liken(self, question: str, paths: Collection[str]) -> dict[str, float]:
        """Return how near some files are to a question in meaning, by path."""
        asked = self.embed(question)
        return {} if self._index is None or asked is None else self._index.liken(asked, paths)

    def weigh(self, words: str) -> dict[str, float]:
        """Return how much each term says of what a question is about."""
        return {} if self._index is None else self._index.weigh(words)

    def find_unknown(self, words: Sequence[str]) -> list[str]:
        """List the words that no file contains."""
        return [] if self._index is None else self._index.find_unknown(words)

    def read(self, path: str) -> list[str]:
        """Read the lines of a file; none where it can't be read."""
        data = None if self._index is None else self._index.source.read(path)
        return [] if data is None else study.lines_of(data)

    def conceal(self, text: str) -> str:
        """Remove secrets from lines before they are shown."""
        return clean(text)

    def definitions(self, path: str) -> Sequence[Definition]:
        """List the definitions of a file."""
        found = [] if self._index is None else self._index.symbols_in(path)
        return [Definition(one.name, one.start, one.end, one.kind) for one in found]

    def count_users(self, path: str) -> int:
        """Count the files that import a file."""
        ties = [] if self._index is None else self._index.neighbours(path)
        return sum(one.tie == IMPORTED_BY for one in ties)

    def embed(self, text: str) -> Vectors | None:
        """Return the vector of a text, kept for the next question; None without the model."""
        embedder = self.find_embedder()
        if embedder is None:
            return None
        made_of = embedder.identity, text
        known = self._vectors.find(*made_of)
        if known is not None:
            return known
        try:
            return self._vectors.keep(embedder.embed_query(text), *made_of)
        except ModelUnavailable:
            return None

    def release(self) -> None:
        """Release memory; the next question loads it again."""
        self._vectors = LruCache(MOST_VECTORS)
        self.close()

    def close(self) -> None:
        """Close the file."""
        if self._index is not None:
            self._index.close()
            self._index = None

    def _open(self, project: Path) -> RepoIndex:
        if self._index is None:
            try:
                self._prepare()
                self._index = RepoIndex.open(project, self.store)
            except (OSError, StorageError) as error:
                self.notices["store"] = f"the repository's index is held in memory only: {error}"
                self._index = RepoIndex.open(project, None)
        return self._index

    def _prepare(self) -> None:
        """Make the folder; a cloned repository must not have us write somewhere else."""
        folder = self.store.parent
        if folder.resolve() != folder or self.store.is_symlink():
            raise StorageError("the path contains a symbolic link", where=str(self.store))
        make_private_folder(folder)

    def _alone(self) -> contextlib.AbstractContextManager[object]:
        if "store" in self.notices or not self.store.exists():
            return contextlib.nullcontext()
        what = "another process is indexing the repository"
        return exclusive(self.store.with_name(LOCK), what=what, patience=PATIENCE)
