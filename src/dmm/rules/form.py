"""The fields of a rule ↔ the typed rule: what a rule file's front matter means."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.errors import RuleFormError
from dmm.rules.commands.calls import ToolCall
from dmm.rules.exampleform import read_examples
from dmm.rules.formvalues import flag, refuse_unknown, whole
from dmm.rules.matchers import read_items, read_needs
from dmm.rules.patterns import Action, ToolRule
from dmm.rules.rule import RULE_LEVELS, Rule, RuleLevel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dmm.rules.rule import Example

FIELDS = (
    "id", "level", "folder", "disabled", "match", "unless", "before", "require", "examples",
    "origin", "triggered_by",
)  # fmt: skip
_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")
_ACTIONS = {"deny": Action.DENY, "ask": Action.ASK, "warn": Action.WARN}
_NOTHING = ToolCall("", {})


def compile_fields(fields: Mapping[str, object], title: str, why: str = "", stem: str = "") -> Rule:
    """Compile the fields of a rule; the first one that can't be meant is refused.

    `stem` names a rule that has no id of its own.
    """
    refuse_unknown(fields, FIELDS, ())
    named = _id(fields.get("id", stem))
    folder = _folder(fields.get("folder", ""))
    matched = "match" in fields or "before" in fields
    level = _level(fields.get("level"), matched=matched)
    block, allow = read_examples(fields.get("examples"), ("examples",))
    rule = None
    if matched and level != "advise":
        rule = _call_rule(fields, named, level, folder, (block, allow), (title, why))
    elif matched:
        # A rule that only advises keeps its matcher: it is checked here and used once it binds.
        _call_rule(fields, named, "warn", folder, (block, allow), (title, why))
    elif "unless" in fields or "require" in fields:
        place = "unless" if "unless" in fields else "require"
        hint = "add what it is an exception to: match" if place == "unless" else "add: before"
        raise RuleFormError((place,), f"'{place}' stands without what it belongs to", hint=hint)
    return Rule(
        id=named,
        title=title,
        level=level,
        why=why,
        call=rule,
        block=block,
        allow=allow,
        folder=folder,
        origin=_text(fields.get("origin"), "origin"),
        triggered_by=whole(fields.get("triggered_by"), ("triggered_by",)),
        disabled=flag(fields.get("disabled", False), ("disabled",)),
        fields=dict(fields),
    )


def _call_rule(
    fields: Mapping[str, object],
    named: str,
    level: RuleLevel,
    folder: str,
    examples: tuple[tuple[Example, ...], tuple[Example, ...]],
    words: tuple[str, str],
) -> ToolRule:
    """Compile what a rule matches, its exceptions, and what it wants done first."""
    if "match" in fields and "before" in fields:
        hint = "an order rule says 'before' and 'require'; write two rules"
        raise RuleFormError(("before",), "'match' and 'before' can't stand together", hint=hint)
    if ("before" in fields) != ("require" in fields):
        place = "before" if "before" in fields else "require"
        other = "require" if place == "before" else "before"
        raise RuleFormError((place,), f"'{place}' needs '{other}'")
    guarded = "match" if "match" in fields else "before"
    needs = read_needs(fields["require"], ("require",), folder) if "require" in fields else ()
    block, allow = examples
    title, why = words
    reason, _, _ = why.strip().partition("\n\n")
    return ToolRule(
        id=named,
        patterns=read_items(fields[guarded], (guarded,), folder),
        reason=title,
        suggestion=" ".join(reason.split()),
        blocked=block[0].call if block else _NOTHING,
        allowed=allow[0].call if allow else _NOTHING,
        action=_ACTIONS[level],
        exceptions=read_items(fields["unless"], ("unless",), folder) if "unless" in fields else (),
        needs=needs,
    )


def _id(value: object) -> str:
    if not isinstance(value, str) or not _ID.fullmatch(value):
        hint = "use small letters, digits and hyphens, such as no-console-log"
        raise RuleFormError(("id",), f"{value!r} is no id", hint=hint)
    return value


def _level(value: object, *, matched: bool) -> RuleLevel:
    if value is None:
        return "deny" if matched else "advise"
    for level in RULE_LEVELS:
        if value == level:
            return level
    raise RuleFormError(("level",), f"the level is one of {', '.join(RULE_LEVELS)}, not {value!r}")


def _folder(value: object) -> str:
    text = _text(value, "folder").strip("/")
    if text == ".." or text.startswith("../") or "/../" in text:
        raise RuleFormError(("folder",), "the folder lies outside the repository")
    return text.removeprefix("./")


def _text(value: object, name: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise RuleFormError((name,), f"'{name}' is text")
    return value
