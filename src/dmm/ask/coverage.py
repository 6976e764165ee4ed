"""Coverage of a repository's sections: what is shown, what is missing, and the gate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.ask import landmarks, libraries
from dmm.ask.places import WEAK
from dmm.ask.sections import MEANING, SECTION_OF, SECTIONS, Category, Section
from dmm.ask.signs import SIGNED

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from dmm.ask.evidence import Evidence
    from dmm.ask.places import Place
    from dmm.ask.profiles import Profile
    from dmm.ask.survey import Survey

MOST_PROBED = 40
# What each second look asks the repository, one after the other.
PROBES = {
    Section.ENTRY_POINTS: (
        "main entry point start run program command line arguments",
        "__main__ argv argparse ArgumentParser listen serve uvicorn application server start",
    ),
    Section.PERSISTENCE: (
        libraries.list_words(libraries.DATABASES),
        "create table schema migration save load store write_text write_bytes json dump database",
    ),
    Section.SURFACES: (
        "argparse add_argument command typer click route router endpoint handler fastapi flask",
        libraries.list_words(libraries.COMMAND_LINES, libraries.PROTOCOLS, libraries.REMOTE_CALLS),
    ),
    Section.CONFIGURATION: (
        "config configuration settings options environment variable defaults",
        "environ getenv process env dotenv",
    ),
    Section.AI_GENERATION: (
        libraries.list_words(libraries.MODEL_LIBRARIES, libraries.MODEL_RUNTIMES),
        "chat completion prompt embedding embed model tokens generate language model",
    ),
}


@dataclass(frozen=True, slots=True)
class Probe:
    """One narrow second look: for which section, how far it went, and what it found."""

    attempt: int
    section: Section
    files: int
    found: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Covered:
    """What was looked for in the repository and found, by section and in the probes."""

    evidence: tuple[Evidence, ...] = ()
    probes: tuple[Probe, ...] = ()


@dataclass(frozen=True, slots=True)
class Requirement:
    """A category that a profile needs: its evidence, and whether any is in the prompt."""

    category: Category
    meaning: str
    found: bool
    in_prompt: bool
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether everything a profile needs was found and is in the prompt, and what is not."""

    enforced: bool
    pass_: bool
    required: tuple[Category, ...]
    missing: tuple[Category, ...]
    cut: tuple[Category, ...]
    categories: tuple[Requirement, ...]
    attempts: int
    retry_max: int
    probes: tuple[Probe, ...]


def cover(survey: Survey, profile: Profile, first: Sequence[Evidence], retry_max: int) -> Covered:
    """Find evidence for the sections a profile wants; what is missing is looked for again.

    The first look follows names, documents and manifests. Each further one asks the repository
    for the words of a missing section, and takes only files whose code has its signs.
    """
    wanted = dict.fromkeys((*profile.sections, *(SECTION_OF[one] for one in profile.needs)))
    places = survey.look_around(wanted)
    probes: list[Probe] = []
    for attempt in range(retry_max):
        missing = _missing(wanted, places, first)
        asked = [one for one in missing if attempt < len(PROBES.get(one, ()))]
        if not asked:
            break
        for section in asked:
            paths = _probe(survey, PROBES[section][attempt])
            found = survey.inspect(paths, frozenset((section,)))
            places += found
            names = tuple(dict.fromkeys(one.path for one in found))
            probes.append(Probe(attempt + 1, section, len(paths), names[:MOST_PROBED]))
    chosen = survey.choose(places)
    chosen.sort(key=lambda one: SECTIONS.index(one.section))
    return Covered(tuple(map(survey.cite, chosen)), tuple(probes))


def _probe(survey: Survey, words: str) -> list[str]:
    """List the files to look into: those the words lead to, and in a small repository all."""
    likely = (*survey.code.rank(words), *sorted(survey.files, key=landmarks.order))
    paths = dict.fromkeys(path for path in likely if survey.is_source(path))
    return list(paths)[:MOST_PROBED]


def _missing(
    wanted: Collection[Section], places: Sequence[Place], first: Sequence[Evidence]
) -> list[Section]:
    shown = {one.section for one in places if one.strength > WEAK} | {
        name for one in first for name in one.sections
    }
    return [one for one in wanted if one not in shown and one in SIGNED]


def describe_sections(evidence: Sequence[Evidence]) -> object:
    """Return for each of the nine sections whether it is covered, and by what."""
    return [
        {
            "section": section,
            "meaning": MEANING[section],
            "covered": bool(shown),
            "evidence": [one.id for one in shown],
            "places": [one.place(section) for one in shown],
        }
        for section in SECTIONS
        for shown in [[one for one in evidence if section in one.sections]]
    ]


def judge(
    profile: Profile,
    evidence: Sequence[Evidence],
    taken: Collection[str],
    probes: tuple[Probe, ...],
    retry_max: int,
) -> Gate:
    """Pass only where all that a profile needs was found and stands in the prompt."""
    categories = tuple(_require(one, evidence, taken) for one in profile.needs)
    missing = tuple(one.category for one in categories if not one.found)
    cut = tuple(one.category for one in categories if one.found and not one.in_prompt)
    return Gate(
        enforced=bool(profile.needs),
        pass_=not missing and not cut,
        required=tuple(profile.needs),
        missing=missing,
        cut=cut,
        categories=categories,
        attempts=max((probe.attempt for probe in probes), default=0),
        retry_max=retry_max,
        probes=probes,
    )


def _proves(one: Evidence, section: Section) -> bool:
    return any(mark.section is section and not mark.is_weak for mark in one.marks)


def _require(
    category: Category, evidence: Sequence[Evidence], taken: Collection[str]
) -> Requirement:
    section = SECTION_OF[category]
    ids = tuple(one.id for one in evidence if _proves(one, section))
    return Requirement(category, MEANING[section], bool(ids), any(one in taken for one in ids), ids)
