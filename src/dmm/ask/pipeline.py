"""The ask pipeline: read, map, gather, cover, budget, render, review."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dmm.ask import answer as short_answer
from dmm.ask import budget, coverage, landmarks, nearness, plan, render
from dmm.ask.evidence import dedupe
from dmm.ask.howto import asks_to_do
from dmm.ask.mapping import map_question
from dmm.ask.question import read_question
from dmm.ask.results import Answered, Gathered, Request, Written
from dmm.ask.sections import ASKED, MEANING, SECTION_OF, Section, find_sections
from dmm.ask.survey import Survey
from dmm.index.analysis import analyze
from dmm.repo.records import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from dmm.ask.critic import Critique
    from dmm.ask.evidence import Evidence
    from dmm.ask.mapping import Choose, Decision
    from dmm.ask.profiles import Profile
    from dmm.ask.question import Question
    from dmm.ask.sources import Sources

# Places that are read for their meaning, and those that are quoted; the others are listed.
MOST_READ, MOST_PLACES = 40, 12
# Of what people are told to do: for a question that asks for it, and for others.
MOST_INSTRUCTIONS, MOST_PASSAGES = 6, 3
# Tests of what a question is about, where it does not ask for tests.
MOST_TESTS = 5
MOST_PACKAGES = 3
# Instructions that are so near answer the question, whatever words they lack; set by hand.
TELLS = 0.6
# What the question calls by name is as near as can be.
NEAREST = 9.0
# The evidence is what a prompt is for: what frames it takes at most this part of the budget.
FRAME_SHARE = 0.5
# A profile that looks for so many sections is about the repository itself.
ABOUT_ALL = 5
# A question that has the word is about migrations themselves.
MIGRATIONS = frozenset(analyze("migrations"))


def answer(
    request: Request,
    profiles: Mapping[str, Profile],
    sources: Sources,
    critique: Critique,
    count: Callable[[str], int],
    choose: Choose | None = None,
) -> Answered:
    """Answer a question with cited evidence under a budget."""
    question = read_question(request.question, request.day)
    decision = map_question(
        question,
        profiles,
        override=request.profile,
        default=request.default_profile,
        choose=choose,
    )
    named = nearness.name_sections(question.words, sources.liken)
    profile = decision.profile
    wanted = tuple(dict.fromkeys((*profile.sections, *named)))
    decision = replace(decision, profile=replace(profile, sections=wanted))
    gathered = gather(question, decision.profile, sources, named, request.retry_max)
    written = write(request, question, decision, gathered, critique, count)
    answer = _answer(question, decision, gathered, written.gate)
    tokens = count(written.text)
    return Answered(request, question, decision, gathered, written, answer, tokens, critique)


def gather(
    question: Question,
    profile: Profile,
    sources: Sources,
    named: tuple[Section, ...],
    retry_max: int,
) -> Gathered:
    """Ask all sources, look closer at the repository, and keep each thing once."""
    memory, sessions = sources.memory(question), sources.sessions(question)
    survey = Survey(sources.code, question.subjects)
    located = _locate(question, sources)
    unknown = _list_unknown(question, sources, survey, named, located)
    # Of words that the repository does not have, nothing comes near.
    is_idle = _lacks_all(question, unknown) and not (named or located)
    near = [] if is_idle else _search(question, sources, survey, named)
    told = [] if is_idle else [*sources.instructions(question)]
    asks = asks_to_do(question.text)
    told = told[: MOST_INSTRUCTIONS if asks else MOST_PASSAGES]
    found = [*located, *told, *near[: MOST_PLACES - len(told)]]
    hits = tuple(survey.mark(one) for one in found)
    covered = coverage.cover(survey, profile, hits, retry_max)
    hits = _unmark(hits, covered.evidence)
    code = _in_order(profile, named, hits, covered.evidence)
    worth = sources.code.weigh(question.words)
    remembered = nearness.order(question.words, memory.evidence, sources.liken, worth)
    evidence, dropped = dedupe((*remembered, *sessions.evidence, *code))
    others = _list_others(near[MOST_PLACES - len(told) :], evidence)
    shown = (*evidence, *others)
    unknown = [one for one in unknown if not _is_told(one, shown)]
    # A section that is named, a definition or a session proves in other ways.
    is_explained = asks and any(one.near >= TELLS for one in told)
    proved = unknown or named or located or sessions.evidence or is_explained
    unproved = [] if proved else nearness.find_unproved(question.subjects, evidence, worth)
    return Gathered(
        memory,
        sessions,
        covered,
        tuple(evidence),
        tuple(others),
        tuple(dropped),
        len(survey.files),
        survey.packages,
        named,
        tuple(unknown),
        tuple(unproved),
    )


def _search(
    question: Question, sources: Sources, survey: Survey, named: Sequence[Section]
) -> list[Evidence]:
    """Find code of the product, or tests where they are asked for, then order it by its meaning.

    Examples and tools match well, since they show all of it; they come later, and so do
    migrations, which say what was.
    """
    # A question for anything at all would find whatever shares its idle words.
    if not (question.topic or question.files or question.symbols):
        return []
    asked = " ".join((question.words, *question.files, *question.symbols))
    product, tests = (Kind.SOURCE, Kind.OTHER), (Kind.TEST,)
    wanted, others = (tests, product) if Section.TESTS in named else (product, tests)
    read = [*sources.code.search(asked, MOST_READ, wanted)]
    for package in sorted(survey.asked)[:MOST_PACKAGES]:
        read += sources.code.search(asked, MOST_PLACES, wanted, package)
    read = list({one.id: one for one in read}.values())
    past = () if MIGRATIONS & {*analyze(question.words)} else survey.files
    beside = [one for one in read if wanted is product and landmarks.is_beside(one.path, past)]
    kept = [one for one in read if one not in beside]
    paths = {one.path for one in kept}
    near = nearness.order(
        question.words,
        kept,
        sources.liken,
        sources.code.weigh(question.words),
        survey.is_asked,
        sources.code.changes(question.words, paths),
        sources.code.liken(question.words, paths),
    )
    later = sources.code.search(asked, max(MOST_TESTS, MOST_PLACES - len(near)), others)
    return [*near, *later, *beside]


def _list_others(found: Sequence[Evidence], quoted: Sequence[Evidence]) -> list[Evidence]:
    """List one place of each file that is not quoted."""
    shown = {one.path for one in quoted}
    others: dict[str, Evidence] = {}
    for one in found:
        if one.path not in shown:
            others.setdefault(one.path, one)
    return list(others.values())


def _lacks_all(question: Question, missing: Sequence[str]) -> bool:
    """Return whether all words that say what a question is about are among those missing."""
    return bool(question.subjects) and set(question.subjects) <= set(missing)


def _unmark(hits: Sequence[Evidence], shown: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Let what a search found show a section only where the survey shows nothing certain."""
    found = {mark.section for one in shown for mark in one.marks if not mark.is_weak}
    return tuple(
        replace(one, marks=tuple(mark for mark in one.marks if mark.section not in found))
        for one in hits
    )


def _locate(question: Question, sources: Sources) -> list[Evidence]:
    """Find the files and definitions that the question names; nothing is nearer."""
    files = (sources.code.find_file(one, question.words) for one in question.files)
    symbols = (sources.code.locate(one) for one in question.symbols)
    return [
        replace(one, near=NEAREST, alike=1.0, covers=1.0)
        for found in (*files, *symbols)
        for one in found
    ]


def _list_unknown(
    question: Question,
    sources: Sources,
    survey: Survey,
    named: Sequence[Section],
    located: Sequence[Evidence],
) -> list[str]:
    """List the names and words that the repository does not have.

    A word that asks for a section, such as "deployed", need not stand in any file.
    """
    usual = (text for one in named for text in (one.replace("_", " "), *ASKED[one]))
    asked = set(analyze(" ".join(usual)))
    words = [one for one in question.subjects if not asked.issuperset(analyze(one))]
    return list(
        dict.fromkeys(
            (
                *_unfound(question, sources, survey, located),
                *sources.code.find_unknown(words),
            )
        )
    )


def _unfound(
    question: Question, sources: Sources, survey: Survey, named: Sequence[Evidence]
) -> list[str]:
    """List the names of the question that the repository does not have."""
    found = {one.title.rpartition(".")[2] for one in named}
    symbols = [one for one in question.symbols if one.rpartition(".")[2] not in found]
    symbols = [one for one in symbols if not sources.code.locate(one)]
    files = [one for one in question.files if not any(one in path for path in survey.files)]
    return [*files, *symbols]


def _is_told(word: str, evidence: Sequence[Evidence]) -> bool:
    folded = word.casefold()
    return any(folded in one.text.casefold() or folded in one.title.casefold() for one in evidence)


def _in_order(
    profile: Profile,
    named: Sequence[Section],
    hits: Sequence[Evidence],
    shown: Sequence[Evidence],
) -> list[Evidence]:
    """Order code by worth: what the gate needs or is named, then what was asked and is wanted."""
    asked = [one for one in shown if not set(named).isdisjoint(one.sections)]
    needed = [*asked, *_firsts(shown, {SECTION_OF[one] for one in profile.needs})]
    wanted = _firsts(shown, set(profile.sections))
    if len(profile.sections) >= ABOUT_ALL:
        return [*needed, *wanted, *shown, *hits]
    return [*needed, *hits, *wanted, *shown]


def _firsts(shown: Sequence[Evidence], sections: Collection[object]) -> list[Evidence]:
    firsts: dict[object, Evidence] = {}
    for one in shown:
        for section in one.sections:
            if section in sections:
                firsts.setdefault(section, one)
    return list(firsts.values())


def write(
    request: Request,
    question: Question,
    decision: Decision,
    gathered: Gathered,
    critique: Critique,
    count: Callable[[str], int],
) -> Written:
    """Write the prompt; where evidence that the gate needs had no room, the prompt says so."""
    profile = decision.profile
    fixed = {
        "task": render.write_head(question, decision),
        "evidence": render.write_evidence_head(question, gathered.evidence),
        "warning": render.write_warning(critique),
        "plan": render.write_plan(plan.steps_of(profile)),
    }
    taken: frozenset[str] = frozenset(one.id for one in gathered.evidence)
    while True:
        gate = coverage.judge(
            profile, gathered.evidence, taken, gathered.covered.probes, request.retry_max
        )
        frame = {"task": fixed["task"], "coverage": render.write_coverage(gate)} | fixed
        parts, left, tokens = _fit(frame, request.budget, count)
        room = request.budget - sum(tokens.values())
        choice = budget.choose(
            gathered.evidence if "evidence" in parts else (),
            room,
            profile.ratios,
            lambda one: render.write_block(one, request.style),
            count,
        )
        found = frozenset(choice.ids)
        now = coverage.judge(
            profile, gathered.evidence, found, gathered.covered.probes, request.retry_max
        )
        # Saying more can leave less room, never the other way round; so this ends.
        if now.cut == gate.cut or not found < taken:
            unread = [one.evidence for one, _ in choice.left if one.evidence.path]
            others = [*unread, *gathered.others] if "evidence" in parts else []
            others = _fit_others(others, room - choice.spent(), count)
            if others:
                parts["others"] = render.write_others(others)
                tokens["others"] = count(parts["others"])
            return Written(parts, tokens, left, choice, now, tuple(others))
        taken = found


def _fit(
    frame: Mapping[str, str], most: int, count: Callable[[str], int]
) -> tuple[dict[str, str], tuple[str, ...], dict[str, int]]:
    """Take the parts around the evidence that fit; without the task there is no prompt at all."""
    parts: dict[str, str] = {}
    tokens: dict[str, int] = {}
    left = []
    for name in ("task", "coverage", "evidence", "warning", "plan"):
        if not frame[name]:
            continue
        cost = count(frame[name])
        room = most if name in ("task", "coverage", "evidence") else int(most * FRAME_SHARE)
        if sum(tokens.values()) + cost <= room and "task" not in left:
            parts[name], tokens[name] = frame[name], cost
        else:
            left.append(name)
    return parts, tuple(left), tokens


def _fit_others(
    others: Sequence[Evidence], room: int, count: Callable[[str], int]
) -> list[Evidence]:
    """Take as many other places as there is room for."""
    left = room - count(render.OTHERS_HEAD)
    taken = []
    for one in others:
        left -= count(render.write_line(one))
        if left < 0:
            break
        taken.append(one)
    return taken


def _answer(
    question: Question, decision: Decision, gathered: Gathered, gate: coverage.Gate
) -> short_answer.Answer:
    """Return the short answer."""
    usual = {*short_answer.OVERVIEW, *find_sections(question.words)}
    # What is shown, however weakly, is not called missing as well.
    usual -= {section for one in gathered.evidence for section in one.sections}
    lacking = [one for one in map(SECTION_OF.get, gate.missing) if one in usual]
    missing = (*(MEANING[one] for one in lacking), *gathered.unknown, *gathered.unproved)
    if gathered.unproved and _lacks_all(question, (*gathered.unknown, *gathered.unproved)):
        return short_answer.Answer((), missing, gathered.unknown, (), ())
    evidence: Sequence[Evidence] = gathered.evidence
    # Where people are told how it is done, that is the answer.
    asks = asks_to_do(question.text)
    looks_back = question.looks_back or question.span is not None
    told = [] if looks_back else short_answer.find_told(evidence, asks=asks)
    about_all = len(decision.profile.sections) >= ABOUT_ALL and not (asks and told)
    inside = short_answer.put_first(evidence, question.subjects, gathered.name_package)
    if about_all and inside is None:
        points, more = short_answer.compose_overview(
            evidence, gathered.named, gathered.name_package
        )
    else:
        points, more = short_answer.compose_points(
            inside if about_all and inside else evidence,
            gathered.named,
            gathered.name_package,
            asked=question.words,
            looks_back=looks_back,
            told=told,
            others=gathered.others,
        )
    cites = tuple(one.cite for one in more)
    return short_answer.Answer(tuple(points), missing, gathered.unknown, cites, tuple(more))
