"""Write the task for an agent to draft matchers for sentences without one."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from dmm.domain.text import neutralise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.rules.results import Uncompiled

REFERENCE = "matchers.md"
TASK = """\
# Write matchers for rules

The rules below are sentences that DMM does not enforce on tool calls yet. For each one that can be
decided by looking at a single tool call, or at an order of calls, write a matcher and hand it back
with the tool `add_constraint`: `text` is the sentence unchanged, `match` the matcher, `examples` at
least one call to block and one near miss to allow. A rule whose examples fail is refused with the
reason: correct it and try again. A person reviews every rule before it is enforced.

Leave a sentence out if no call can show that it is broken, or if the matcher would stop ordinary
work. Do not run anything.
"""
NOTHING = "Every rule has a matcher: there is nothing to draft.\n"


@cache
def matcher_reference() -> str:
    """Return the matcher reference in its compact form for agents."""
    return (resources.files("dmm") / "data" / REFERENCE).read_text("utf-8").strip()


def write_draft(sentences: Sequence[Uncompiled]) -> str:
    """Write the task with the reference and the sentences."""
    if not sentences:
        return NOTHING
    listed = "".join(f"- {_sentence(one)}\n" for one in sentences)
    return f"{TASK}\n{matcher_reference()}\n\n## Sentences\n\n{listed}"


def _sentence(one: Uncompiled) -> str:
    text = neutralise(" ".join(one.title.split()))
    return f"{text} (from {neutralise(one.origin)})" if one.origin else text
