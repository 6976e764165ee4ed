"""The ledger: durable appends against one fsync, batches, replay to any event, policy checks."""

from __future__ import annotations

import random
import tempfile
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from bench import clock
from bench.ledger_append import find_places, measure_append
from bench.report import Measure, Part
from dmm.domain.event import Draft, EventType, new_id
from dmm.eventlog.log import EventLog
from dmm.eventlog.replay import replay
from dmm.eventlog.seal import Seal
from dmm.eventlog.state import CODE, State
from dmm.eventlog.verify import verify
from dmm.rules.language.compile import compile_rule
from dmm.rules.language.judge import InForce, Priority, RuleSet, Status, judge

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZES = (10_000, 100_000)
LARGE = 1_000_000
BATCH = 1_000
ROUNDS = 60
KEYS = 500
CONSTRAINTS = 50
RULES: dict[int, float | None] = {10: None, 100: None, 1_000: 2.0}
REPLAY_MS = 150
BATCH_RATE = 20_000
MIX = {
    EventType.TOOL_USED: 85,
    EventType.USER_MESSAGE_RECEIVED: 5,
    EventType.FACT_ADDED: 4,
    EventType.MEMORY_QUERY_ISSUED: 3,
    EventType.PACK_SERVED: 2,
    EventType.DECISION_MADE: 1,
}
DECISIONS = 200
VERBS = ("delete", "deploy", "rename", "export", "merge", "restart", "publish")
WORDS = ("retry", "budget", "cache", "release", "branch", "worker", "schema", "token", "session")


def measure(*, large: bool = False) -> Part:
    """Measure in logs of growing size."""
    sizes = (*SIZES, LARGE) if large else SIZES
    drafts = make_drafts()
    measures = [one for place in find_places() for one in measure_append(place, drafts)]
    with tempfile.TemporaryDirectory(prefix="dmm-bench-") as folder:
        for size in sizes:
            measures += _measure_size(Path(folder), size)
    measures += [_measure_policy(count) for count in RULES]
    remark = (
        "Single appends take turns with the others in short blocks; measured is the median over "
        "the blocks of the append's time over theirs. "
        f"Random replays: {ROUNDS}, each in a state of its own."
    )
    return Part("Ledger", tuple(measures), remark)


def make_drafts(seed: int = 7) -> Iterator[Draft]:
    """Make the events of long work: mostly tools, some prompts, facts, queries and decisions."""
    chance = random.Random(seed)
    kinds, weights = list(MIX), list(MIX.values())
    number = 0
    while True:
        number += 1
        constrain = number <= CONSTRAINTS
        kind = EventType.CONSTRAINT_ADDED if constrain else chance.choices(kinds, weights)[0]
        yield Draft(
            type=kind,
            payload=_make_payload(kind, chance),
            id=new_id(1_700_000_000_000 + number, chance.randbytes(10)),
            at=f"2026-01-31T12:{number // 60 % 60:02}:{number % 60:02}Z",
            session=f"session-{number // 500}",
        )


def _make_payload(kind: EventType, chance: random.Random) -> dict[str, object]:
    def say(count: int) -> str:
        return " ".join(chance.choices(WORDS, k=count))

    match kind:
        case EventType.FACT_ADDED:
            return {
                "key": f"project.key.{chance.randrange(KEYS)}",
                "value": say(4),
                "confidence": 0.9,
            }
        case EventType.CONSTRAINT_ADDED:
            return {"text": f"never {say(3)}", "priority": "required"}
        case EventType.DECISION_MADE:
            return {
                "text": say(8),
                "rationale": say(15),
                "applied": [chance.randrange(CONSTRAINTS)],
            }
        case EventType.MEMORY_QUERY_ISSUED:
            return {"question": say(7), "scope": "all"}
        case EventType.PACK_SERVED:
            return {"query": say(7), "items": [chance.randbytes(16).hex() for _ in range(8)]}
        case EventType.USER_MESSAGE_RECEIVED:
            return {"text": say(25)}
        case _:
            return {"tool": "Bash", "input": {"command": say(6)}, "output": say(30), "ok": True}


def _measure_size(folder: Path, size: int) -> Iterator[Measure]:
    path = folder / f"{size}.db"
    log = EventLog.open(path)
    log.seal = Seal(bytes(32))
    name = f"{size:,} events"
    yield _measure_batches(log, size, name)
    whole = clock.spend(lambda: verify(log.raw()))
    yield Measure(f"{name}: verified a second", size / whole.wall, digits=0)
    chance = random.Random(size)
    bare = [clock.spend(partial(_fold_from_start, log, size))]
    first = clock.spend(partial(replay, log, size))
    bytes_kept = sum(len(state or b"") for _, state in log.snapshots(CODE))
    note = f"first replay {first.wall:.2f} s, leaves {bytes_kept / 1e6:.1f} MB of snapshots"
    yield Measure(f"{name}: replay without snapshots, ms", clock.wall_ms(bare), note=note)
    places = [chance.randint(1, size) for _ in range(ROUNDS)]
    spent = [clock.spend(partial(replay, log, place)) for place in places]
    yield Measure(
        f"{name}: replay to a random event, p95 ms",
        clock.wall_ms(spent, 0.95),
        REPLAY_MS,
        at_most=True,
        beside={"p50 ms": clock.wall_ms(spent), "p95 ms": clock.wall_ms(spent, 0.95)},
        note=f"CPU p50 {clock.cpu_ms(spent):.1f}, p95 {clock.cpu_ms(spent, 0.95):.1f}",
    )
    log.close()
    yield Measure(f"{name}: file, MB", path.stat().st_size / 1e6)


def _measure_batches(log: EventLog, size: int, name: str) -> Measure:
    drafts = make_drafts(size)
    spent = []
    for _ in range(size // BATCH):
        batch = list(islice(drafts, BATCH))
        spent.append(clock.spend(partial(log.extend, batch)))
    return Measure(
        f"{name}: recorded a second, bursts of {BATCH:,}",
        size / sum(one.wall for one in spent),
        BATCH_RATE,
        digits=0,
        note=f"per second of CPU {size / sum(one.cpu for one in spent):,.0f}",
    )


def _measure_policy(count: int) -> Measure:
    constraints = [_make_constraint(number) for number in range(count)]
    rules = RuleSet(constraints)
    chance = random.Random(count)
    spent, blocked = [], 0
    for _ in range(DECISIONS):
        verb, thing, place = chance.choice(VERBS), chance.choice(WORDS), chance.choice(WORDS)
        decision = f"{verb} the {thing} {chance.randrange(count)} of the {place} before noon"
        spent.append(clock.spend(partial(judge, decision, rules)))
        blocked += judge(decision, rules).status is Status.BLOCKED
    return Measure(
        f"policy check against {count:,} constraints, ms",
        clock.wall_ms(spent),
        RULES[count],
        at_most=True,
        digits=2,
        beside={"p50 ms": clock.wall_ms(spent), "p95 ms": clock.wall_ms(spent, 0.95)},
        note=f"CPU p50 {clock.cpu_ms(spent):.2f}; {blocked} of {DECISIONS} blocked",
    )


def _make_constraint(number: int) -> InForce:
    verb, thing = VERBS[number % len(VERBS)], WORDS[number % len(WORDS)]
    forms = (
        f"Never {verb} the {thing} {number}",
        f"Verify the {thing} before you {verb} item {number}",
        f"Do not {verb} {thing}{number} on Fridays",
        f"Avoid {thing} {number} unless it was reviewed",
    )
    text = forms[number % len(forms)]
    return InForce(number + 1, text, Priority.REQUIRED, compile_rule(text).rule)


def _fold_from_start(log: EventLog, size: int) -> State:
    """Replay as if no snapshot had been kept; none is kept by it either."""
    return replay(log, size, start=State(), keep=False)
