"""What a team will be told: about a decision before it is made, and about recorded events."""

from __future__ import annotations

import contextlib
import json
import re
from typing import TYPE_CHECKING

from dmm.domain.event import Event, EventType, Trust
from dmm.domain.payload import (
    ConflictResolved,
    ConstraintAccepted,
    ConstraintAdded,
    ConstraintDeactivated,
)
from dmm.domain.plain import to_plain
from dmm.domain.proposal import Judge, Verdict
from dmm.domain.proposal_payload import ProposalReviewed
from dmm.errors import StorageError, TeamError, UsageError
from dmm.passkeys.acts import PersonAct
from dmm.passkeys.webauthn import encode
from dmm.redaction.inputs import accept
from dmm.team.passages import tell_words
from dmm.team.persons import MOST_PASSKEYS
from dmm.team.proofs import MOST_ITEMS, needs_proof, state
from dmm.team.replica import Replica
from dmm.team.roles import may_send
from dmm.team.sharing import SHARED, share

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dmm.domain.recorded import Payload
    from dmm.team.credentials import Credentials
    from dmm.team.service import Team

# The types of events that are told as they are; of reports on usage, only the counts of a day.
TOLD = tuple(one for one in SHARED if one != EventType.USAGE_REPORTED)
# The acts that may tell a team something.
TELLING = frozenset(
    (
        PersonAct.CONSTRAINT,
        PersonAct.ACCEPT_RULE,
        PersonAct.LIFT_CONSTRAINT,
        PersonAct.DISABLE_RULE,
        PersonAct.ADOPT_RULES,
        PersonAct.RESOLVE,
        PersonAct.APPROVE,
        PersonAct.REJECT,
        PersonAct.EDIT,
        PersonAct.BATCH,
    )
)
# Decisions by number: 41, proposal_17, or with a verb before it, which may insist: approve! 17.
_NAMED = re.compile(r"(?:^|,)(?:(\w+)!? )?(?:proposal_)?(\d{1,15})(?=,|$)")
_VERDICTS: Mapping[str, Verdict] = {
    PersonAct.REJECT: Verdict.REJECTED,
    PersonAct.EDIT: Verdict.MODIFIED,
}


def foretell(team: Team, act: str, on: str, texts: Iterable[str] = ()) -> tuple[str, ...]:
    """Return what the team is told if a person does something, as they confirm it.

    `on` names what it is done to, as the page does, and `texts` are the texts that it adds.
    """
    lines: dict[str, None] = {}
    for kind, words, held in _foretell(team, act, on, texts):
        if needs_proof(kind, words):
            lines[state(held.log, held.writer, kind, words)] = None
    if len(lines) > MOST_ITEMS:
        what = f"a passkey confirms at most {MOST_ITEMS} decisions for a team at once"
        raise UsageError(what, hint="decide on fewer at once")
    return tuple(lines)


def foretell_words(team: Team, act: str, on: str) -> tuple[str, ...]:
    """Return what the team is told if a person does something, in words for people.

    Nothing, if the user has passkeys and the team takes the answer of none: it stays here.
    """
    found = [tell_words(kind, words) for kind, words, _ in _foretell(team, act, on, ())]
    return tuple(found) if found and (_list_counting(team) or not team.keyring.read()) else ()


def list_shared(team: Team, after: int, to: int) -> dict[int, bool]:
    """Return which events of a part of the ledger the team is told; whether they were sent."""
    events = {one.id: one.seq for one in team.ledger.reading.events_of(TOLD, after, to)}
    if not events or not team.joined:
        return {}
    with contextlib.suppress(TeamError, StorageError), Replica.opened(team.path) as replica:
        return {events[name]: sent for name, sent in replica.find_shared(events).items()}
    return {}


def _foretell(
    team: Team, act: str, on: str, texts: Iterable[str]
) -> Iterator[tuple[str, dict[str, str], Credentials]]:
    """Yield what the team is told if a person does something; nothing without a team.

    A copy of the log that can't be used keeps nobody from deciding here.
    """
    with contextlib.suppress(TeamError, StorageError):
        if team.joined:
            held, log = team.credentials(), team.ledger.reading
            role = _read_role(team, held)
            for one in map(_imagine, _list_decisions(act, on, texts)):
                told = share(one, log.event, team.shares) if may_send(role, one.type) else None
                if told is not None:
                    yield one.type, json.loads(told.payload), held


def _read_role(team: Team, held: Credentials) -> str:
    """Return the role of this laptop, as it joined if its copy of the log can't be read."""
    with contextlib.suppress(TeamError, StorageError), Replica.opened(team.path) as replica:
        return replica.role(held)
    return held.role


def foretell_proved(
    team: Team, act: str, on: str, texts: Iterable[str] = ()
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what the team is told when a passkey confirms, and which passkeys count."""
    shared = foretell(team, act, on, texts)
    return shared, _list_counting(team) if shared else ()


def _list_counting(team: Team) -> tuple[str, ...]:
    """Return those of the user's passkeys whose answers the team takes.

    They are those that it was told of, or all that it will be. A copy of the log that can't be used
    leaves them all.
    """
    own = team.keyring.read()
    counting = tuple(one.id for one in own[:MOST_PASSKEYS])
    with contextlib.suppress(TeamError, StorageError):
        with Replica.opened(team.path) as replica:
            told = replica.passkeys(team.credentials()).deciding
        if told:
            keys = {(one.id, one.key) for one in told.values()}
            counting = tuple(one.id for one in own if (one.id, encode(one.key)) in keys)
    return counting


def _list_decisions(act: str, on: str, texts: Iterable[str]) -> Iterator[Payload]:
    """Return what is recorded by an act; what is not named by number is of no concern to others."""
    found = [(verb, int(number)) for verb, number in _NAMED.findall(on)]
    match act:
        case PersonAct.CONSTRAINT:
            for text in texts:
                yield ConstraintAdded(text=accept("constraint", text), priority=on, rule=None)
        case PersonAct.ACCEPT_RULE:
            yield from (ConstraintAccepted(seq=number) for _, number in found)
        case PersonAct.LIFT_CONSTRAINT | PersonAct.DISABLE_RULE | PersonAct.ADOPT_RULES:
            yield from (ConstraintDeactivated(seq=number) for _, number in found)
        case PersonAct.RESOLVE:
            name, _, action = on.partition(":")
            yield ConflictResolved(id=name, action=action, reason=None, proposals=())
        case PersonAct.APPROVE | PersonAct.REJECT | PersonAct.EDIT | PersonAct.BATCH:
            for verb, number in found:
                verdict = _VERDICTS.get(verb or act, Verdict.APPROVED)
                yield ProposalReviewed(
                    proposal=number, judge=Judge.PERSON, verdict=verdict, reason=""
                )


def _imagine(told: Payload) -> Event:
    """Return the event that something would be, as far as others are told of it."""
    kind, words = str(told.kinds[0]), to_plain(told)
    return Event(0, "", kind, 1, "", "", "", Trust.USER, None, None, (), words)
