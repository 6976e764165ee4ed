"""The ask pipeline: read, map, gather, cover, budget, render, review."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from dmm.ask import answer as short_answer
from dmm.ask import budget, coverage, landmarks, layers, nearness, plan, render
from dmm.ask.evidence import Origin, dedupe
from dmm.ask.mapping import map_question
from dmm.ask.question import read_question
from dmm.ask.sections import MEANING, SECTION_OF, Category, Section
from dmm.ask.survey import Survey
from dmm.domain.plain import to_plain
from dmm.repo.records import Kind

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Collection, Mapping, Sequence

    from dmm.ask.evidence import Evidence
    from dmm.ask.mapping import Choose, Decision
    from dmm.ask.profiles import Profile
    from dmm.ask.question import Question
    from dmm.ask.sources import Sources, Told

EXECUTOR_OFF = "off"
# Places that are read for their meaning, and those that are kept.
MOST_READ, MOST_PLACES = 40, 12
MOST_PACKAGES = 3
# The evidence is what a prompt is for: what frames it takes at most this part of the budget.
FRAME_SHARE = 0.5
# A profile that looks for so many sections is about the repository itself.
ABOUT_ALL = 5


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked, and how the answer is to be."""

    question: str
    day: dt.date
    budget: int
    style: str = render.COMPACT
    profile: str | None = None
    default_profile: str = ""
    retry_max: int = 2


@dataclass(frozen=True, slots=True)
class Gathered:
    """All that was found for a question, each thing once, in the order of its worth."""

    memory: Told
    sessions: Told
    covered: coverage.Covered
    evidence: tuple[Evidence, ...]
    dropped: tuple[tuple[str, str], ...]
    files: int
    packages: Mapping[str, int]
    named: tuple[Section, ...]
    unknown: tuple[str, ...]

    def name_package(self, path: str) -> str:
        """Name the package of a file where the repository has several; empty otherwise."""
        return landmarks.package_of(path, self.packages) if len(self.packages) > 1 else ""


@dataclass(frozen=True, slots=True)
class Written:
    """The prompt with its parts, their tokens, and what was chosen for it."""

    parts: dict[str, str]
    tokens: dict[str, int]
    left: tuple[str, ...]
    choice: budget.Choice
    gate: dict[str, Any]
    text: str = field(init=False)

    def __post_init__(self) -> None:
        blocks = [one.block for one in _by_origin(self.choice)]
        order = ("task", "coverage", "warning", "plan", "evidence")
        heads = [self.parts[name] for name in order if name in self.parts]
        object.__setattr__(self, "text", "".join([*heads, *blocks]))


def answer(
    request: Request,
    profiles: Mapping[str, Profile],
    sources: Sources,
    critic: dict[str, Any],
    count: Callable[[str], int],
    choose: Choose | None = None,
) -> dict[str, Any]:
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
    written = write(request, question, decision, gathered, critic, count)
    return describe(request, question, decision, gathered, written, critic, count)


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
    located = [place for name in question.symbols for place in sources.code.locate(name)]
    found = [*located, *sources.documents(question), *_search(question, sources, survey, named)]
    hits = tuple(survey.mark(one) for one in found)
    covered = coverage.cover(survey, profile, hits, retry_max)
    code = _in_order(profile, named, hits, covered.evidence)
    remembered = nearness.order(question.words, memory.evidence, sources.liken)
    evidence, dropped = dedupe((*remembered, *sessions.evidence, *code))
    unknown = [
        *_unfound(question, sources, survey, located),
        *sources.code.find_unknown(question.subjects),
    ]
    return Gathered(
        memory,
        sessions,
        covered,
        tuple(evidence),
        tuple(dropped),
        len(survey.files),
        survey.packages,
        named,
        tuple(one for one in dict.fromkeys(unknown) if not _is_told(one, evidence)),
    )


def _search(
    question: Question, sources: Sources, survey: Survey, named: Sequence[Section]
) -> list[Evidence]:
    """Find code of the product, or tests where they are asked for, then order it by its meaning.

    Examples and tools match well, since they show all of it; they come later.
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
    beside = [one for one in read if wanted is product and landmarks.order(one.path)[0]]
    near = nearness.order(
        question.words, [one for one in read if one not in beside], sources.liken, survey.is_asked
    )
    later = [*beside, *sources.code.search(asked, MOST_PLACES, others)]
    return [*near[:MOST_PLACES], *later[:MOST_PLACES]]


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
    needed = _firsts(shown, {*named, *(SECTION_OF[one] for one in profile.needs)})
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
    critic: dict[str, Any],
    count: Callable[[str], int],
) -> Written:
    """Write the prompt; where evidence that the gate needs had no room, the prompt says so."""
    profile = decision.profile
    fixed = {
        "task": render.write_head(question, decision),
        "evidence": render.write_evidence_head(question, gathered.evidence),
        "warning": render.write_warning(critic),
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
        if now["cut"] == gate["cut"] or not found < taken:
            return Written(parts, tokens, left, choice, now)
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


def _by_origin(choice: budget.Choice) -> list[budget.Priced]:
    order = list(Origin)
    return sorted(choice.taken, key=lambda one: order.index(one.evidence.origin))


def describe(
    request: Request,
    question: Question,
    decision: Decision,
    gathered: Gathered,
    written: Written,
    critic: dict[str, Any],
    count: Callable[[str], int],
) -> dict[str, Any]:
    """Return the whole answer as plain data."""
    evidence, choice = gathered.evidence, written.choice
    total = count(written.text)
    told: dict[str, Any] = {
        "layer1_search": _rows(gathered),
        "layer3_observations": [_full(one) for one in evidence if one.origin is Origin.SESSIONS],
        "repo_context": [_full(one) for one in evidence if one.origin is Origin.CODE],
        "answer": _tell_answer(question, decision, gathered, written),
        "suggested_prompt": written.text,
        "token_estimate": total,
        "mapping_decision": decision.describe(),
        "coverage_gate": written.gate,
        "prompt_plan": {
            "style": request.style,
            "parts": list(written.parts),
            "parts_left": list(written.left),
            **choice.describe(),
            "deduplicated": [{"id": one, "same_as": same} for one, same in gathered.dropped],
        },
        "prompt_metrics": _metrics(request.budget, total, written),
        "task_spec": plan.specify(question, decision, request.budget, request.style),
        "execution_plan": plan.plan(decision.profile, evidence, set(choice.ids)),
        "coverage_9_section": coverage.describe_sections(evidence),
        "evidence_stats": _statistics(gathered, choice),
        "executor_mode": EXECUTOR_OFF,
        "execution_attempted": False,
        "execution_result": None,
        "execution_critic": critic,
    }
    return told | {"layers": layers.tell(told, gathered.memory.about, gathered.files)}


def _tell_answer(
    question: Question, decision: Decision, gathered: Gathered, written: Written
) -> dict[str, Any]:
    """Return the short answer as plain data."""
    missing = [MEANING[SECTION_OF[Category(one)]] for one in written.gate["missing"]]
    missing += gathered.unknown
    evidence: Sequence[Evidence] = gathered.evidence
    about_all = len(decision.profile.sections) >= ABOUT_ALL
    inside = short_answer.put_first(evidence, question.subjects, gathered.name_package)
    if about_all and inside is None:
        found = short_answer.compose_overview(
            evidence, missing, gathered.named, gathered.name_package
        )
    else:
        found = short_answer.compose_points(
            inside if about_all and inside else evidence,
            missing,
            gathered.named,
            gathered.name_package,
            asked=question.words,
            looks_back=question.looks_back or question.span is not None,
        )
    return {
        "points": [asdict(one) for one in found.points],
        "missing": list(found.missing),
        "unknown": list(gathered.unknown),
        "more": list(found.more),
    }


def _rows(gathered: Gathered) -> dict[str, Any]:
    """Rows of sessions to choose from, and the memories, which are short enough to be whole."""
    found = [_full(one) for one in gathered.evidence if one.origin is Origin.MEMORY]
    return gathered.sessions.about | {
        "results": to_plain(gathered.sessions.rows),
        "memories": found,
        "notices": [*gathered.memory.notices, *gathered.sessions.notices],
    }


def _full(one: Evidence) -> dict[str, Any]:
    return one.describe() | {"text": one.text}


def _metrics(most: int, total: int, written: Written) -> dict[str, Any]:
    spent = {str(one): written.choice.spent(one) for one in Origin}
    frame = sum(written.tokens.values())
    return {
        "budget": most,
        "total": total,
        "remaining": most - total,
        "frame": frame,
        "parts": dict(written.tokens),
        "evidence": spent,
    }


def _statistics(gathered: Gathered, choice: budget.Choice) -> dict[str, Any]:
    found = {
        str(origin): sum(one.origin is origin for one in gathered.evidence) for origin in Origin
    }
    taken = {
        str(origin): sum(one.evidence.origin is origin for one in choice.taken) for origin in Origin
    }
    return {
        "found": found,
        "taken": taken,
        "left": len(choice.left),
        "deduplicated": len(gathered.dropped),
        "low_trust": sum(bool(one.doubt) for one in gathered.evidence),
        "repo_files": gathered.files,
    }
