"""Profiles: the kind of help a question needs, and its shares of evidence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dmm.ask.sections import NEEDS, SECTIONS, Category, Section
from dmm.config import AskRatios
from dmm.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import TypeVar

    from dmm.config import AskProfile

    Member = TypeVar("Member", Section, Category)

GENERAL = "general"
# Empties a list that is built in.
NONE = "none"


@dataclass(frozen=True, slots=True)
class Profile:
    """One kind of help: the words that ask for it, its shares, and what it must cover.

    `sections` are looked for in the repository; `needs` are those the coverage gate insists on.
    """

    name: str
    goal: str
    ratios: AskRatios
    keywords: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    needs: tuple[Category, ...] = ()


BUILT_IN = (
    Profile(
        "onboarding",
        "Understand the repository well enough to make a first change",
        AskRatios(0.25, 0.10, 0.65),
        (
            *("where do i start", "where to start", "where should i start", "getting started"),
            *("get started", "onboarding", "onboard", "new to", "new here", "overview", "tour"),
            *("what is this", "what does this project", "introduction", "walk me through"),
            *("this repository", "this repo", "this codebase", "this project", "first steps"),
            *("entry point", "entry points", "entrypoint", "newcomer"),
        ),
        SECTIONS,
        NEEDS,
    ),
    Profile(
        "debugging",
        "Find the cause of a bug and fix it",
        AskRatios(0.20, 0.40, 0.40),
        (
            *("error", "errors", "exception", "traceback", "stack trace", "bug", "crash"),
            *("crashes", "fail", "fails", "failing", "failed", "failure", "broken", "why does"),
            *("not working", "doesn't work", "does not work", "debug", "hangs", "regression"),
            *("root cause", "flaky", "timeout", "wrong result", "goes wrong", "fix"),
        ),
        (Section.TESTS,),
    ),
    Profile(
        "implementation",
        "Make a change where it belongs, following this project's conventions",
        AskRatios(0.30, 0.20, 0.50),
        (
            *("implement", "add", "build", "create", "write", "extend", "support for"),
            *("how do i add", "how to add", "feature", "refactor", "rename", "migrate"),
            *("replace", "introduce", "make it", "change", "where to put", "port"),
        ),
        (Section.ARCHITECTURE, Section.CONFIGURATION, Section.TESTS),
    ),
    Profile(
        "review",
        "Review a change against this project's rules and history",
        AskRatios(0.35, 0.25, 0.40),
        (
            *("review", "code review", "pull request", "pr", "diff", "merge", "approve"),
            *("my changes", "feedback on", "risk", "risks", "check this change", "patch"),
        ),
        (Section.TESTS, Section.BUILD),
    ),
    Profile(
        "architecture",
        "Explain how the parts fit together and why",
        AskRatios(0.35, 0.15, 0.50),
        (
            *("architecture", "design", "structure", "structured", "layers", "components"),
            *("modules", "data flow", "fit together", "work together", "dependencies between"),
            *("diagram", "big picture", "trade-off", "trade-offs", "organised", "organized"),
        ),
        (
            *(Section.PURPOSE, Section.ENTRY_POINTS, Section.ARCHITECTURE),
            *(Section.PERSISTENCE, Section.SURFACES, Section.CONFIGURATION),
        ),
    ),
    Profile(
        "daily_brief",
        "Say what was done, decided and left open",
        AskRatios(0.15, 0.75, 0.10),
        (
            *("yesterday", "today", "last week", "this week", "standup", "stand-up", "daily"),
            *("brief", "summary of", "what did we do", "what did i do", "what happened"),
            *("what changed", "what was done", "recently", "progress", "status update"),
            *("catch me up", "catch up", "so far", "left open", "what have we done"),
        ),
    ),
    Profile(GENERAL, "Answer the question from what is known", AskRatios(0.35, 0.30, 0.35)),
)


def make_profiles(own: Mapping[str, AskProfile]) -> dict[str, Profile]:
    """Return the built-in and configured profiles by name."""
    known = {profile.name: profile for profile in BUILT_IN}
    for name, given in own.items():
        if not name.isidentifier():
            raise ConfigError(
                "invalid profile name", where=f"ask.profiles.{name}", hint="such as release"
            )
        usual = known.get(name) or replace(known[GENERAL], name=name)
        where = f"ask.profiles.{name}"
        known[name] = replace(
            usual,
            goal=given.goal or usual.goal,
            keywords=(*usual.keywords, *(word.casefold() for word in given.keywords)),
            ratios=_ratios(given.ratios, usual.ratios, where),
            sections=_members(given.sections, Section, usual.sections, f"{where}.sections"),
            needs=_members(given.needs, Category, usual.needs, f"{where}.needs"),
        )
    return known


def _ratios(given: AskRatios, usual: AskRatios, where: str) -> AskRatios:
    """Take the given shares; none at all means the usual ones, and they need not add up to 1."""
    whole = given.memory + given.sessions + given.code
    if not whole:
        return usual
    if whole > 1.0 + 1e-9:
        hint = "make memory, sessions and code add up to at most 1"
        raise ConfigError(f"the shares add up to {whole:g}", where=f"{where}.ratios", hint=hint)
    return given


def _members(
    given: Iterable[str], kind: type[Member], usual: tuple[Member, ...], where: str
) -> tuple[Member, ...]:
    names = tuple(given)
    if not names:
        return usual
    if names == (NONE,):
        return ()
    known = {str(one): one for one in kind}
    for name in names:
        if name not in known:
            hint = f"use one of {', '.join(known)}, or only {NONE}"
            raise ConfigError(f"there is no {name!r}", where=where, hint=hint)
    return tuple(dict.fromkeys(known[name] for name in names))
