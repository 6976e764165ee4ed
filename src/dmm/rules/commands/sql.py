"""SQL: whether a text holds a statement that destroys data."""

from __future__ import annotations

import re

_COMMENT = r"--[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|$)"
_LITERAL = r"'(?:[^']|'')*'"
_DESTROYS = (
    r"(?im)(?:^|;)\s*(?:drop\s+(?:database|schema|table|tablespace|role|user|keyspace|collection)\b"
    r"|truncate\b(?:\s+table)?\s+[\w\"`.$]|delete\s+from\s+[\w\"`.$]+\s*(?:;|$)"
    r"|alter\s+table\s+[\w\"`.$]+\s+drop\s+(?:column|partition)\b)"
)
_DOCUMENTS = (
    r"\.dropDatabase\s*\(|\.drop\s*\(\s*\)|\.deleteMany\s*\(\s*\{\s*\}\s*\)"
    r"|\.remove\s*\(\s*\{\s*\}\s*\)"
)
_MAX_TEXT = 20_000


def destroying_statement(text: str) -> str | None:
    """Return the first statement that drops, truncates or empties; comments and literals aside."""
    plain = re.sub(_LITERAL, "''", re.sub(_COMMENT, " ", text[:_MAX_TEXT]))
    found = re.search(_DESTROYS, plain)
    return found.group().lstrip("; \t\n") if found else None


def destroying_document_call(text: str) -> str | None:
    """Return the first call of a document database that drops or empties a collection."""
    found = re.search(_DOCUMENTS, text[:_MAX_TEXT])
    return found.group() if found else None
