"""The plan of an answer: ordered steps, each with its evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.ask.evidence import Origin
from dmm.ask.sections import Section
from dmm.domain.observation import Kind

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from dmm.ask.evidence import Evidence
    from dmm.ask.profiles import Profile

MOST_PER_STEP = 6


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the plan, and the evidence to do it by."""

    step: int
    do: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rests:
    """Which evidence a step rests on: of sections, of sources, of kinds of sessions' units."""

    sections: tuple[Section, ...] = ()
    origins: tuple[Origin, ...] = ()
    kinds: tuple[str, ...] = ()

    def holds(self, one: Evidence) -> bool:
        """Return whether a step rests on this evidence."""
        if self.sections:
            return any(name in one.sections for name in self.sections)
        return one.origin in self.origins and (not self.kinds or one.kind in self.kinds)


_MEMORY = Rests(origins=(Origin.MEMORY,))
_SESSIONS = Rests(origins=(Origin.SESSIONS,))
_CODE = Rests(origins=(Origin.CODE,))
_FIXES = Rests(origins=(Origin.SESSIONS,), kinds=(Kind.BUGFIX, Kind.DISCOVERY, Kind.MESSAGE))
_CHOICES = Rests(origins=(Origin.SESSIONS,), kinds=(Kind.DECISION,))
_TESTS = Rests((Section.TESTS,))

STEPS: dict[str, tuple[tuple[str, Rests], ...]] = {
    "onboarding": (
        ("Read what the project is for and the rules that always hold", Rests((Section.PURPOSE,))),
        ("Start at the entry points and follow one call down", Rests((Section.ENTRY_POINTS,))),
        ("Map the parts and their dependencies", Rests((Section.ARCHITECTURE,))),
        ("Find what is stored, where and how", Rests((Section.PERSISTENCE,))),
        ("List the ways in from outside", Rests((Section.SURFACES,))),
        ("See what can be configured", Rests((Section.CONFIGURATION,))),
        ("See where models are called, and with what", Rests((Section.AI_GENERATION,))),
        ("Build it and run its tests", Rests((Section.BUILD, Section.TESTS))),
        ("Name what no evidence was found for; do not guess it", Rests()),
    ),
    "debugging": (
        ("Reproduce the bug in the smallest way", _TESTS),
        ("See whether it happened before, and what fixed it", _FIXES),
        ("Read the code it most likely comes from", _CODE),
        ("Check the rules that apply there", _MEMORY),
        ("Fix the cause, with a test that failed before", _TESTS),
    ),
    "implementation": (
        ("Read the rules for this part", _MEMORY),
        ("See what was decided and done about it before", _SESSIONS),
        ("Find the place where it belongs", _CODE),
        ("Follow the conventions of the code around it", Rests((Section.ARCHITECTURE,))),
        ("Test it", _TESTS),
    ),
    "review": (
        ("Check the change against the rules", _MEMORY),
        ("Check it against earlier decisions", _CHOICES),
        ("Read the code around it", _CODE),
        ("Check its tests and the build", Rests((Section.TESTS, Section.BUILD))),
        ("Say what must change, what may, and why", Rests()),
    ),
    "architecture": (
        ("Say what the system is for", Rests((Section.PURPOSE,))),
        (
            "Name the parts and how they are connected",
            Rests((Section.ARCHITECTURE, Section.ENTRY_POINTS)),
        ),
        ("Say what is kept and what is served", Rests((Section.PERSISTENCE, Section.SURFACES))),
        ("Give the reasons that are on record", _MEMORY),
        ("Add what was decided in sessions", _CHOICES),
    ),
    "daily_brief": (
        ("Say what was done", _SESSIONS),
        ("Say what was decided", _CHOICES),
        ("Say what is still open", _SESSIONS),
        ("Name the code that was touched", _CODE),
    ),
}
GENERAL_STEPS = (
    ("Answer from the project's memory", _MEMORY),
    ("Add what sessions found", _SESSIONS),
    ("Check it in the code", _CODE),
    ("Say what the evidence leaves open", Rests()),
)
ACCEPTANCE = (
    "every statement names its evidence",
    "what no evidence shows is marked unknown",
)


def steps_of(profile: Profile) -> tuple[tuple[str, Rests], ...]:
    """Return the steps of a profile; one of the user's own has the general ones."""
    return STEPS.get(profile.name, GENERAL_STEPS)


def plan(profile: Profile, evidence: Sequence[Evidence], taken: Collection[str]) -> list[Step]:
    """Order the steps; each names its evidence, that of the prompt first."""
    told = []
    for number, (do, rests) in enumerate(steps_of(profile), start=1):
        found = [one.id for one in evidence if rests.holds(one)]
        found.sort(key=lambda name: name not in taken)
        told.append(Step(number, do, tuple(found[:MOST_PER_STEP])))
    return told
