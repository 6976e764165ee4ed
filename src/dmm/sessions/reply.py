"""The replies that make a client follow a ruling."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

from dmm.clients.base import BLOCKING, Answer
from dmm.clients.registry import find_client
from dmm.domain.value import Value
from dmm.sessions.payload import HookKind

if TYPE_CHECKING:
    from dmm.sessions.payload import HookEvent

NO_REASON = "A rule of this project forbids this call."


class Reply(Value):
    """What to tell the client: context for the model, a decision about a call, a warning.

    A `notice` is for the user; a client that has no way to show one gives it to the model.
    Where the decision is to ask, `way` is the command that lets the call through.
    """

    context: str = ""
    decision: Literal["deny", "ask"] | None = None
    reason: str = ""
    warning: str = ""
    notice: str = ""
    way: str = ""


def write_reply(event: HookEvent, reply: Reply) -> bytes:
    """Return the hook's answer in the client's format, or nothing."""
    client = find_client(event.client)
    notice, warning = reply.notice.strip(), reply.warning.strip()
    shown, first = (notice, warning) if client.shows_notice else ("", warning or notice)
    parts = dict.fromkeys((first, reply.context.strip()))
    words = "\n\n".join(part for part in parts if part)
    said = client.answer(
        Answer(
            event=event.event,
            kind=str(event.kind),
            decision=reply.decision if event.kind is HookKind.TOOL_REQUEST else None,
            reason=reply.reason.strip() or NO_REASON,
            context=words if event.kind in client.takes_context else "",
            warning=warning,
            way=reply.way,
        )
    )
    if isinstance(said, str):
        return BLOCKING + said.encode("utf-8", "replace") if said else b""
    if shown:
        said = {"systemMessage": shown, **said}
    return json.dumps(said).encode("ascii") if said else b""
