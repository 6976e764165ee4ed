"""A large project: 10,000 memories and 100,000 events, written by the product's own writers."""

from __future__ import annotations

import datetime as dt
import hashlib
import os
import random
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from tests.conftest import Project, git
from tests.page.world import Sample

from dmm.bootstrap import open_dmm
from dmm.domain.event import new_id
from dmm.domain.payload import (
    FactAdded,
    Held,
    PackServed,
    SessionStarted,
    ToolRequested,
    ToolUsed,
    UserMessageReceived,
)
from dmm.embed.model import Embedder
from dmm.eventlog.open_ledger import Actor

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from dmm.domain.event import Draft
    from dmm.domain.recorded import Payload
    from dmm.rules.project_ledger import ProjectLedger

MEMORIES = 10_000
EVENTS = 100_000
BATCH = 5_000
SPAN = dt.timedelta(days=90)
CALLS = 16
SEED = 20260101
FOLDERS = ("auth", "payments", "jobs", "mail", "search", "reports", "stock", "carts")
WORDS = (
    *("retry", "budget", "cache", "release", "branch", "worker", "schema", "token", "session"),
    *("order", "refund", "invoice", "customer", "cookie", "queue", "deadline", "migration"),
    *("report", "price", "warehouse", "mail", "template", "search", "index", "limit", "lock"),
)
FILE = """---
id: mem_2026_01_01_{number:05d}
tags: [{tags}]
scope: project
priority: 0.5
confidence: active
status: active
created: 2026-01-01
---

# {title}

{body}
"""


class DrawnModel(Embedder):
    """The real model's identity with vectors drawn by lot: to embed 10,000 texts takes minutes."""

    def _run(self, pieces: Sequence[int]) -> NDArray[np.float32]:
        seed = hashlib.sha256(np.asarray(pieces, np.int64).tobytes()).digest()
        drawn = np.random.default_rng(list(seed)).standard_normal(self.dimensions)
        return np.asarray(drawn / np.linalg.norm(drawn), np.float32)


def make_large(folder: Path, home: Path, memories: int = MEMORIES, events: int = EVENTS) -> Project:
    """Build the project of a user: files, index and ledger as the product writes them."""
    project = Project(folder)
    project.memory.mkdir(parents=True)
    git(folder, "init", "--quiet")
    chance = random.Random(SEED)
    paths = [_write(project, number, chance) for number in range(memories)]
    project.trust(home)
    dmm = open_dmm(override=folder, home=home, load_model=DrawnModel.load)
    try:
        dmm.memories.reindex()
        if events:
            _record(dmm.project_ledger, paths or ["project/none.md"], events, chance)
    finally:
        dmm.indexes.close()
        dmm.project_ledger.close()
    return project


def build_large(folder: Path) -> None:
    """Build it as a sample."""
    sample = Sample(folder / "large")
    make_large(sample.folder, folder)
    sample.keep()


def _say(chance: random.Random, count: int) -> str:
    return " ".join(chance.choices(WORDS, k=count))


def _write(project: Project, number: int, chance: random.Random) -> str:
    path = f"project/{FOLDERS[number % len(FOLDERS)]}/memory_{number:05d}.md"
    file = project.write(
        path,
        FILE.format(
            number=number,
            tags=", ".join(chance.sample(WORDS, 3)),
            title=_say(chance, 5).capitalize(),
            body=_say(chance, 60) + ".",
        ),
    )
    # The index distrusts the stamps of files that were written a moment ago.
    os.utime(file, (1_767_225_600, 1_767_225_600))
    return path


def _record(ledger: ProjectLedger, paths: Sequence[str], count: int, chance: random.Random) -> None:
    begun = dt.datetime.now(dt.UTC) - SPAN
    drafts = _drafts(ledger, paths, chance)
    number = 0
    while batch := list(islice(drafts, min(BATCH, count - number))):
        ledger.log.extend(
            _at(draft, begun + SPAN * ((number + place) / count), chance)
            for place, draft in enumerate(batch)
        )
        number += len(batch)


def _at(draft: Draft, moment: dt.datetime, chance: random.Random) -> Draft:
    identity = new_id(int(moment.timestamp() * 1000), chance.randbytes(10))
    return replace(draft, at=moment.isoformat(timespec="milliseconds"), id=identity)


def _drafts(ledger: ProjectLedger, paths: Sequence[str], chance: random.Random) -> Iterator[Draft]:
    """Make the events of one session after another."""
    number = 0
    while True:
        number += 1
        client = chance.choice(("claude-code", "codex"))
        held = ledger.as_actor(Actor(client, "hook", session=f"session-{number:05d}"))
        for payload in _session(client, paths, chance):
            yield held.draft(payload)


def _session(client: str, paths: Sequence[str], chance: random.Random) -> Iterator[Payload]:
    yield SessionStarted(client=client, cwd="/work", source="startup", branch="main")
    key = f"project.key.{chance.randrange(400)}"
    yield FactAdded(key=key, value=_say(chance, 3), confidence=0.9)
    for _ in range(3):
        prompt = _say(chance, 12)
        yield UserMessageReceived(text=prompt)
        held = tuple(Held(path=path, hash="0" * 64) for path in chance.sample(paths, 3))
        yield PackServed(task=prompt, retrieved=held, budget=1200, tokens=chance.randrange(900))
    for call in range(CALLS):
        command = f"make {_say(chance, 2)}"
        told: dict[str, Any] = {
            "tool": "Bash",
            "text": command,
            "call": f"call-{call}",
            "cwd": "/work",
        }
        denied = chance.random() < 0.02
        verdict: dict[str, Any] = {
            "status": "deny" if denied else "allow",
            "reason": "",
            "violations": [],
        }
        yield ToolRequested(input={"command": command}, verdict=verdict, **told)
        if not denied:
            yield ToolUsed(input={"command": command}, output=_say(chance, 20), exit=0, **told)
