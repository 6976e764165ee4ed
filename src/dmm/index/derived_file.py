"""A database file that can be rebuilt: only one made here is used, and its changes are counted."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, ClassVar

from dmm.errors import IndexBroken
from dmm.storage import sqlite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import apsw

ELSEWHERE = "an index created elsewhere"
EMPTY = "an empty index"


@contextlib.contextmanager
def intact(where: str) -> Iterator[None]:
    """Treat implausible content as damage, which SQLite does not notice."""
    try:
        yield
    except (ValueError, TypeError, LookupError, ArithmeticError, RecursionError) as error:
        hint = "delete the index folder; it is rebuilt from the files"
        raise IndexBroken(f"damaged content: {error}", where=where, hint=hint) from error


class DerivedFile:
    """A derived database file; `schema` makes its tables, `meta` among them."""

    schema: ClassVar[str]
    application: ClassVar[int]
    version: ClassVar[int]

    def __init__(self, connection: apsw.Connection, where: str) -> None:
        self._connection = connection
        self.where = where

    def _is_ours(self) -> bool:
        pragmas = {"application_id": self.application, "user_version": self.version}
        return all(self._connection.pragma(name) == value for name, value in pragmas.items())

    def _prepare(self, inode: str) -> None:
        with sqlite.translated(self.where):
            empty = not self._is_ours() and not self._has_tables()
        if empty:
            with sqlite.transaction(self._connection, self.where) as cursor:
                if not self._has_tables():
                    cursor.execute(self.schema)
                    cursor.execute("INSERT INTO meta VALUES ('file', ?)", (inode,))
                    self._connection.pragma("application_id", self.application)
                    self._connection.pragma("user_version", self.version)
        self._check(inode)

    def _has_tables(self) -> bool:
        return next(self._select("SELECT 1 FROM sqlite_master LIMIT 1"), None) is not None

    def _check(self, inode: str) -> None:
        """Believe only an index that was made here: a clone may bring one that says anything."""
        with sqlite.translated(self.where):
            if not self._is_ours():
                what = "an index from another version" if self._has_tables() else EMPTY
                raise IndexBroken(what, where=self.where)
        if self.meta("file") != inode:
            raise IndexBroken(ELSEWHERE, where=self.where)

    def close(self) -> None:
        """Close the file."""
        with sqlite.translated(self.where):
            self._connection.close()

    def _select(self, statement: str, *bindings: str | int | None) -> Iterator[tuple[Any, ...]]:
        with sqlite.translated(self.where):
            yield from self._connection.execute(statement, bindings)

    def meta(self, key: str) -> str | None:
        """Look up one remark about the whole file."""
        row = next(self._select("SELECT value FROM meta WHERE key = ?", key), None)
        return None if row is None else str(row[0])

    def generation(self) -> int:
        """Count the changes made so far: equal generations hold the same."""
        with intact(self.where):
            return int(self.meta("generation") or 0)

    def _remember(self, cursor: apsw.Cursor, items: Iterable[tuple[str, str]]) -> None:
        remarks = [*items, ("generation", str(self.generation() + 1))]
        cursor.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", remarks)
