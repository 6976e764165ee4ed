"""Clashes of amounts between two claims that meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.conflicts.claims import FAILS
from dmm.conflicts.meetings import MEASURES, Finding, Meeting, is_known
from dmm.conflicts.quantities import Quantity, are_near
from dmm.conflicts.readings import amount_of
from dmm.conflicts.vocabulary import GENERIC
from dmm.domain.conflict import ConflictType

if TYPE_CHECKING:
    from dmm.conflicts.terms import Term


def amounts(m: Meeting) -> Finding | None:
    """Two amounts of one measure in the same slot that cannot both hold."""
    mine, yours = m.one.quantities, m.other.quantities
    if (m.one.triggers and m.other.triggers and _verbs_agree(m)) or bool(m.one.triggers) != bool(
        m.other.triggers
    ):
        mine, yours = mine + m.one.triggers, yours + m.other.triggers
    for a in mine:
        for b in yours:
            if not _one_measure(a, b, m) or _agree(a, b) or not _counts_alike(a, b, m):
                continue
            if amount_of(a) in m.second.numbers or amount_of(b) in m.first.numbers:
                continue
            if a.measure == "interval" and _other_deed(m):
                continue
            if _same_topic(m, {*a.counted, *b.counted}) and not (
                _two_things(m) or _two_subjects(m)
            ):
                certain = 0.55 + 0.4 * m.alignment.likeness
                return m.finding(ConflictType.NUMERIC, certain, _REASON)
    return None


_REASON = "They give different amounts for the same thing."


def _one_measure(a: Quantity, b: Quantity, m: Meeting) -> bool:
    """Whether two amounts measure the same; "Ruby 3" and "the oldest Ruby is 2" do."""
    if a.measure == b.measure:
        return True
    if {a.measure, b.measure} != {"count", "version"}:
        return False
    version, count = (a, b) if a.measure == "version" else (b, a)
    telling = m.other if count is b else m.one
    return not count.counted and bool((version.counted - GENERIC) & telling.concepts)


def _two_things(m: Meeting) -> bool:
    """Whether each claim has a thing of its own beside the amount: "Indent YAML", "a queue of"."""
    mine = [t for t in m.alignment.left if _is_thing(t) and not is_known(t, m.second)]
    yours = [t for t in m.alignment.right if _is_thing(t) and not is_known(t, m.first)]
    return any(a.slot == b.slot or {a.slot, b.slot} <= _ABOUT for a in mine for b in yours)


def _two_subjects(m: Meeting) -> bool:
    """ "The web client loads …", "the app loads …": no word of either subject meets the other."""
    mine, yours = ([t for t in c.terms if t.early] for c in (m.one, m.other))
    return (
        bool(mine)
        and bool(yours)
        and all(t in m.alignment.left for t in mine)
        and all(t in m.alignment.right for t in yours)
    )


_ABOUT = frozenset(("subject", "object", "aim", "place"))


def _is_thing(term: Term) -> bool:
    if term.concept in MEASURES or term.concept in FAILS:
        return False
    return term.weight > 0.5 and term.slot != "verb" and not term.text.endswith(("ed", "ing"))


def _other_deed(m: Meeting) -> bool:
    """Whether one claim tells a deed of its own: what is done hourly is not what is rehearsed."""
    rest = (*m.alignment.left, *m.alignment.right)
    return any(t.slot == "verb" and t.weight > 0.5 for t in rest)


def _verbs_agree(m: Meeting) -> bool:
    return not (
        any(t.slot == "verb" for t in m.alignment.left)
        and any(t.slot == "verb" for t in m.alignment.right)
    )


def _agree(a: Quantity, b: Quantity) -> bool:
    if a.per and b.per and a.per != b.per:
        return True
    if a.bound == b.bound:
        return are_near(a, b)
    low = a.low is None or b.high is None or a.low <= b.high
    return low and (b.low is None or a.high is None or b.low <= a.high)


def _counts_alike(a: Quantity, b: Quantity, m: Meeting) -> bool:
    if a.measure not in ("count", "version") or not a.counted or not b.counted:
        return True
    if a.counted & b.counted:
        return True
    return bool(a.counted & m.other.concepts) or bool(b.counted & m.one.concepts)


def _same_topic(m: Meeting, counted: set[str]) -> bool:
    met = [a for a, _ in m.alignment.met if a.concept not in GENERIC and a.concept not in counted]
    return (bool(met) and m.alignment.cover >= 0.45) or m.alignment.likeness >= 0.8
