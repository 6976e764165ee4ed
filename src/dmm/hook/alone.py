"""Judge a tool call in the hook itself, from the compiled rules."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING, NamedTuple

from dmm import rulefile
from dmm.clients.registry import NAMES
from dmm.errors import DmmError
from dmm.rules.callbook import CallBook
from dmm.rules.on_file import read_on_failure, read_rules, rule_by_file
from dmm.sessions.payload import HookEvent, HookKind, name_request, parse_payload
from dmm.sessions.reply import Reply, write_reply
from dmm.sessions.rulings import write_absence, write_failure, write_ruling

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.rules.callbook import Ruling
    from dmm.rules.on_file import OnFailure, RulesOnFile

UNREADABLE = "its payload can't be read"
NO_RULES = "the daemon does not answer, and there is no usable rule file"
FAILED = "the daemon does not answer, and the rules could not be applied here"
UNUSABLE = "no .dmm folder is checked out here, and the constraints on file can't be used"
MISSING = (
    "This repository has a .dmm folder, but not in this checkout: the session starts without its "
    "memory and its rule files; {held}. If another branch has it: git checkout BRANCH -- {place}. "
    "If the project no longer uses DMM: dmm trust --revoke --root {root}"
)
HELD = "the constraints of its ledger are checked"
NONE_HELD = "no rules are checked"
UNREAD = "the constraints of its ledger can't be read, so no call can be checked against them"
SILENT = "The DMM daemon does not answer"


class Alone(NamedTuple):
    """What to print, how it was ruled, and whether asking the background process can add to it."""

    answer: bytes = b""
    ruled: str = ""
    certain: bool = True


def judge_alone(client: str, payload: bytes, root: str) -> Alone:
    """Judge a tool call by the rules on file; any other event has no answer here."""
    files = rulefile.RuleFiles()
    try:
        event = parse_payload(client, payload)
    except DmmError:
        return _doubt(client, payload, files.read_for("", root) is not None)
    if event.kind is not HookKind.TOOL_REQUEST:
        return Alone(certain=False)
    held = files.read_for(event.session, root)
    if held is None and not files.is_trusted(root):
        # Memory that nobody accepted has no rules, and a project is on file once it was used.
        return Alone(certain=False)
    folder, data = held or (root, b"")
    return _judge(event, data, lambda: _rule(event, read_rules(data), folder), NO_RULES)


def tell_silence(client: str, payload: bytes, root: str) -> bytes:
    """Say that a session starts without its memory, in a project that has some to give."""
    files = rulefile.RuleFiles()
    try:
        event = parse_payload(client, payload)
    except DmmError:
        return b""
    held = files.read_for(event.session, root) is not None
    if not held and not files.is_trusted(root):
        return b""
    return write_reply(event, write_absence(SILENT, ruled=held))


def tell_missing(client: str, payload: bytes, place: str, root: str) -> bytes:
    """Say that a session starts where the memory and the rule files are not checked out."""
    held = _what_holds(rulefile.RuleFiles().read(root))
    told = MISSING.format(place=shlex.quote(place), root=shlex.quote(root), held=held)
    try:
        return write_reply(parse_payload(client, payload), Reply(context=told, notice=told))
    except DmmError:
        return b""


def judge_missing(client: str, payload: bytes, place: str, root: str) -> bytes:
    """Judge a call by the constraints on file, where no .dmm folder is checked out."""
    data = rulefile.RuleFiles().read(root)
    if data is None:
        return b""
    try:
        event = parse_payload(client, payload)
    except DmmError:
        return _doubt(client, payload, _what_holds(data) != NONE_HELD).answer
    if event.kind is not HookKind.TOOL_REQUEST:
        return b""
    found = _judge(event, data, lambda: _rule(event, _constraints(data), place), UNUSABLE)
    # Nobody notes here what is done, so a step that is to come first could never be shown.
    return b"" if found.ruled.startswith("ask") and not found.certain else found.answer


def _what_holds(data: bytes | None) -> str:
    """Return what is checked by the constraints on file, in words."""
    try:
        return HELD if data and _constraints(data).book.entries else NONE_HELD
    except DmmError:
        return UNREAD


def _constraints(data: bytes) -> RulesOnFile:
    """Read the rules on file without those that stand in files: they belong to a checkout."""
    rules = read_rules(data)
    return rules.changed(book=CallBook(one for one in rules.book.entries if not one.id))


def _doubt(client: str, payload: bytes, ruled: bool) -> Alone:
    """Ask about an unreadable call if rules exist that it may break."""
    named = name_request(client, payload) if ruled and client in NAMES else None
    if named is None:
        return Alone(certain=False)
    event = HookEvent(client, HookKind.TOOL_REQUEST, named, "", "", "")
    answer = write_reply(event, write_failure(UNREADABLE, "ask"))
    return Alone(answer, "unchecked-ask", certain=False)


def _judge(event: HookEvent, data: bytes, rule: Callable[[], Alone], unusable: str) -> Alone:
    try:
        return rule()
    except DmmError:
        return _fail(event, unusable, read_on_failure(data or rulefile.read_own_settings()))
    except Exception:  # noqa: BLE001 - a fault of ours must not let a call pass without a word
        return _fail(event, FAILED, read_on_failure(data))


def _rule(event: HookEvent, rules: RulesOnFile, root: str) -> Alone:
    from dmm.branch import find_branch, find_checkout
    from dmm.rules.callbook import recorded_seq
    from dmm.rules.commands.calls import ToolCall

    project = os.path.dirname(root)
    sys.path += [one for one in rules.libraries if one not in sys.path]
    checkout = find_checkout(project, event.cwd)
    call = ToolCall(event.tool, event.input, event.cwd, find_branch(project), checkout)
    ruling = rule_by_file(rules, call)
    seq = recorded_seq(ruling.seq) or ""
    answer = write_reply(event, write_ruling(ruling, None))
    return Alone(answer, f"{ruling.level}-{seq}", not _is_blind(ruling))


def _is_blind(ruling: Ruling) -> bool:
    """Return whether the ruling hangs on what was done before, which nobody here knows."""
    return ruling.level == "ask" and any(one.history_unknown for one in ruling.findings)


def _fail(event: HookEvent, why: str, on_failure: OnFailure) -> Alone:
    answer = write_reply(event, write_failure(why, on_failure))
    return Alone(answer, f"unchecked-{on_failure}", certain=False)
