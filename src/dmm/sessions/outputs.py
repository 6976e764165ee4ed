"""Tool output of any shape, as text."""

from __future__ import annotations

import json
import re
from typing import Any

_STATUSES = ("exit_code", "exitCode", "exit", "returncode")
# The lines that Codex puts before what a command said, and Claude Code before why one failed.
_HEADER = r"\A(?:Chunk ID: .*\n)?(?:Wall time: .*\n)?"
_EXITED = _HEADER + r"(?:Process exited with code (\d{1,6})$|Exit code: (\d{1,6})\nWall time: )"
_RUNNING = _HEADER + r"Process running with session ID "
_FAILED = r"\AExit code (\d{1,6})$"
_WRAP_START, _WRAP_END = "<untrusted_context>", "</untrusted_context>"


def as_text(value: Any) -> str:
    """Write the output of a tool as text: the words where there are some, else JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return _unwrapped(value)
    if isinstance(value, dict):
        told = _told(value)
        return json.dumps(value, ensure_ascii=False) if told is None else told
    if isinstance(value, list):
        parts = [_part(one) for one in value]
        if parts and all(part is not None for part in parts):
            return "\n".join(part for part in parts if part is not None)
    return json.dumps(value, ensure_ascii=False)


def exit_status_of(value: Any, *, failed: bool) -> int | None:
    """Find the exit status of a command in the answer of a tool, where the client puts it there.

    `failed` says that the client calls it a failure.
    """
    if isinstance(value, dict):
        held = [value, value.get("metadata")]
        found = [one.get(name) for one in held if isinstance(one, dict) for name in _STATUSES]
        return next((one for one in found if type(one) is int), None)
    if not isinstance(value, str):
        return None
    if value.startswith('{"output"'):
        return exit_status_of(_parsed(value), failed=failed)
    match = re.search(_FAILED if failed else _EXITED, value, re.MULTILINE)
    return None if match is None else int(next(one for one in match.groups() if one))


def is_unfinished(value: Any) -> bool:
    """Whether a tool answered before its command had ended."""
    if isinstance(value, dict):
        return bool(value.get("backgroundTaskId") or value.get("interrupted"))
    return isinstance(value, str) and re.search(_RUNNING, value) is not None


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _told(value: object) -> str | None:
    """Find the words of an answer among what a client puts around them."""
    match value:
        case {"stdout": str(printed), **rest}:
            lines = (printed, rest.get("stderr"))
            return "\n".join(line for line in lines if isinstance(line, str) and line)
        case {"file": {"content": str(content)}}:
            return content
        case {"structuredPatch": _, "filePath": str(path), **rest}:
            return f"{rest.get('type') or 'update'} {path}"
        case {**rest}:
            said = map(rest.get, ("llmContent", "content", "output", "text", "error"))
            words = next((one for one in said if isinstance(one, (str, list)) and one), None)
            return None if words is None else as_text(words)
    return None


def _part(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        return _unwrapped(value["text"])
    return None


def _unwrapped(text: str) -> str:
    """Strip Gemini's frame around a tool's output."""
    bare = text.strip()
    if bare.startswith(_WRAP_START) and bare.endswith(_WRAP_END):
        return bare[len(_WRAP_START) : -len(_WRAP_END)].strip("\n")
    return text
