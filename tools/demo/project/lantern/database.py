"""The shop's one database: connections and numbered migrations."""

from __future__ import annotations

import sqlite3
from pathlib import Path

MIGRATIONS = Path(__file__).parent.parent / "migrations"


def connect(path: str) -> sqlite3.Connection:
    """Open the database with foreign keys on; transactions are explicit."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def migrate(connection: sqlite3.Connection) -> list[str]:
    """Apply the migrations that are not yet applied, in order, and name them."""
    connection.execute("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY)")
    done = {row["name"] for row in connection.execute("SELECT name FROM migrations")}
    applied = []
    for file in sorted(MIGRATIONS.glob("*.sql")):
        if file.name in done:
            continue
        script = file.read_text(encoding="utf-8")
        connection.executescript(f"BEGIN;\n{script}")
        connection.execute("INSERT INTO migrations (name) VALUES (?)", (file.name,))
        connection.execute("COMMIT")
        applied.append(file.name)
    return applied
