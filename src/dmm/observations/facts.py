"""Exact names, numbers, commands and causes of an episode."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.observations.commands import CHANGES, Sort, name_check
from dmm.observations.steps import Act
from dmm.observations.wording import clip, count_words, exactness, is_nod, sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dmm.observations.episodes import Episode
    from dmm.observations.steps import Step

MOST_FACTS = 12
LONGEST_FACT = 220
MOST_CAUSES = 3
MOST_EXACT = 5
MOST_ASKED = 3
MOST_CHECKS = 3
MOST_COMMANDS = 4
_CAUSE = re.compile(
    r"\b(?:root cause|caused by|the cause|because|due to|turn(?:s|ed) out|the fix (?:was|is)"
    r"|the (?:problem|issue|bug|culprit|reason) (?:was|is)|fixed (?:it )?by"
    r"|which (?:meant|caused|led))\b",
    re.IGNORECASE,
)
_DECIDED = re.compile(
    r"\b(?:(?:we|i|they)(?:'ve| have)? (?:decided|agreed|chose|opted|settled)\b|decision ?:"
    r"|it was (?:decided|agreed)\b|we (?:should|must|will) (?:never|always)\b"
    r"|from now on\b|going forward\b"
    r"|(?:let'?s|we|we'll|we will|i'll|i will) (?:go with|stick with|standardi[sz]e on|settle on)\b"
    r"|(?:let'?s|we'll|we will) use\b|we use \S+(?: \S+){0,4} (?:instead of|not|rather than)\b"
    r"|we(?:'re| are) (?:going with|sticking with|switching to|moving to|dropping)\b"
    r"|(?:use|using|keep|prefer|chose|choose|picked|went with) \S+(?: \S+){0,6} "
    r"(?:instead of|rather than)\b)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\?\s*$|^(?:should|shall|do|does|did|can|could|would|why|what|how|when|if)\b"
    r"|\b(?:whether|need to know|let me know|not sure|wonder|want me to|you can|if you)\b",
    re.IGNORECASE,
)
_RULES = re.compile(
    r"\b(?:must|never|always|only|at most|at least|no more than|don't|do not)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Told:
    """The facts of an episode, and which events' tools are quoted in them."""

    facts: tuple[str, ...]
    quoted: tuple[int, ...]


def facts_of(episode: Episode) -> Told:
    """Gather the facts of an episode, the most telling first."""
    answers = [one.text for one in reversed(episode.answers)]
    # What a request settles is an observation of its own, which then has the request's number.
    own = episode.prompt is not None and episode.anchor == episode.prompt.seq
    asked = episode.asked if own else ""
    checks = list(_checks(episode))
    lines = [
        *_said(answers, _CAUSE),
        *_said([*answers, asked], _DECIDED),
        *(line for line, _ in checks),
        *_commits(episode),
        *_commands(episode),
        *_refusals(episode),
        *_exact(answers),
        *_demands(episode.asked),
    ]
    kept = tuple(dict.fromkeys(clip(line.rstrip(" :"), LONGEST_FACT) for line in lines))[
        :MOST_FACTS
    ]
    seqs = [
        seq
        for line, quoted in checks
        if clip(line.rstrip(" :"), LONGEST_FACT) in kept
        for seq in quoted
    ]
    seqs += [run.seq for run in episode.runs if run.sort is Sort.COMMIT and run.quote]
    return Told(kept, tuple(dict.fromkeys(seqs)))


def decisions_in(text: str) -> list[str]:
    """Find the sentences that settle something; a question settles nothing."""
    return [clip(one, LONGEST_FACT) for one in _said([text], _DECIDED)]


def _said(texts: Iterable[str], wanted: re.Pattern[str]) -> list[str]:
    found = [one for text in texts for one in sentences(text) if wanted.search(one)]
    return [one for one in found if count_words(one) > 3 and not _ASKS.search(one)][:MOST_CAUSES]


def _checks(episode: Episode) -> Iterator[tuple[str, list[int]]]:
    """Return for each checker how its runs went, from the first failure to the last run."""
    runs: dict[str, list[Step]] = {}
    for step in episode.runs:
        if step.sort in (Sort.TEST, Sort.CHECK) or step.failed:
            name = name_check(step.target) if step.sort is not Sort.RUN else step.target
            runs.setdefault(name, []).append(step)
    ordered = sorted(runs.values(), key=lambda steps: (steps[-1].sort is Sort.RUN, steps[0].seq))
    for steps in ordered[:MOST_CHECKS]:
        failures = [step for step in steps if step.failed]
        told = [_ended(failures[0])] if failures else []
        if not failures or steps[-1] is not failures[0]:
            told.append(_ended(steps[-1]))
        line = f"`{steps[-1].target}`: {'; then '.join(told)}"
        yield line, [one.seq for one in (*failures[:1], steps[-1]) if one.quote]


def _ended(step: Step) -> str:
    end = "failed" if step.failed else "passed" if step.sort is not Sort.RUN else "ran"
    return f"{end} ({step.quote})" if step.quote else end


def _commits(episode: Episode) -> Iterator[str]:
    for run in episode.commits[-3:]:
        yield f"{f'committed {run.quote}'.rstrip()}: {run.note}"


def _commands(episode: Episode) -> Iterator[str]:
    """Name the commands that changed something else than files that were edited."""
    found = [run for run in episode.runs if run.sort in CHANGES and not run.failed and not run.note]
    for target in list(dict.fromkeys(run.target for run in found))[:MOST_COMMANDS]:
        yield f"ran `{target}`"


def _refusals(episode: Episode) -> Iterator[str]:
    for step in episode.steps:
        if step.act is Act.REFUSED:
            yield f"refused: `{step.target}`" + (f" ({step.note})" if step.note else "")


def _exact(texts: Iterable[str]) -> list[str]:
    """Choose the sentences with most exact names, told in the order of the text."""
    found = [one for text in texts for one in sentences(text)]
    rated = [(exactness(one), at) for at, one in enumerate(found) if count_words(one) > 2]
    best = sorted((-rate, at) for rate, at in rated if rate)[:MOST_EXACT]
    return [found[at] for at in sorted(at for _, at in best)]


def _demands(asked: str) -> list[str]:
    """Choose the sentences of a request that name what must hold."""
    found = [one for one in sentences(asked)[1:] if _RULES.search(one) and not is_nod(one)]
    return [one for one in found if count_words(one) > 2][:MOST_ASKED]
