"""Tool output of any shape, as text."""

from __future__ import annotations

import json
import re
from typing import Any

from dmm.sessions.objects import find_object

_STATUSES = ("exit_code", "exitCode", "exit", "returncode")
# The lines that Codex puts before what a command said, and Claude Code before why one failed.
_HEADER = r"\A(?:Chunk ID: .*\n)?(?:Wall time: .*\n)?"
_EXITED = _HEADER + r"(?:Process exited with code (-?\d{1,6})$|Exit code: (-?\d{1,6})\nWall time: )"
_RUNNING = _HEADER + r"Process running with session ID "
_FAILED = r"\AExit code (\d{1,6})$"
# The signs of a command that has not ended, and of one that ended in a way of its own.
_UNENDED = ("backgroundTaskId", "interrupted")
_ODD_ENDS = (*_UNENDED, "returnCodeInterpretation")
_WORDS = ("llmContent", "content", "output", "text", "error")
# How an answer of Codex begins that is an object, written as text.
_IN_JSON = '{"output"'
_WRAP_START, _WRAP_END = "<untrusted_context>", "</untrusted_context>"


def as_text(value: Any) -> str:
    """Return the output of a tool as text: its words if there are any, else JSON."""
    told = _find_words(value)
    return json.dumps(value, ensure_ascii=False) if told is None else told


def _find_words(value: Any) -> str | None:
    """Return the words of an answer without what a client wraps around them."""
    match value:
        case None:
            return ""
        case str() if value.startswith(_IN_JSON):
            return _find_words(find_object(value) or [value])
        case str(text) | {"file": {"content": str(text)}}:
            return _unwrapped(text)
        case [_, *_]:
            parts = [_part(one) for one in value]
            texts = [part for part in parts if part is not None]
            return "\n".join(texts) if texts == parts else None
        case {"stdout": str(printed), **rest}:
            return "\n".join(str(line) for line in (printed, rest.get("stderr")) if line)
        case {"structuredPatch": _, "filePath": str(path), **rest}:
            return f"{rest.get('type') or 'update'} {path}"
        case {**rest}:
            said = (rest[name] for name in _WORDS if rest.get(name))
            words = next((one for one in said if isinstance(one, (str, list))), None)
            return None if words is None else as_text(words)
    return None


def exit_status_of(value: Any, *, failed: bool) -> int | None:
    """Return the exit status of a command if the client puts it into the tool's answer.

    `failed` says that the client calls it a failure.
    """
    match value:
        case dict():
            held = (one for one in (value, value.get("metadata")) if isinstance(one, dict))
            stated = (one.get(name) for one in held for name in _STATUSES)
            return next((one for one in stated if type(one) is int), None)
        case str() if value.startswith(_IN_JSON):
            return exit_status_of(find_object(value), failed=failed)
        case str():
            found = re.search(_FAILED if failed else _EXITED, value, re.MULTILINE)
            return int(found[found.lastindex or 0]) if found else None
    return None


def is_unfinished(value: Any) -> bool:
    """Return whether a tool answered before its command had ended."""
    match value:
        case {**rest}:
            return any(map(rest.get, _UNENDED))
        case str():
            return re.search(_RUNNING, value) is not None
    return False


def ended_well(value: Any) -> bool:
    """Return whether a client with separate failure reports says that a command succeeded.

    A status that the client takes for no failure is told in words beside the output.
    """
    match value:
        case {"stdout": _, **rest}:
            return not any(map(rest.get, _ODD_ENDS))
    return False


def _part(value: Any) -> str | None:
    match value:
        case str():
            return value
        case {"text": str(text)}:
            return _unwrapped(text)
    return None


def _unwrapped(text: str) -> str:
    """Strip Gemini's frame around a tool's output."""
    bare = text.strip()
    if bare.startswith(_WRAP_START) and bare.endswith(_WRAP_END):
        return bare[len(_WRAP_START) : -len(_WRAP_END)].strip("\n")
    return text
