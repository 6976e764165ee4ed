"""A tool call judged by the hook itself, from the rules on file: nobody else answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dmm import rulefile
from dmm.capture.payload import HookKind, parse_payload
from dmm.capture.reply import write_reply
from dmm.capture.rulings import (
    read_on_failure,
    read_rules,
    rule_by_file,
    write_failure,
    write_ruling,
)
from dmm.errors import DmmError

if TYPE_CHECKING:
    from dmm.capture.payload import HookEvent
    from dmm.capture.rulings import OnFailure, RulesOnFile
    from dmm.policy.callbook import Ruling

UNREADABLE = "its payload can't be read"
NO_RULES = "the background process does not answer, and there is no usable rule file"


class Alone(NamedTuple):
    """What to print, how it was ruled, and whether asking the background process can add to it."""

    answer: bytes = b""
    ruled: str = ""
    certain: bool = True


def judge_alone(client: str, payload: bytes, root: str) -> Alone:
    """Judge a tool call by the rules on file; any other event has no answer here."""
    try:
        event = parse_payload(client, payload)
    except DmmError:
        # Whoever parses it again finds the same; the background process asks about such a call.
        return Alone(certain=False)
    if event.kind is not HookKind.TOOL_REQUEST:
        return Alone(certain=False)
    files = rulefile.RuleFiles()
    data = files.read(root)
    if data is None and not files.is_trusted(root):
        # Memory that nobody accepted has no rules, and a project is on file once it was used.
        return Alone(certain=False)
    try:
        rules = read_rules(data or b"")
    except DmmError:
        return _fail(event, read_on_failure(data or rulefile.read_own_settings()))
    return _rule(event, rules, root)


def _rule(event: HookEvent, rules: RulesOnFile, root: str) -> Alone:
    from dmm.policy.commands.calls import ToolCall

    ruling = rule_by_file(rules, ToolCall(event.tool, event.input, event.cwd, _branch(event, root)))
    seq = "" if ruling.seq is None else ruling.seq
    answer = write_reply(event, write_ruling(ruling, None))
    return Alone(answer, f"{ruling.level}-{seq}", not _is_blind(ruling))


def _is_blind(ruling: Ruling) -> bool:
    """Say whether the ruling hangs on what was done before, which nobody here knows."""
    return ruling.level == "ask" and any(one.history_unknown for one in ruling.findings)


def _fail(event: HookEvent, on_failure: OnFailure) -> Alone:
    answer = write_reply(event, write_failure(NO_RULES, on_failure))
    return Alone(answer, f"unchecked-{on_failure}", certain=False)


def _branch(event: HookEvent, root: str) -> str | None:
    """Read the branch, which only rules on Git ask for; reading it costs more than the rest."""
    if not any("git" in value for value in event.input.values() if isinstance(value, str)):
        return None
    from dmm.branch import find_branch

    return find_branch(root.rpartition("/")[0])
