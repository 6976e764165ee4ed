"""The index of rules on tool calls: a rule that a call breaks is always looked up."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from dmm.rules.commands.calls import ToolCall, read_call
from dmm.rules.content.writings import with_writings
from dmm.rules.index import CallIndex
from dmm.rules.patterns import (
    AllOf,
    BranchPattern,
    CommandPattern,
    ContentPattern,
    DependencyPattern,
    MessagePattern,
    PathPattern,
    Pattern,
    ToolPattern,
)


def bash(command: str) -> ToolCall:
    return ToolCall("Bash", {"command": command})


WRITE = ToolCall("Write", {"file_path": "src/a.py", "content": "print(1)"})
MATCHED: list[tuple[Pattern, ToolCall]] = [
    (ToolPattern("WebFetch"), ToolCall("WebFetch", {"url": "https://example.org"})),
    (CommandPattern(("rm",)), bash("rm a")),
    (PathPattern("src/**", ("write",)), WRITE),
    (DependencyPattern("lodash"), bash("npm install lodash")),
    (BranchPattern("main"), bash("git push origin main")),
    (ContentPattern(regex="print"), WRITE),
    (AllOf((ContentPattern(regex="print"), PathPattern("src/**", ("write",)))), WRITE),
    (MessagePattern(regex="wip"), bash("git commit -m wip")),
]


def test_every_kind_of_pattern_is_here() -> None:
    assert {type(pattern) for pattern, _ in MATCHED} == set(get_args(Pattern))


@pytest.mark.parametrize(("pattern", "call"), MATCHED, ids=lambda one: getattr(one, "kind", ""))
def test_a_rule_of_every_kind_is_looked_up_for_a_call_that_it_matches(
    pattern: Any, call: ToolCall
) -> None:
    facts = with_writings(read_call(call), None)
    assert list(pattern.find(facts))
    assert CallIndex([("rule", [pattern])]).candidates(facts) == ["rule"]
