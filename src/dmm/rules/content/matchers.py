"""Structural patterns as the parser's library takes them, checked before they are used."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ast_grep_py import SgRoot

from dmm.rules.budget import Stopped
from dmm.rules.content.limits import MAX_PATTERN, Unfit
from dmm.rules.content.words import HOLE

if TYPE_CHECKING:
    from ast_grep_py import Config, Rule

MAX_DEEP = 3
_PATTERN_NESTING = 60
_BRACKETS = frozenset("()[]{}")
# At the top of a file these languages read the same words as something else.
_AROUND = {"go": ("func f() {\n", "\n}"), "c": ("void f() {\n", ";\n}"), "css": ("a {\n", "\n}")}

_OTHERS = bytes(set(range(256)) - set(b"()[]{}"))
_MARKS = re.compile(r"[()\[\]{}]|[;,]|[-+*/.!?&|<>=:]+")
_OPENS = {")": "(", "]": "[", "}": "{"}
_NEAR = 3


class Matcher(NamedTuple):
    """A rule for the library.

    `deep` counts how many searches along all ancestors or descendants stand in one another, and
    `parts` all that is asked of a node. `reads` says that the text of nodes is looked at.
    """

    config: Config
    deep: int = 0
    parts: int = 1
    reads: bool = False


def build(pattern: str, rule: str, language: str) -> Matcher:
    """Build the matcher of a pattern in a language; what can't be used is refused as `Stopped`."""
    built = _built(pattern, rule, language)
    if isinstance(built, Stopped):
        raise built
    return built


@lru_cache(maxsize=4_096)
def _built(pattern: str, rule: str, language: str) -> Matcher | Stopped:
    """Build a matcher once, or find out once why it can't be."""
    try:
        return _made(pattern, rule, language)
    except Stopped as fault:
        return fault


def _made(pattern: str, rule: str, language: str) -> Matcher:
    if len(pattern) + len(rule) > MAX_PATTERN:
        raise Stopped(f"its pattern is longer than {MAX_PATTERN:,} characters")
    parts: list[Rule] = [{"pattern": pattern}] if pattern else []
    if rule:
        parts.append(_read(rule))
    held: Rule = parts[0] if len(parts) == 1 else {"all": parts}
    deep = _deep(held)
    if deep > MAX_DEEP:
        raise Stopped(f"its rule nests more than {MAX_DEEP} searches with stopBy")
    config: Config = {"rule": _placed(held, language)}
    _try(config, language)
    return Matcher(config, deep, _parts(held), _reads(held))


def _read(rule: str) -> Rule:
    try:
        held = json.loads(rule)
    except (ValueError, RecursionError) as fault:
        raise Stopped("its rule is not JSON") from fault
    if not isinstance(held, dict):
        raise Stopped("its rule is not a mapping")
    return cast("Rule", held)


def _try(config: Config, language: str) -> None:
    """Have the library read a rule once; it says what is wrong in the last of its causes."""
    try:
        cast("Any", SgRoot("", language).root()).find(config)
    except Exception as fault:  # noqa: BLE001 - the library raises plain exceptions
        raise Unfit(_cause(str(fault))) from None


def _cause(told: str) -> str:
    causes = re.findall(
        r"(?m)^\s*\d+: (.+(?:\n(?!\s*\d+: |\n).+)*)", told.partition("Stack back")[0]
    )
    cause = " ".join((causes[-1] if causes else told).split()).replace("µ", "$")
    if cause.startswith("Multiple AST nodes"):
        return "its pattern is more than one piece of code"
    return cause.rstrip(".")


def _placed(value: Any, language: str) -> Any:
    """Put every piece of code where the language reads it as it will stand in files."""
    if isinstance(value, list):
        return [_placed(one, language) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _in_context(one, language)
        if key == "pattern" and isinstance(one, str)
        else _placed(one, language)
        for key, one in value.items()
    }


def _in_context(code: str, language: str) -> object:
    if nesting_of(code, _PATTERN_NESTING)[0] > _PATTERN_NESTING:
        raise Stopped(f"its pattern nests deeper than {_PATTERN_NESTING} brackets")
    lead, trail = _AROUND.get(language, ("", ""))
    if lead:
        code = code.strip().removesuffix(";") + (";" if language == "css" else "")
        plain = HOLE.sub("dmm", code)
        root = SgRoot(f"{lead}{plain}{trail}", language).root()
        selector = _kind_at(root, len(lead), len(lead) + len(plain))
        if selector and _is_complete(root):
            return {"context": f"{lead}{code}{trail}", "selector": selector}
    plain = HOLE.sub("dmm", code)
    if not _is_complete(SgRoot(plain, language).root()):
        raise Unfit(f"its pattern is not valid {language}: {code}")
    return code


def _is_complete(root: Any) -> bool:
    """Whether a parser has found nothing wrong and no bracket missing."""
    if root.find(kind="ERROR") is not None:
        return False
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.kind() in _BRACKETS and not node.text():
            return False
        waiting += node.children()
    return True


def _kind_at(node: Any, start: int, end: int) -> str:
    """Name the node that covers exactly a place, without the statement around an expression."""
    found = ""
    while True:
        held = [
            child
            for child in node.children()
            if child.range().start.index <= start and end <= child.range().end.index
        ]
        if not held:
            return found
        node = held[0]
        exact = (node.range().start.index, node.range().end.index) == (start, end)
        if exact and node.kind() != "expression_statement":
            return str(node.kind())
        found = found if not exact else str(node.kind())


def _parts(rule: Any) -> int:
    if isinstance(rule, list):
        return sum(map(_parts, rule))
    return 1 + sum(map(_parts, rule.values())) if isinstance(rule, dict) else 0


def _reads(rule: Any) -> bool:
    if isinstance(rule, list):
        return any(map(_reads, rule))
    return isinstance(rule, dict) and ("regex" in rule or any(map(_reads, rule.values())))


def _deep(rule: Any) -> int:
    if isinstance(rule, list):
        return max(map(_deep, rule), default=0)
    if not isinstance(rule, dict):
        return 0
    far = int(rule.get("stopBy", "neighbor") != "neighbor")
    return far + max(map(_deep, rule.values()), default=0)


def nesting_of(text: str, deepest: int) -> tuple[int, bool]:
    """Return how deep brackets nest, and whether so many lack a partner that a parser would guess.

    Nothing behind a place deeper than `deepest` is looked at.
    """
    brackets = text.encode("utf-8", "replace").translate(None, _OTHERS).decode("ascii")
    stack: list[str] = []
    depth = strays = 0
    for mark in brackets:
        opens = _OPENS.get(mark)
        if opens is None:
            stack.append(mark)
            if len(stack) > depth:
                depth = len(stack)
                if depth > deepest:
                    break
        elif stack and stack[-1] == opens:
            stack.pop()
        else:
            strays += 1
            near = stack[-_NEAR:]
            del stack[len(stack) - near[::-1].index(opens) - 1 if opens in near else len(stack) :]
    return depth, strays + len(stack) > max(40, len(brackets) // 4)


def steps_of(text: str) -> tuple[int, int]:
    """Count the marks of a text, and sum up their depths: the steps to all their ancestors."""
    depth = run = steps = marks = 0
    for found in _MARKS.finditer(text):
        mark = found[0]
        marks += 1
        if mark in "([{":
            depth, run = depth + 1, 0
        elif mark in ")]}":
            depth, run = max(0, depth - 1), 0
        elif mark in ";,":
            run = 0
        else:
            run += 1
        steps += 2 * depth + run
    return marks, steps
