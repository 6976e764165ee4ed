"""A small project of rules on content, asked as the daemon asks them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pytest

from dmm.rules.callbook import CallBook, CallEntry, Ruling
from dmm.rules.callrules import Action, ToolRule
from dmm.rules.commands.calls import ToolCall

if TYPE_CHECKING:
    from dmm.rules.patterns import Pattern

NOTHING = ToolCall("", {})
Judge = Callable[..., Ruling]


def make_book(
    *patterns: Pattern, unless: tuple[Pattern, ...] = (), action: Action = Action.DENY
) -> CallBook:
    rules = [
        ToolRule(f"rule-{number}", (one,), "it is forbidden", "", NOTHING, NOTHING, action, unless)
        for number, one in enumerate(patterns, 1)
    ]
    return CallBook(CallEntry(at, f"Rule {at}", one) for at, one in enumerate(rules, 1))


@pytest.fixture
def judge() -> Judge:
    """Rule on one call of a tool in /project, under patterns, with the files that exist."""

    def rule(
        tool: str,
        values: Mapping[str, Any],
        *patterns: Pattern,
        files: Mapping[str, str] | None = None,
        unless: tuple[Pattern, ...] = (),
        action: Action = Action.DENY,
    ) -> Ruling:
        book = make_book(*patterns, unless=unless, action=action)
        return book.rule(ToolCall(tool, values, "/project"), files=dict(files or {}).get)

    return rule
