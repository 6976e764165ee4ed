"""Rebuild the state at any event from the nearest snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.eventlog.snapshots import pack, unpack
from dmm.eventlog.state import CODE, FOLDED, State, fold

if TYPE_CHECKING:
    from dmm.eventlog.log import EventLog

EVERY = 8_192


def replay(log: EventLog, to: int, *, start: State | None = None, keep: bool = True) -> State:
    """Fold the log up to an event; on a long way snapshots are left for the next time.

    A state to start from is taken only if no payload was blanked after it.
    """
    to = min(to, log.head().seq)
    redaction = log.last_redaction()
    usable = start is not None and redaction <= start.seq <= to
    state = start if start is not None and usable else _nearest(log, to)
    snapshots = []
    while state.seq < to:
        stop = min(to, (state.seq // EVERY + 1) * EVERY)
        state = _advance(log, state, stop)
        if stop % EVERY == 0:
            snapshots.append((stop, pack(state)))
    if snapshots and keep:
        log.keep_snapshots(snapshots, CODE, redaction)
    return state


def _nearest(log: EventLog, to: int) -> State:
    found = log.nearest_snapshot(to, CODE)
    # A damaged one can't be told from the outside; all events tell the same.
    return (None if found is None else unpack(found[1], found[0])) or State()


def _advance(log: EventLog, state: State, stop: int) -> State:
    return fold(state, log.events_of(FOLDED, state.seq, stop), to=stop)


def prove_snapshots(log: EventLog) -> tuple[int, ...]:
    """Fold the whole log and name each snapshot that is not the state at its event.

    It is left where it is: it shows that somebody changed it.
    """
    state, wrong = State(), []
    for seq, data in log.snapshots(CODE):
        if seq <= log.head().seq:
            state = _advance(log, state, seq)
        if state.seq != seq or data is None or unpack(data, seq) != state:
            wrong.append(seq)
    return tuple(wrong)
