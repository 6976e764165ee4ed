"""The `ask` tool: a question answered with cited evidence."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from dmm.ask.render import STYLES
from dmm.domain.plain import to_plain

if TYPE_CHECKING:
    from dmm.mcp.caller import Caller

DATA = "json"
ANSWER_STYLES = (*STYLES, DATA)


def ask(caller: Caller, *, question: str, **given: Any) -> str:
    """Answer a question; the critic looks at the session of whoever asks."""
    actor = caller.actor
    as_data = given.get("style") == DATA
    if as_data:
        del given["style"]
    with caller.project().asking(actor) as dmm:
        told = dmm.asking.ask(question, session=actor.session, **given)
    if as_data:
        return json.dumps(to_plain(told), ensure_ascii=False, separators=(",", ":"))
    return told.prompt + "".join(f"notice: {one}\n" for one in told.notices)
