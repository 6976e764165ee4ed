"""The log against a plain list of events, through any sequence of what can be done to it."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from dmm.domain.event import Draft, EventType
from dmm.errors import LedgerRefused
from dmm.eventlog.anchors import anchor_head, read_anchors
from dmm.eventlog.log import EventLog
from dmm.eventlog.replay import pack, prove_snapshots, replay
from dmm.eventlog.state import CODE, State, fold
from dmm.eventlog.verify import verify

AT = "2026-01-31T12:00:00Z"
KINDS = st.sampled_from(
    [EventType.FACT_ADDED, EventType.CONSTRAINT_ADDED, EventType.DECISION_MADE, "Unheard"]
)


class LogMachine(RuleBasedStateMachine):
    """`known` is what the log must hold: id and payload, None where it was blanked.

    `beside` is a second connection to the same file.
    """

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="dmm-test-"))
        self.known: list[tuple[str, dict[str, Any] | None]] = []
        self.drafts: list[Draft] = []
        self.log = EventLog.open(self.folder / "ledger.db")
        self.beside = EventLog.open(self.folder / "ledger.db")

    def teardown(self) -> None:
        self.log.close()
        self.beside.close()
        shutil.rmtree(self.folder)

    def make(self, kind: str, text: str) -> Draft:
        identity = f"e-{len(self.drafts)}"
        self.drafts.append(Draft(kind, {"key": text, "value": text, "text": text}, identity, AT))
        return self.drafts[-1]

    @rule(kinds=st.lists(KINDS, max_size=4), text=st.text(max_size=3), beside=st.booleans())
    def append(self, kinds: list[str], text: str, beside: bool) -> None:
        drafts = [self.make(kind, text) for kind in kinds]
        (self.beside if beside else self.log).append(drafts)
        self.known += [(draft.id, draft.payload) for draft in drafts]

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def try_again(self, data: st.DataObject) -> None:
        stored = {identity: seq for seq, (identity, _) in enumerate(self.known, start=1)}
        again = data.draw(st.sampled_from([one for one in self.drafts if one.id in stored]))
        assert [event.seq for event in self.log.append([again])] == [stored[again.id]]

    @rule(kind=KINDS)
    def fail(self, kind: str) -> None:
        bad = Draft(kind, {}, "bad", AT, references=(10_000,))
        with pytest.raises(LedgerRefused):
            self.log.append([self.make(kind, "lost"), bad])

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def blank(self, data: st.DataObject) -> None:
        seqs = [seq for seq, (name, _) in enumerate(self.known, 1) if name.startswith("e-")]
        seq = data.draw(st.sampled_from(seqs))
        draft = Draft(EventType.PAYLOAD_REDACTED, {"seq": seq}, f"r-{len(self.known)}", AT)
        self.log.blank(seq, draft)
        self.known[seq - 1] = (self.known[seq - 1][0], None)
        self.known.append((draft.id, draft.payload))

    @rule(to=st.integers(0, 30))
    def travel(self, to: int) -> None:
        wanted = fold(State(), self.log.events(to=to))
        assert replay(self.log, to) == wanted

    @rule()
    def keep_a_snapshot(self) -> None:
        state = replay(self.log, len(self.known))
        if state.seq:
            self.log.keep_snapshots([(state.seq, pack(state))], CODE, self.log.last_redaction())

    @rule()
    def anchor(self) -> None:
        anchor_head(self.log, self.folder / "ledger.anchor", "2026-01-31")

    @rule()
    def reopen(self) -> None:
        self.log.close()
        self.log = EventLog.open(self.folder / "ledger.db")

    @rule()
    def restore(self) -> None:
        copy = self.folder / "copy.db"
        assert self.log.backup(copy) == self.log.head()
        self.log.close()
        self.beside.close()
        copy.replace(self.folder / "ledger.db")
        self.log = EventLog.open(self.folder / "ledger.db")
        self.beside = EventLog.open(self.folder / "ledger.db")

    @invariant()
    def holds_what_it_was_given(self) -> None:
        events = list(self.log.events())
        assert [(event.id, event.payload) for event in events] == self.known
        assert [event.seq for event in events] == list(range(1, len(self.known) + 1))
        anchors = read_anchors(self.folder / "ledger.anchor").anchors
        result = verify(self.log.raw(), anchors)
        assert (result.valid, result.events) == (True, len(self.known))
        assert result.blanked == sum(payload is None for _, payload in self.known)
        assert prove_snapshots(self.log) == ()


TestLog = LogMachine.TestCase
TestLog.settings = settings(max_examples=25, stateful_step_count=20)
