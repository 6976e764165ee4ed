"""Rulings on tool calls as replies to a client, also by a hook that has to judge alone."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from dmm.capture.reply import Reply
from dmm.domain.text import neutralise
from dmm.domain.value import Value
from dmm.errors import UsageError
from dmm.reading import WorkTree, read_changed, read_script

if TYPE_CHECKING:
    from dmm.rules.callbook import CallBook, Ruling
    from dmm.rules.commands.calls import ToolCall

OnFailure = Literal["allow", "ask", "deny"]
UNCHECKED = "DMM could not check this call against the rules of this project"
OTHERS_SHOWN = 5
_WAY_OUT = "See what is wrong with: dmm doctor"


class RulesOnFile(Value):
    """The rules in force as they were last written, and what to do where they can't be used.

    `libraries` are the folders of what searches texts: a hook begins without the site's packages.
    """

    book: CallBook
    on_failure: OnFailure = "allow"
    libraries: tuple[str, ...] = ()


def write_ruling(ruling: Ruling, seq: int | None) -> Reply:
    """Say to an agent what became of its tool call, and why."""
    if ruling.level == "allow":
        return Reply()
    from dmm.rules.callbook import name_rule

    rule = f'DMM {name_rule(ruling.seq, ruling.id)}: "{ruling.text.rstrip(".")}"'
    if ruling.seq is None:
        rule = "DMM can't tell what this call runs"
    why = ruling.findings[0].reason if ruling.findings else ruling.reason
    told = [rule, why, ruling.suggestion, _name_others(ruling)]
    if seq is not None:
        told.append(f"(event {seq}; a person can read why with: dmm rules explain {seq})")
    sentences = (part[:1].upper() + part[1:].rstrip(". ") for part in told if part)
    reason = neutralise(". ".join(sentences)) + "."
    if ruling.level == "warn":
        return Reply(warning=reason)
    return Reply(decision=ruling.level, reason=reason)


def _name_others(ruling: Ruling) -> str:
    """Name what else stops the call, so that an agent is not refused again for the next rule."""
    others = [
        one.name
        for one in ruling.findings
        if one.level in ("ask", "deny") and (one.seq, one.id) != (ruling.seq, ruling.id)
    ]
    shown = others[:OTHERS_SHOWN]
    more = len(others) - len(shown)
    tail = f" and {more} more" if more else ""
    return f"Also: {', '.join(shown)}{tail}" if shown else ""


def write_failure(why: str, on_failure: OnFailure) -> Reply:
    """Say that a call could not be checked; nothing fails open in silence."""
    if on_failure == "allow":
        return Reply(notice=f"{UNCHECKED}, so it was allowed: {why}. {_WAY_OUT}")
    return Reply(decision=on_failure, reason=f"{UNCHECKED}: {why}. {_WAY_OUT}")


def write_rules(rules: RulesOnFile) -> bytes:
    """Write the rules as the bytes of a rule file."""
    from dmm.rules.bookform import book_to_dict

    data = {
        "on_failure": rules.on_failure,
        "libraries": list(rules.libraries),
        "rules": book_to_dict(rules.book),
    }
    return json.dumps(data, sort_keys=True, separators=(",", ":")).encode()


def read_rules(data: bytes) -> RulesOnFile:
    """Read a rule file; one that another version wrote is refused."""
    from dmm.rules.bookform import book_from_dict

    try:
        stored: dict[str, Any] = json.loads(data)
        folders = tuple(map(str, stored["libraries"]))
        return RulesOnFile(book_from_dict(stored["rules"]), stored["on_failure"], folders)
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError("the rule file can't be read") from error


def read_on_failure(data: bytes) -> OnFailure:
    """Read what a rule file, or the user's own settings, say about a call nobody can check."""
    try:
        stored = json.loads(data)
        value = stored.get("on_failure") or stored.get("enforcement", {}).get("on_failure")
    except (ValueError, AttributeError):
        return "allow"
    return value if value in ("ask", "deny") else "allow"


def rule_by_file(rules: RulesOnFile, call: ToolCall) -> Ruling:
    """Rule on a call by the rules on file; what was done before it is not known there."""
    files, texts = partial(read_script, call.cwd), partial(read_changed, call.cwd)
    root = call.root or call.cwd
    return rules.book.rule(call, None, files, texts, WorkTree(root) if root else None)
