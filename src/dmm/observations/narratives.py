"""Narratives: request, actions and outcome in at most five sentences."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.observations.commands import Sort
from dmm.observations.steps import Act
from dmm.observations.titles import outcome_of
from dmm.observations.wording import clip, is_nod, prose, sentences, squeeze

if TYPE_CHECKING:
    from dmm.observations.episodes import Episode
    from dmm.observations.steps import Step

LONGEST_ASKED = 320
LONGEST_OUTCOME = 480
MOST_NAMED = 4
OUTCOME_SENTENCES = 3
_STOP = re.compile(r"[.!?…]$")


def narrative_of(episode: Episode) -> str:
    """Return a summary of an episode in a few sentences."""
    asked = clip(squeeze(prose(episode.asked)) or squeeze(episode.asked), LONGEST_ASKED)
    parts = [
        f"Asked: {asked}" if asked else "",
        _done(episode),
        _unfinished(episode),
        _outcome(episode.answer),
    ]
    return " ".join(part if _STOP.search(part) else f"{part}." for part in parts if part)


def _done(episode: Episode) -> str:
    made = _targets(episode, Act.CREATE)
    gone = _targets(episode, Act.DELETE)
    changed = [path for path in episode.edited if path not in (*made, *gone)]
    parts = [
        f"{verb} {_listed(names)}"
        for verb, names in (("wrote", made), ("edited", changed), ("deleted", gone))
        if names
    ]
    parts += [_ran(step) for step in _told_runs(episode.runs)]
    if not parts and episode.looked_at:
        parts = [f"looked at {_listed(list(episode.looked_at))}"]
    return f"Done: {'; '.join(parts)}" if parts else ""


def _targets(episode: Episode, act: Act) -> list[str]:
    return list(dict.fromkeys(step.target for step in episode.steps if step.act is act))


def _told_runs(runs: list[Step]) -> list[Step]:
    """Choose the runs to tell: the last of each command, the weightiest first, in their order."""
    last = {run.target: run for run in runs}
    weighty = sorted(last.values(), key=lambda run: (list(Sort).index(run.sort), -run.seq))
    return sorted(weighty[:MOST_NAMED], key=lambda run: run.seq)


def _ran(step: Step) -> str:
    if step.sort is Sort.COMMIT and step.note:
        return f"committed “{step.note}”"
    end = ""
    if step.failed:
        end = " (failed)"
    elif step.sort in (Sort.TEST, Sort.CHECK):
        end = " (passed)"
    return f"ran `{step.target}`{end}"


def _unfinished(episode: Episode) -> str:
    """Return a sentence where the last test run failed."""
    tests = [run.failed for run in episode.runs if run.sort is Sort.TEST]
    return "The last test run failed" if any(tests[-1:]) else ""


def _outcome(answer: str) -> str:
    first = outcome_of(answer)
    if not first:
        return ""
    told = [one for one in sentences(answer) if not is_nod(one)]
    at = next((n for n, one in enumerate(told) if one.endswith(first)), 0)
    picked = [first, *told[at + 1 : at + OUTCOME_SENTENCES]]
    return "Outcome: " + clip(" ".join(_stopped(one) for one in picked), LONGEST_OUTCOME)


def _stopped(sentence: str) -> str:
    return sentence if _STOP.search(sentence) else f"{sentence.rstrip(':;,')}."


def _listed(names: list[str]) -> str:
    more = len(names) - MOST_NAMED
    shown = ", ".join(names[:MOST_NAMED])
    return f"{shown} and {more} more" if more > 0 else shown
