"""A note that repeats a rule which agents are held to already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.rules.authorship import Likeness, compile_english
from dmm.rules.form import compile_fields
from dmm.rules.rule import State
from dmm.rules.source import state_of_rule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dmm.rules.folder import FileRule
    from dmm.rules.rule import Rule


def find_rule(text: str, rules: Iterable[FileRule]) -> Rule | None:
    """Find the enforced rule that says all of a note, in its words or by what it matches."""
    title = " ".join(text.split())
    # A longer note may add the reason, which a rule that matches the same does not have.
    held = [one.rule for one in rules if len(one.rule.title.split()) >= len(title.split())]
    held = [rule for rule in held if state_of_rule(rule) is State.ENFORCED]
    if not held:
        return None
    own = _describe(title)
    return next(
        (one for one in held if own.same(Likeness.of(one.title, one.call, one.folder))), None
    )


def _describe(title: str) -> Likeness:
    fields = compile_english(title).fields
    call = compile_fields({"id": "note", **fields}, title).call if fields else None
    return Likeness.of(title, call)
