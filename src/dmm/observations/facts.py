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
MOST_COMMITS = 3
# How a command ended well; all others passed.
_ENDS = {Sort.RUN: "ran"}
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
    checks = {clip(line, LONGEST_FACT): seqs for line, seqs in _checks(episode)}
    # What a request settles is an observation of its own.
    lines = [
        *_said(answers, _CAUSE),
        *_said(answers, _DECIDED),
        *checks,
        *_commits(episode),
        *_commands(episode),
        *_refusals(episode),
        *_exact(answers),
        *_demands(episode.asked),
    ]
    kept = tuple(dict.fromkeys(clip(line.rstrip(" :"), LONGEST_FACT) for line in lines))
    quoted = [seq for line in kept[:MOST_FACTS] for seq in checks.get(line, ())]
    quoted += [run.seq for run in episode.runs if run.sort is Sort.COMMIT and run.quote]
    return Told(kept[:MOST_FACTS], tuple(dict.fromkeys(quoted)))


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
            runs.setdefault(name_check(step.target), []).append(step)
    ordered = sorted(runs.values(), key=lambda steps: (steps[-1].sort is Sort.RUN, steps[0].seq))
    for steps in ordered[:MOST_CHECKS]:
        failures = [step for step in steps if step.failed]
        told = dict.fromkeys((*failures[:1], steps[-1]))
        line = f"`{steps[-1].target}`: {'; then '.join(map(_ended, told))}"
        yield line, [one.seq for one in told if one.quote]


def _ended(step: Step) -> str:
    end = "failed" if step.failed else _ENDS.get(step.sort, "passed")
    return end + _in_brackets(step.quote)


def _in_brackets(more: str) -> str:
    return f" ({more})" if more else ""


def _commits(episode: Episode) -> list[str]:
    runs = episode.commits[-MOST_COMMITS:]
    return [f"{f'committed {run.quote}'.rstrip()}: {run.note}" for run in runs]


def _commands(episode: Episode) -> list[str]:
    """Name the commands that changed something else than files that were edited."""
    found = [run for run in episode.runs if run.sort in CHANGES and not run.failed and not run.note]
    return [f"ran `{one}`" for one in dict.fromkeys(run.target for run in found)][:MOST_COMMANDS]


def _refusals(episode: Episode) -> list[str]:
    steps = episode.steps_of(Act.REFUSED)
    return [f"refused: `{step.target}`{_in_brackets(step.note)}" for step in steps]


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
