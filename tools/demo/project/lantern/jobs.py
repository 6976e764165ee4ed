"""Work that waits: rows in the jobs table, run by a scheduled command each minute."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping

Handler = Callable[[sqlite3.Connection, Mapping[str, str]], None]

MAX_ATTEMPTS = 6
BATCH = 20


def enqueue(
    connection: sqlite3.Connection, kind: str, values: Mapping[str, str], due_at: int
) -> None:
    """Add a job inside the caller's transaction: it exists exactly if that one commits."""
    connection.execute(
        "INSERT INTO jobs (kind, payload, due_at) VALUES (?, ?, ?)",
        (kind, json.dumps(dict(values), sort_keys=True), due_at),
    )


def run_due(connection: sqlite3.Connection, handlers: Mapping[str, Handler], now: int) -> int:
    """Run one batch of due jobs, each in its own transaction; return how many succeeded."""
    rows = connection.execute(
        "SELECT * FROM jobs WHERE done_at IS NULL AND attempts < ? AND due_at <= ?"
        " ORDER BY due_at LIMIT ?",
        (MAX_ATTEMPTS, now, BATCH),
    ).fetchall()
    return sum(_run(connection, handlers[row["kind"]], row, now) for row in rows)


def _run(connection: sqlite3.Connection, handler: Handler, row: sqlite3.Row, now: int) -> bool:
    connection.execute("BEGIN IMMEDIATE")
    try:
        handler(connection, json.loads(row["payload"]))
    except (OSError, ValueError) as error:
        connection.execute("ROLLBACK")
        connection.execute(
            "UPDATE jobs SET attempts = attempts + 1, due_at = ?, error = ? WHERE id = ?",
            (now + 60 * 2 ** row["attempts"], str(error), row["id"]),
        )
        return False
    connection.execute("UPDATE jobs SET done_at = ? WHERE id = ?", (now, row["id"]))
    connection.execute("COMMIT")
    return True
