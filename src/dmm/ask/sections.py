"""The nine sections of a repository, and the categories a gate can require."""

from __future__ import annotations

from enum import StrEnum

from dmm.index.analysis import analyze


class Section(StrEnum):
    """The nine sections of a repository's description, in the order they are told."""

    PURPOSE = "purpose"
    ENTRY_POINTS = "entry_points"
    ARCHITECTURE = "architecture"
    PERSISTENCE = "persistence"
    SURFACES = "surfaces"
    CONFIGURATION = "configuration"
    TESTS = "tests"
    BUILD = "build_and_deployment"
    AI_GENERATION = "ai_generation"


class Category(StrEnum):
    """What the coverage gate asks for."""

    ENTRYPOINT = "entrypoint"
    PERSISTENCE = "persistence"
    AI_GENERATION = "ai_generation"


SECTIONS = tuple(Section)
NEEDS = tuple(Category)

MEANING = {
    Section.PURPOSE: "what the project is for",
    Section.ENTRY_POINTS: "where programs begin: a declared command, a main function, an app",
    Section.ARCHITECTURE: "how the parts fit together",
    Section.PERSISTENCE: "where data outlives the process: a database, a schema, a store of files",
    Section.SURFACES: "how others use it: commands, HTTP routes, protocol servers",
    Section.CONFIGURATION: "what can be set, and where",
    Section.TESTS: "how it is tested",
    Section.BUILD: "how it is built and delivered",
    Section.AI_GENERATION: "where language or embedding models are used",
}
# The usual questions for each section; one that is much like them asks for the same.
ASKED = {
    Section.PURPOSE: ("What is this project for?",),
    Section.ENTRY_POINTS: ("Where does the program start?", "Which programs can be run?"),
    Section.ARCHITECTURE: ("How is the code structured?",),
    Section.PERSISTENCE: ("Where is the data stored?", "Which database is used?"),
    Section.SURFACES: ("Which commands does it offer?", "Which API routes are there?"),
    Section.CONFIGURATION: (
        "Where is it configured?",
        "Which settings and environment variables are read?",
    ),
    Section.TESTS: ("Which tests are there?", "How is it tested?"),
    Section.BUILD: ("How is it built and deployed?",),
    Section.AI_GENERATION: ("Where are language models called?",),
}
SECTION_OF = {
    Category.ENTRYPOINT: Section.ENTRY_POINTS,
    Category.PERSISTENCE: Section.PERSISTENCE,
    Category.AI_GENERATION: Section.AI_GENERATION,
}


def find_sections(question: str) -> tuple[Section, ...]:
    """List the sections that a question names, such as its tests or its configuration."""
    asked = set(analyze(question))
    return tuple(one for one in SECTIONS if asked & set(analyze(one.replace("_", " "))))
