"""Narratives: request, actions and outcome in at most five sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.observations.commands import Sort
from dmm.observations.steps import Act
from dmm.observations.titles import outcome_of
from dmm.observations.wording import clip, is_nod, list_names, prose, sentences, squeeze, stopped

if TYPE_CHECKING:
    from dmm.observations.episodes import Episode
    from dmm.observations.steps import Step

LONGEST_ASKED = 320
LONGEST_OUTCOME = 480
MOST_NAMED = 4
OUTCOME_SENTENCES = 3
_PASSED = dict.fromkeys((Sort.TEST, Sort.CHECK), " (passed)")


def narrative_of(episode: Episode) -> str:
    """Return a summary of an episode in a few sentences."""
    asked = clip(squeeze(prose(episode.asked)) or squeeze(episode.asked), LONGEST_ASKED)
    parts = [
        f"Asked: {asked}" if asked else "",
        _done(episode),
        _unfinished(episode),
        _outcome(episode.answer),
    ]
    return " ".join(map(stopped, filter(None, parts)))


def _done(episode: Episode) -> str:
    made = _targets(episode, Act.CREATE)
    gone = _targets(episode, Act.DELETE)
    changed = [path for path in episode.edited if path not in (*made, *gone)]
    parts = [
        f"{verb} {list_names(names, MOST_NAMED)}"
        for verb, names in (("wrote", made), ("edited", changed), ("deleted", gone))
        if names
    ]
    parts += [_ran(step) for step in _told_runs(episode.runs)]
    if not parts and episode.looked_at:
        parts = [f"looked at {list_names(episode.looked_at, MOST_NAMED)}"]
    return f"Done: {'; '.join(parts)}" if parts else ""


def _targets(episode: Episode, act: Act) -> list[str]:
    return list(dict.fromkeys(step.target for step in episode.steps_of(act)))


def _told_runs(runs: list[Step]) -> list[Step]:
    """Choose the runs to tell: the last of each command, the weightiest first, in their order."""
    last = {run.target: run for run in runs}
    weighty = sorted(last.values(), key=lambda run: (list(Sort).index(run.sort), -run.seq))
    return sorted(weighty[:MOST_NAMED], key=lambda run: run.seq)


def _ran(step: Step) -> str:
    if step.sort is Sort.COMMIT and step.note:
        return f"committed “{step.note}”"
    end = " (failed)" if step.failed else _PASSED.get(step.sort, "")
    return f"ran `{step.target}`{end}"


def _unfinished(episode: Episode) -> str:
    """Return a sentence where the last test run failed."""
    tests = [run.failed for run in episode.runs if run.sort is Sort.TEST]
    return "The last test run failed" if any(tests[-1:]) else ""


def _outcome(answer: str) -> str:
    first = outcome_of(answer)
    if not first:
        return ""
    said = [one for one in sentences(answer) if not is_nod(one)]
    at = next((n for n, one in enumerate(said) if one.endswith(first)), 0)
    picked = [first, *said[at + 1 : at + OUTCOME_SENTENCES]]
    told = [stopped(one.rstrip(":;,")) for one in picked]
    return "Outcome: " + clip(" ".join(told), LONGEST_OUTCOME)
