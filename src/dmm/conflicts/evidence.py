"""Everything that speaks for or against two memories being in conflict or saying the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.conflicts.amounts import amounts
from dmm.conflicts.cases import apart, contrast, titles_apart
from dmm.conflicts.choices import choices
from dmm.conflicts.field import kinship, other_words, questions_apart
from dmm.conflicts.marks import Marks, field_of, marks_of, weigh
from dmm.conflicts.sameness import amounts_differ, denies, differ, one_excludes, share_of
from dmm.conflicts.stances import stances
from dmm.conflicts.swaps import orders_turned, turns_down, words_swapped
from dmm.conflicts.tallies import tally
from dmm.conflicts.timings import Lie, Turning, timing

if TYPE_CHECKING:
    from dmm.conflicts.meetings import Meeting
    from dmm.conflicts.readings import Reading
    from dmm.domain.memory import Memory

Evidence = dict[str, float]


def are_kin(one: Memory, other: Memory) -> bool:
    """Whether two memories speak of one thing in other words, or answer one question unlike."""
    mine, yours = field_of(one), field_of(other)
    return other_words(mine, yours) > 0 or bool(questions_apart(mine, yours))


def gather(one: Reading, other: Reading, meetings: list[Meeting], likeness: float) -> Evidence:
    """What is known of two memories, each piece as a number of about 0 to 1."""
    mine, yours = marks_of(one.memory), marks_of(other.memory)
    found = {
        **_of_likeness(likeness),
        **_of_words(mine, yours),
        **_of_marks(mine, yours),
        **_of_names(mine, yours),
        **kinship(field_of(one.memory), field_of(other.memory)),
        **_of_amounts(one, other),
        **_of_findings(meetings[:_MOST]),
        **_of_times(one, other),
        "titles apart": float(titles_apart(one, other)),
        "denied": float(denies(one, other) or denies(other, one)),
        "amounts differ": float(amounts_differ(one, other, likeness)),
        "turned down": float(turns_down(one, other) or turns_down(other, one)),
        "only one excludes": float(one_excludes(meetings)),
        "share": (share := share_of(one, other)),
        "share and likeness": share * likeness,
    }
    return found | (_of_meeting(meetings[0]) if meetings else {"no meeting": 1.0})


_MOST = 8


def _of_likeness(likeness: float) -> Evidence:
    """The likeness, bent where its meaning changes: of one subject from .6, of one text from .8."""
    return {
        "likeness": likeness,
        "likeness over .6": max(0.0, likeness - 0.6),
        "likeness over .8": max(0.0, likeness - 0.8),
        "likeness under .5": max(0.0, 0.5 - likeness),
    }


def _of_words(mine: Marks, yours: Marks) -> Evidence:
    """How much of each side the other covers."""
    shared = weigh(mine.concepts & yours.concepts)
    covers = shared / max(mine.weight, 1.0), shared / max(yours.weight, 1.0)
    return {
        "cover of both": min(covers),
        "cover of one": max(covers),
        "words in common": shared / max(mine.weight + yours.weight - shared, 1.0),
    }


def _of_marks(mine: Marks, yours: Marks) -> Evidence:
    both, one = mine.told & yours.told, mine.told ^ yours.told
    found = {f"both: {name}": 1.0 for name in both} | {f"one: {name}": 1.0 for name in one}
    for here, there in _ACROSS:
        if (here in mine.told and there in yours.told) or (
            here in yours.told and there in mine.told
        ):
            found[f"{here} against {there}"] = 1.0
    more = abs(mine.denials - yours.denials)
    return found | {
        "both: denies": float(bool(mine.denials and yours.denials)),
        "one: denies": float(bool(mine.denials) != bool(yours.denials)),
        "odd denials": float((mine.denials + yours.denials) % 2),
        "more denials": min(more, 3) / 3,
    }


_ACROSS = (
    ("exclusive", "universal"),
    ("universal", "allows"),
    ("requires", "allows"),
    ("requires", "forbids"),
    ("allows", "forbids"),
    ("exclusive", "allows"),
    ("excepts", "exclusive"),
)


def _of_names(mine: Marks, yours: Marks) -> Evidence:
    """Names and figures as they are written: shared, or of one side alone."""
    here, there = mine.names - yours.concepts, yours.names - mine.concepts
    numbers = mine.numbers, yours.numbers
    return {
        "names shared": min(len(mine.names & yours.names), 4) / 4,
        "names of both": float(bool(mine.names - yours.names) and bool(yours.names - mine.names)),
        "names of one": float(bool(here) != bool(there)),
        "names strange to both": float(bool(here) and bool(there)),
        "figures equal": float(bool(numbers[0]) and numbers[0] == numbers[1]),
        "figures unlike": float(all(numbers) and not numbers[0] & numbers[1]),
        "figures of one": float(bool(numbers[0]) != bool(numbers[1])),
    }


def _of_amounts(one: Reading, other: Reading) -> Evidence:
    """How the amounts go together; a few of one sort say as much as many."""
    same, unlike, loose, lone = tally(one, other)
    return {
        "amounts same": float(same > 0),
        "amounts only same": float(same > 0 and unlike == 0 and loose == 0 and lone == 0),
        "amounts unlike": float(unlike > 0 and same == 0),
        "amounts loose": float(loose > 0 and same == 0 and unlike == 0),
        "amounts lone": float(lone > 0),
    }


def _of_times(one: Reading, other: Reading) -> Evidence:
    lie, turning = timing(one, other)
    told = {f"times {lie}": lie is not Lie.NONE, f"turning {turning}": turning is not Turning.NONE}
    return {name: 1.0 for name, is_told in told.items() if is_told}


def _of_findings(meetings: list[Meeting]) -> Evidence:
    """The surest finding of each sort, of claims that can meet and of all."""
    found: Evidence = {}
    for meeting in meetings:
        reason = apart(meeting)
        for name, judge in (("amount", amounts), ("stance", stances), ("choice", choices)):
            finding = judge(meeting)
            sure = 0.0 if finding is None else finding.confidence
            found[f"any {name}"] = max(found.get(f"any {name}", 0.0), sure)
            if not reason:
                found[name] = max(found.get(name, 0.0), sure)
    return found


def _of_meeting(m: Meeting) -> Evidence:
    """What the two claims that fit best have in common, and what is left over."""
    one, other, alignment = m.one, m.other, m.alignment
    rest = [min(sum(t.weight for t in side), 6.0) / 6 for side in (alignment.left, alignment.right)]
    named = [any(t.named for t in side) for side in (alignment.left, alignment.right)]
    found = {
        "aligned": alignment.likeness,
        "covered": alignment.cover,
        "weight met": min(alignment.shared, 6.0) / 6,
        "left over on both": min(rest),
        "left over on one": max(rest),
        "contrast": contrast(m),
        "contraries": float(bool(alignment.contraries)),
        "verb met": float(any("verb" in (a.slot, b.slot) for a, b in alignment.met)),
        "subject met": float(any(a.early and b.early for a, b in alignment.met)),
        "names left over": float(all(named)),
        "orders turned": float(orders_turned(m)),
        "one word swapped": float(words_swapped(m) == 1),
        "two words swapped": float(words_swapped(m) == 2),
        "differ": float(differ(m)),
        "one adds": float(one.additive != other.additive),
        "one negative": float(one.negative != other.negative),
        "one only": float(one.only != other.only),
        "one scoped": float(bool(one.scopes) != bool(other.scopes)),
        "scopes shared": float(bool(one.scopes.keys() & other.scopes.keys())),
    }
    reason = apart(m)
    return found | ({f"apart: {reason}": 1.0} if reason else {})
