"""One stream of news for a page: events as they are recorded, and the progress of jobs.

FastAPI reads the annotations when the program runs, so they stand here as they are.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from dmm import VERSION
from dmm.http import errors, models
from dmm.http.calls import BEHIND_TOKEN, Called, Reply, told
from dmm.http.streams import BATCH, Limits, Listener, Streams, write_message, write_news
from dmm.projects import Project

router = APIRouter(prefix="/v1", tags=["stream"], dependencies=BEHIND_TOKEN)

MEDIA_TYPE = "text/event-stream"
# A page that lost the stream tries again after so many milliseconds.
RETRY = b"retry: 1000\n\n"
BEAT = b": beat\n\n"
# A client that takes nothing more is given up this long after its stream should have ended.
STUCK = 30.0

MESSAGE = {
    "type": "object",
    "required": ["event", "data"],
    "properties": {name: {"type": "string"} for name in ("event", "data", "id")},
}
ANSWERS = told(models.Told) | {200: {"content": {MEDIA_TYPE: {"schema": MESSAGE}}}}


class EventStream(StreamingResponse):
    """A stream that ends in time, also where the other side has stopped reading."""

    media_type = MEDIA_TYPE

    def __init__(self, content: AsyncIterator[bytes], limits: Limits) -> None:
        super().__init__(content)
        self._longest = limits.life + STUCK

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        try:
            async with asyncio.timeout(self._longest):
                await super().__call__(scope, receive, send)
        except TimeoutError:
            # The server closes a connection whose answer is not complete.
            return


@router.get("/stream", responses=ANSWERS, response_class=StreamingResponse)
def stream(
    call: Called,
    last: Annotated[
        int | None,
        # A browser sends it by itself, so the document does not list it.
        Header(alias="Last-Event-ID", ge=0, le=models.LARGEST, include_in_schema=False),
    ] = None,
) -> Response:
    """Show what is recorded from now on, or since the event that was seen last."""
    streams, project = call.access.streams, call.project()
    if streams.full:
        return Reply(errors.STREAMS.describe(), errors.STREAMS.status)
    with project.reading(call.actor) as dmm:
        missed = dmm.audit.briefs(BATCH, after=models.LARGEST if last is None else last)
    begun = [RETRY, write_message("hello", {"head": missed.head, "version": VERSION}, missed.head)]
    if missed.events:
        begun.append(write_news(project.root, missed))
    return EventStream(_tell(streams, project, call, missed.head, begun), streams.limits)


async def _tell(
    streams: Streams, project: Project, call: Called, head: int, begun: list[bytes]
) -> AsyncIterator[bytes]:
    """Return the messages of one stream, and a beat where there is none for a while."""
    listener = Listener(project.root, call.actor, head)
    if not streams.join(listener, project):
        return
    clock = asyncio.get_running_loop().time
    end = clock() + streams.limits.life
    try:
        yield b"".join(begun)
        while (left := end - clock()) > 0:
            try:
                async with asyncio.timeout(min(streams.limits.beat, left)):
                    message = await listener.messages.get()
            except TimeoutError:
                yield BEAT
                continue
            if message is None:
                return
            yield message
    finally:
        streams.leave(listener)
