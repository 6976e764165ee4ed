"""What digesting and distilling observations return."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DraftView:
    """A draft of a digest, and the proposal it led to; `why` says why there is none."""

    path: str
    title: str
    tokens: int
    tags: tuple[str, ...]
    evidence: tuple[int, ...]
    state: str
    proposal: str | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class DigestRun:
    """What a day's sessions gave, and how much of it was proposed now."""

    day: str
    observations: int
    proposed: int
    drafts: tuple[DraftView, ...]


@dataclass(frozen=True, slots=True)
class RetoldView:
    """An observation that a model rewrote; facts without evidence were dropped."""

    id: str
    title: str
    dropped_facts: int


@dataclass(frozen=True, slots=True)
class RefusedView:
    """An observation whose new text was refused."""

    id: str
    why: str


@dataclass(frozen=True, slots=True)
class EpisodeView:
    """A finished episode that a model would be asked about."""

    id: str
    kind: str
    at: str
    title: str


@dataclass(frozen=True, slots=True)
class DistilRun:
    """What a run of the model gave; `silence` says why it did not answer.

    Only a preview lists the episodes.
    """

    enabled: bool
    waiting: int
    calls: int
    retold: tuple[RetoldView, ...]
    refused: tuple[RefusedView, ...]
    silence: str | None
    episodes: tuple[EpisodeView, ...] | None = None
