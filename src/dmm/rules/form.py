"""Compile the front matter of a rule file into a typed rule."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.errors import RuleFormError
from dmm.rules.callrules import Action, ToolRule
from dmm.rules.commands.calls import ToolCall
from dmm.rules.formvalues import flag, mapping, refuse_unknown, text, whole
from dmm.rules.matchers import read_items, read_needs
from dmm.rules.rule import RULE_LEVELS, Earlier, Example, Rule, RuleLevel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dmm.rules.formvalues import Place

FIELDS = (
    "id", "level", "folder", "disabled", "match", "unless", "before", "require", "examples",
    "origin", "triggered_by",
)  # fmt: skip
_KINDS = ("run", "write", "edit", "read", "delete", "tool")
_KEYS = {
    "run": ("branch", "output", "exit"),
    "write": ("text",),
    "edit": ("old", "new"),
    "read": (),
    "delete": (),
    "tool": ("input",),
}
_EVERYWHERE = ("after", "files")
_LONGEST = 60
_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")
_NOTHING = ToolCall("", {})


def compile_fields(fields: Mapping[str, object], title: str, why: str = "", stem: str = "") -> Rule:
    """Compile the fields of a rule; raise an error for the first invalid one.

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
        needed = "match" if place == "unless" else "before"
        raise RuleFormError((place,), f"'{place}' needs '{needed}'")
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
        hint = "an order rule has 'before' and 'require', and no 'match'; write two rules"
        raise RuleFormError(("before",), "'match' and 'before' can't be used together", hint=hint)
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
        action=Action(level),
        exceptions=read_items(fields["unless"], ("unless",), folder) if "unless" in fields else (),
        needs=needs,
    )


def _id(value: object) -> str:
    if not isinstance(value, str) or not _ID.fullmatch(value):
        hint = "use small letters, digits and hyphens, such as no-console-log"
        raise RuleFormError(("id",), f"{value!r} is not a valid id", hint=hint)
    return value


def _level(value: object, *, matched: bool) -> RuleLevel:
    if value is None:
        return "deny" if matched else "advise"
    for level in RULE_LEVELS:
        if value == level:
            return level
    raise RuleFormError(
        ("level",), f"the level must be one of {', '.join(RULE_LEVELS)}, not {value!r}"
    )


def _folder(value: object) -> str:
    text = _text(value, "folder").strip("/")
    if text == ".." or text.startswith("../") or "/../" in text:
        raise RuleFormError(("folder",), "the folder lies outside the repository")
    return text.removeprefix("./")


def _text(value: object, name: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise RuleFormError((name,), f"'{name}' must be text")
    return value


def read_examples(value: object, place: Place) -> tuple[tuple[Example, ...], tuple[Example, ...]]:
    """Read what a rule must block and what it must allow."""
    if value is None:
        return (), ()
    held = mapping(value, place, "examples")
    refuse_unknown(held, ("block", "allow"), place)
    return (
        _examples(held.get("block"), (*place, "block")),
        _examples(held.get("allow"), (*place, "allow")),
    )


def _examples(value: object, place: Place) -> tuple[Example, ...]:
    if value is None:
        return ()
    items = value if isinstance(value, list) else [value]
    return tuple(_example(one, (*place, number)) for number, one in enumerate(items))


def _example(value: object, place: Place) -> Example:
    if isinstance(value, str):
        return Example(_call("run", {"run": value}, place), value)
    held = mapping(value, place, "an example")
    kind = _kind(held, place)
    refuse_unknown(held, (kind, *_KEYS[kind], *_EVERYWHERE), place)
    after = held.get("after", [])
    items = after if isinstance(after, list) else [after]
    return Example(
        _call(kind, held, place),
        show_example(held, kind),
        tuple(_earlier(one, (*place, "after", number)) for number, one in enumerate(items)),
        _files(held.get("files"), (*place, "files")),
    )


def _kind(held: Mapping[str, object], place: Place) -> str:
    kinds = [one for one in _KINDS if one in held]
    if len(kinds) != 1:
        what = f"an example needs one of {', '.join(_KINDS)}"
        raise RuleFormError(place, what, hint="a plain text is a shell command")
    return kinds[0]


def _call(kind: str, held: Mapping[str, object], place: Place) -> ToolCall:
    """Return an example as the call that a client's tool would make."""
    if kind == "tool":
        given = held.get("input", {})
        if not isinstance(given, dict):
            raise RuleFormError((*place, "input"), "the input of a tool must be a mapping")
        return ToolCall(text(held["tool"], (*place, "tool")), given)
    named = text(held[kind], (*place, kind))
    if kind == "run":
        branch = held.get("branch")
        known = None if branch is None else text(branch, (*place, "branch"))
        return ToolCall("Bash", {"command": named}, branch=known)
    if kind == "write":
        return ToolCall("Write", {"file_path": named, "content": _free(held, "text", place)})
    if kind == "edit":
        old, new = _free(held, "old", place), _free(held, "new", place)
        return ToolCall("Edit", {"file_path": named, "old_string": old, "new_string": new})
    if kind == "read":
        return ToolCall("Read", {"file_path": named})
    return ToolCall("Bash", {"command": f"rm -- '{named}'"})


def _free(held: Mapping[str, object], name: str, place: Place) -> str:
    """Read a text that may be empty or missing."""
    value = held.get(name, "")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if value is not None and not isinstance(value, str):
        raise RuleFormError((*place, name), "text is expected")
    return value or ""


def _earlier(value: object, place: Place) -> Earlier:
    if isinstance(value, str):
        return Earlier(_call("run", {"run": value}, place), exit=0)
    held = mapping(value, place, "what was done before")
    kind = _kind(held, place)
    refuse_unknown(held, (kind, *_KEYS[kind]), place)
    output = _free(held, "output", place)
    status = whole(held.get("exit"), (*place, "exit"))
    # Said without an outcome, a step went well.
    passed = 0 if status is None and not output else status
    return Earlier(_call(kind, held, place), output, passed)


def _files(value: object, place: Place) -> tuple[tuple[str, str], ...]:
    if value is None:
        return ()
    held = mapping(value, place, "files")
    return tuple((name, _free(held, name, place)) for name in held)


def show_example(held: Mapping[str, object], kind: str) -> str:
    """Return an example in one line: the call, its branch or text, and earlier steps."""
    named = str(held[kind])
    shown = named if kind == "run" else f"{'the tool' if kind == 'tool' else kind} {named}"
    written = held.get("text" if kind == "write" else "new")
    if kind in ("write", "edit") and written:
        shown += f": {_one_line(str(written))}"
    if held.get("branch"):
        shown += f" (on {held['branch']})"
    after = held.get("after") or []
    steps = [_step(one) for one in (after if isinstance(after, list) else [after])]
    return f"{shown} after: {', '.join(steps)}" if steps else shown


def _step(value: object) -> str:
    """Return an earlier step as text; a failed one is marked."""
    if not isinstance(value, dict):
        return str(value)
    kind = next((one for one in _KINDS if one in value), "")
    failed = " (failed)" if value.get("exit") else ""
    return show_example(value, kind) + failed if kind else str(value)


def _one_line(text: str) -> str:
    """Show the first line of a text, cut where it is long."""
    lines = [one.strip() for one in text.splitlines() if one.strip()] or [""]
    cut = len(lines) > 1 or len(lines[0]) > _LONGEST
    return lines[0][:_LONGEST].rstrip() + (" …" if cut else "")
