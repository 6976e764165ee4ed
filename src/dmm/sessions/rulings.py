"""Rulings on tool calls, as replies to a client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.domain.text import neutralise
from dmm.sessions.reply import Reply

if TYPE_CHECKING:
    from dmm.rules.callbook import Ruling
    from dmm.rules.on_file import OnFailure

UNCHECKED = "DMM could not check this call against the rules of this project"
OTHERS_SHOWN = 5
_SEEN = "The user can see why in a terminal: dmm doctor"
_WAY_OUT = "See what is wrong with: dmm doctor."


def write_ruling(ruling: Ruling, seq: int | None, digest: str = "") -> Reply:
    """Return the message to an agent about its tool call.

    Only a call that the record tells from others, by its digest, can be let through by command.
    """
    if ruling.level == "allow":
        return Reply()
    from dmm.rules.callbook import name_rule

    rule = f'DMM {name_rule(ruling.seq, ruling.id)}: "{ruling.text.rstrip(".")}"'
    if ruling.seq is None:
        rule = "DMM can't determine what this call runs"
    first = ruling.findings[0] if ruling.findings else None
    why, note = (first.reason, first.note) if first else (ruling.reason, "")
    told, way = [rule, why, note, ruling.suggestion, _name_others(ruling)], ""
    if seq is not None:
        way = f"dmm rules allow {seq}" if digest else ""
        told.append(f"Details: dmm rules explain {seq}")
    sentences = (part[:1].upper() + part[1:].rstrip(". ") for part in told if part)
    reason = neutralise(". ".join(sentences)) + "."
    if ruling.level == "warn":
        return Reply(warning=reason)
    return Reply(decision=ruling.level, reason=reason, way=way)


def _name_others(ruling: Ruling) -> str:
    """Name the other rules that stop the call, so that the agent can satisfy all at once."""
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
    """Return the message that a call could not be checked; nothing fails open silently."""
    if on_failure == "allow":
        return Reply(notice=f"{UNCHECKED}, so it was allowed: {why}. {_WAY_OUT}")
    return Reply(decision=on_failure, reason=f"{UNCHECKED}: {why}. {_WAY_OUT}")


def write_absence(why: str, *, ruled: bool) -> Reply:
    """Return the message that a session starts without its memory, and whether rules hold."""
    rules = "rules are still checked" if ruled else "no rules are known here to check calls by"
    told = f"{why}, so this session starts without its memory; {rules}. {_SEEN}"
    return Reply(context=told, notice=told)
