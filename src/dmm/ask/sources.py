"""The sources of an answer as the pipeline sees them: memory, sessions, repository."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Collection, Mapping, Sequence

    from dmm.ask.evidence import Evidence
    from dmm.ask.question import Question
    from dmm.recall.results import Searched
    from dmm.repo.records import Kind

SOURCE, TEST, DOCUMENT, OTHER, FOREIGN = "source", "test", "document", "other", "foreign"
# Definitions that name what code handles; the code itself says what happens.
DECLARED = frozenset(("type", "interface"))


@dataclass(frozen=True, slots=True)
class CodeFile:
    """A file of the repository: what it is for, and its language where that is known."""

    path: str
    kind: str
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition, its lines, and what it is: a function, a class, a module."""

    name: str
    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class Filters:
    """What a search of sessions is narrowed to."""

    since: dt.date | None = None
    until: dt.date | None = None
    kind: str | None = None
    file: str | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """What a source found, how, and among how many; rows only of a search that was made."""

    evidence: tuple[Evidence, ...] = ()
    notices: tuple[str, ...] = ()
    size: int = 0
    retrieval: str = "none"
    searched: Searched | None = None
    filters: Filters = Filters()


class Code(Protocol):
    """The repository, searchable."""

    def files(self) -> Sequence[CodeFile]:
        """List all files in path order."""

    def search(
        self,
        question: str,
        limit: int,
        kinds: Collection[Kind] | None = None,
        under: str | None = None,
    ) -> Sequence[Evidence]:
        """Find the places that bear on a question, best first.

        Only files of some kinds may count, and only those under a folder.
        """

    def find_file(self, name: str, question: str) -> Sequence[Evidence]:
        """Find what bears on a question in the file of a name, or of a path's end."""

    def locate(self, name: str) -> Sequence[Evidence]:
        """Find the definitions of a name, such as `search` or `Recall.search`."""

    def rank(self, words: str) -> Sequence[str]:
        """List the paths of all files that bear on some words, best first."""

    def changes(self, question: str, paths: Collection[str]) -> Mapping[str, Sequence[str]]:
        """Return what commits to some files say of what is asked, by path."""

    def liken(self, question: str, paths: Collection[str]) -> Mapping[str, float]:
        """Return how near some files are to a question in meaning, by path."""

    def weigh(self, words: str) -> Mapping[str, float]:
        """Return how much each term says of what a question is about; together they say 1."""

    def find_unknown(self, words: Sequence[str]) -> Sequence[str]:
        """List the words that no file contains."""

    def read(self, path: str) -> list[str]:
        """Read the lines of a file; none where it can't be read."""

    def conceal(self, text: str) -> str:
        """Remove secrets from lines before they are shown."""

    def definitions(self, path: str) -> Sequence[Definition]:
        """List the definitions of a file."""

    def count_users(self, path: str) -> int:
        """Count the files that import a file."""


class Sources(Protocol):
    """Everything an answer may rest on."""

    @property
    def code(self) -> Code:
        """The repository."""

    def memory(self, question: Question) -> Told:
        """Look up the project's memory."""

    def sessions(self, question: Question) -> Told:
        """Look up what sessions did."""

    def liken(self, text: str, others: Sequence[str]) -> Sequence[float]:
        """Return how alike a text and each of some others are in meaning; nothing if unknown."""

    def instructions(self, question: Question) -> Sequence[Evidence]:
        """Find what people are told to do about a question, best first."""
