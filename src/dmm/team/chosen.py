"""One observation that a person chose for the team."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.domain.event import EventType
from dmm.domain.observation import Kind as Spoken
from dmm.domain.payload import ObservationMade
from dmm.errors import UsageError
from dmm.redaction.clean import clean
from dmm.redaction.inputs import LONGEST
from dmm.team.roles import may_send, tell_forbidden
from dmm.team.sharing import Kind
from dmm.team.words import is_words

if TYPE_CHECKING:
    from collections.abc import Collection


def need_shared(shares: Collection[str], role: str, kind: str) -> None:
    """Refuse an observation that is not sent: by the settings, by the role, or for what it is."""
    if Kind.OBSERVATIONS not in shares:
        what = "the project's settings do not share observations"
        hint = 'name them in .dmm/daemon.config.json: {"team": {"share": ["observations"]}}'
        raise UsageError(what, hint=hint)
    if kind == Spoken.MESSAGE:
        raise UsageError("what was said in a session is not shared")
    if not may_send(role, EventType.OBSERVATION_MADE):
        what = tell_forbidden(role, EventType.OBSERVATION_MADE)
        raise UsageError(what, hint="an owner can give this laptop another role: dmm team role")


def choose(name: str, title: str, text: str) -> ObservationMade:
    """Put an observation in the words that are sent; UsageError where these would not be."""
    told = ObservationMade(of=name, title=clean(title), narrative=clean(text))
    for part, words in (("title", told.title), ("text", told.narrative)):
        if not is_words(words):
            what = f"the {part} is empty, too long, or has hidden characters: it would not be sent"
            raise UsageError(what, hint=f"at most {LONGEST['constraint']:,} characters are")
    return told
