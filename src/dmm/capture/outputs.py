"""Outputs: what a tool gave back, in any shape, as text."""

from __future__ import annotations

import json
from typing import Any

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


def _told(value: dict[str, Any]) -> str | None:
    """Find the words of an answer among what a client puts around them."""
    if isinstance(value.get("stdout"), str):
        lines = (value["stdout"], value.get("stderr"))
        return "\n".join(line for line in lines if isinstance(line, str) and line)
    if isinstance(value.get("file"), dict) and isinstance(value["file"].get("content"), str):
        return str(value["file"]["content"])
    if "structuredPatch" in value and isinstance(value.get("filePath"), str):
        return f"{value.get('type') or 'update'} {value['filePath']}"
    for name in ("llmContent", "content", "output", "text", "error"):
        if isinstance(value.get(name), (str, list)) and value[name]:
            return as_text(value[name])
    return None


def _part(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        return _unwrapped(value["text"])
    return None


def _unwrapped(text: str) -> str:
    """Take off the frame that Gemini puts around what a tool said."""
    bare = text.strip()
    if bare.startswith(_WRAP_START) and bare.endswith(_WRAP_END):
        return bare[len(_WRAP_START) : -len(_WRAP_END)].strip("\n")
    return text
