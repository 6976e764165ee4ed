"""How far a ban reaches: what it is on, and whether the other claim speaks of just that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.conflicts.claims import MANNERS
from dmm.conflicts.meetings import is_known
from dmm.conflicts.signs import NEGATIVE, Sign
from dmm.conflicts.vocabulary import GENERIC

if TYPE_CHECKING:
    from dmm.conflicts.claims import Claim
    from dmm.conflicts.meetings import Meeting
    from dmm.conflicts.terms import Term


def is_barred(m: Meeting) -> bool:
    """ "It never sends X", "it sends X unless Y is set": the ban knows of no such case."""
    ban, rest, deed, known = (
        (m.one, m.alignment.left, m.other, m.first)
        if m.one.negative
        else (m.other, m.alignment.right, m.one, m.second)
    )
    if ban.sign not in NEGATIVE or ban.turned or ban.exceptions or ban.conditions or ban.only:
        return False
    if deed.sign in NEGATIVE or ban.period.bounded or any(t.slot != "verb" for t in rest):
        return False
    return (deed.exceptions - GENERIC).isdisjoint(known.context)


def denied_met(m: Meeting) -> bool:
    """Whether what is denied is what the other claim speaks of."""
    for claim, rest, rival in (
        (m.one, m.alignment.left, m.other),
        (m.other, m.alignment.right, m.one),
    ):
        if claim.sign not in NEGATIVE:
            continue
        if any(c not in GENERIC for c in rival.rejected & claim.concepts):
            return False
        whole = sum(t.weight for t in (*claim.terms, *claim.conditions))
        if sum(t.weight for t in rest) > _DENIED_REST * whole and not _deed_met(claim, rest):
            return False
        if m.likeness < _ALIKE and not _core_left_alone(claim, rest):
            return False
        if _denies_a_way(m, claim, rest) or _denies_another_deed(m, claim, rest):
            return False
        if bars_another(m, claim) or _done_by_another(m, claim, rival):
            return False
    return True


def _denies_a_way(m: Meeting, claim: Claim, rest: tuple[Term, ...]) -> bool:
    """ "Don't mock it with X" and "mock it by passing Y": one way is denied, another told."""
    known = m.second if claim is m.one else m.first
    others = m.alignment.right if claim is m.one else m.alignment.left
    return any(
        t.slot in _WAYS and t.weight > _TELLING and not is_known(t, known) for t in rest
    ) and any(t.slot in _WAYS and t.weight > _TELLING for t in others)


_WAYS = frozenset(("means", "role"))


def _denies_another_deed(m: Meeting, claim: Claim, rest: tuple[Term, ...]) -> bool:
    """ "Don't log in a handler", "handlers set a flag": only the place is the same."""
    deed = [t for t in claim.terms if t.slot in ("verb", "object") and t.weight > _TELLING]
    if claim.sign is Sign.DENIED or not deed or any(t not in rest for t in deed):
        return False
    others = m.alignment.right if claim is m.one else m.alignment.left
    return any(t.slot in ("verb", "object") for t in others)


def bars_another(m: Meeting, ban: Claim) -> bool:
    """Whether a ban is on another file, or on another kind of thing, than the other claim's."""
    return _bars_another_file(m, ban, m.other if ban is m.one else m.one) or _bars_another_kind(m)


def _done_by_another(m: Meeting, ban: Claim, deed: Claim) -> bool:
    """ "Plugins may not open sockets", "the host opens a socket for each plugin"."""
    pairs = [(a, b) if ban is m.one else (b, a) for a, b in m.alignment.met]
    mates = [b for a, b in pairs if a.early and a.slot == "subject"]
    if not mates or any(b.early or b.slot not in _BYSTANDING for b in mates):
        return False
    passive = any(t.slot == "verb" and t.text.endswith(("ed", "en")) for t in deed.terms)
    rest = m.alignment.right if ban is m.one else m.alignment.left
    return not passive and any(t.early and t.slot == "subject" for t in rest)


_BYSTANDING = frozenset(("aim", "source"))


def _bars_another_file(m: Meeting, ban: Claim, deed: Claim) -> bool:
    """ "Never edit the lock file by hand", "edit pins.txt by hand": done to a file of its own."""
    rest = m.alignment.right if ban is m.one else m.alignment.left
    done = next((t for t in deed.terms if t.slot == "object"), None)
    if done is None or done not in rest or not done.named or not _FILE & set(done.text):
        return False
    return any(t.weight > _TELLING and t.concept not in MANNERS for t in ban.terms)


_FILE = frozenset("./")


def _bars_another_kind(m: Meeting) -> bool:
    """ "Rename columns of draft tables", "don't … of billing tables": two kinds of one thing."""
    left, right = ({t.concept for t in rest} for rest in (m.alignment.left, m.alignment.right))
    mine, yours = m.one.modifiers, m.other.modifiers
    return any(mine[head] & left and yours[head] & right for head in mine.keys() & yours.keys())


def _deed_met(claim: Claim, rest: tuple[Term, ...]) -> bool:
    """Whether the other side speaks of the whole deed that is denied, and of who does it."""
    verbs = [t for t in claim.terms if t.slot == "verb" and t.weight > _TELLING]
    deed = [t for t in claim.terms if t.slot in ("verb", "object")]
    doers = [t for t in claim.terms if t.slot == "subject"]
    met = any(t not in rest for t in doers)
    return bool(verbs) and met and not any(t in rest for t in deed)


_TELLING = 0.5
_DENIED_REST = 0.47
_ALIKE = 0.6


def _core_left_alone(claim: Claim, rest: tuple[Term, ...]) -> bool:
    """Whether no more than half of what a denial is about is missing on the other side."""
    core = [t for t in claim.terms if not t.early and t.slot in ("verb", "object")]
    whole = sum(t.weight for t in core)
    lost = sum(t.weight for t in core if t in rest)
    return not core or lost * 2 <= whole
