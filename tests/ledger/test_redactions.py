"""A leaked payload is blanked everywhere, and the chain stays valid."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from tests.conftest import Project, git

from dmm.domain.event import EventType, Trust
from dmm.domain.plain import to_plain
from dmm.errors import LedgerRefused, UsageError
from dmm.eventlog.log import EventLog
from dmm.eventlog.open_ledger import Actor
from dmm.eventlog.place import find_ledger
from dmm.rules.commands.calls import ToolCall
from dmm.rules.guard import Guard
from dmm.storage import sqlite

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Opener

    from dmm.bootstrap import Dmm

# No pattern would know it for a secret.
LEAKED = 'the "blue" horse\nof Ülm'


@pytest.fixture
def dmm(shop: Project, open_project: Opener) -> Dmm:
    opened = open_project(shop)
    opened.ledger.add_fact("before", "harmless")
    opened.project_ledger.record(
        opened.project_ledger.draft_of(
            EventType.TOOL_USED, {"tool": "Bash", "output": f"it is {LEAKED}!"}
        )
    )
    opened.ledger.add_constraint("never run git push --force")
    opened.ledger.add_fact("horse", f"see {LEAKED}")
    return opened


def holding(folder: Path) -> list[str]:
    """Name the files below a folder that still hold the words."""
    quoted = json.dumps(LEAKED)[1:-1]
    forms = [text.encode() for text in (LEAKED, quoted, json.dumps(quoted)[1:-1])]
    found = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in found if any(form in path.read_bytes() for form in forms)]


def test_the_events_that_hold_it_are_found_in_any_form(dmm: Dmm) -> None:
    assert [event.seq for event in dmm.redactions.find(LEAKED)] == [2, 4]
    assert [event.seq for event in dmm.redactions.find("harmless")] == [1]
    with pytest.raises(UsageError, match="at least 4"):
        dmm.redactions.find("abc")


def test_nothing_of_it_is_left_and_the_chain_is_valid(dmm: Dmm, shop: Project, home: Path) -> None:
    dmm.backups.make()
    dmm.recall.search("horse")
    told = dmm.redactions.redact([2, 4], "it leaked", LEAKED)
    assert to_plain(told.redacted) == [2, 4]
    assert to_plain(told.events) == [5, 6]
    dmm.close()
    assert holding(shop.folder) == []
    assert holding(home) == []
    assert find_ledger(shop.dmm).exists()


def test_the_rest_of_the_ledger_goes_on(dmm: Dmm, shop: Project, open_project: Opener) -> None:
    dmm.redactions.redact([2, 4], "it leaked")
    verified = dmm.audit.verify()
    assert (verified.valid, verified.blanked, verified.events) == (True, 2, 6)
    assert Guard(dmm.project_ledger).rule(ToolCall("Bash", {"command": "git push --force"})).denied
    assert set(dmm.ledger.get_memory_context().facts) == {"before"}
    dmm.close()
    again = open_project(shop)
    assert again.audit.verify().valid
    assert [one.seq for one in again.backups.find()] == [6]


def test_what_waits_to_be_recorded_is_deleted_too(dmm: Dmm, home: Path) -> None:
    spool = home / ".local" / "state" / "dmm" / "spool"
    spool.mkdir(parents=True, exist_ok=True)
    (spool / "1.event").write_text(f"DMM1 codex 5\n/p\n{LEAKED}")
    (spool / "2.event").write_text("DMM1 codex 5\n/p\nharmless")
    assert dmm.redactions.redact([], "it leaked", LEAKED).dropped == 1
    assert [path.name for path in spool.glob("*.event")] == ["2.event"]


def test_only_a_person_redacts_and_only_events_that_are_there(dmm: Dmm) -> None:
    with pytest.raises(LedgerRefused, match="there is no event 99"):
        dmm.redactions.redact([2, 99], "it leaked")
    assert dmm.audit.verify().blanked == 0
    agent = dmm.as_actor(Actor("claude-code", "mcp", Trust.AGENT))
    with pytest.raises(LedgerRefused, match="an agent can't redact"):
        agent.redactions.redact([2], "it leaked")


COPIES = ("moved", "rescued-4", "replaced-1", "untrusted-2026-01-31")


def test_ledgers_set_aside_are_deleted_where_they_hold_it(dmm: Dmm, shop: Project) -> None:
    ledger = find_ledger(shop.dmm)
    clean = ledger.with_name("ledger.db.rescued-1")
    dmm.project_ledger.log.backup(clean)
    for seq in (2, 4):
        blank(clean, seq, dmm)
    for end in COPIES:
        dmm.project_ledger.log.backup(ledger.with_name(f"ledger.db.{end}"))
    torn = ledger.with_name("ledger.db.replaced-2")
    torn.write_bytes(b"x" * 5_000 + LEAKED.encode() + b"x" * 5_000)
    unread = ledger.with_name("ledger.db.replaced-3")
    unread.write_bytes(b"x" * 5_000)
    assert len(dmm.redactions.plan([2]).copies) >= len(COPIES)
    told = dmm.redactions.redact([2, 4], "it leaked", LEAKED)
    assert to_plain(told.unread) == [str(unread)]
    dmm.close()
    assert holding(shop.folder) == []
    assert clean.exists()
    assert unread.exists()


def blank(path: Path, seq: int, dmm: Dmm) -> None:
    log = EventLog.open(path)
    payload = {"seq": seq, "reason": "it leaked"}
    log.blank(
        seq, dmm.project_ledger.draft_of(EventType.PAYLOAD_REDACTED, payload, references=(seq,))
    )
    log.close()


@pytest.mark.skipif(shutil.which("git") is None, reason="git is needed")
def test_worktrees_that_share_the_ledger_forget_it_too(
    tmp_path: Path, open_project: Opener, home: Path
) -> None:
    main, other = Project(tmp_path / "main"), Project(tmp_path / "other")
    main.memory.mkdir(parents=True)
    git(main.folder, "init", "-q")
    git(main.folder, "commit", "-q", "--allow-empty", "-m", "first")
    git(main.folder, "worktree", "add", "-q", "-b", "other", str(other.folder))
    other.memory.mkdir(parents=True)
    dmm = open_project(main)
    dmm.ledger.add_fact("horse", f"see {LEAKED}")
    made = ["index/recall.db", "other/recall.db-wal", "packs/last_pack.md", "ledger.db.moved"]
    made += ["packs/.last_pack.md.0123.tmp", ".ledger.db.0123.tmp"]
    for path in (other.dmm / name for name in made):
        path.parent.mkdir(exist_ok=True)
        path.write_text(LEAKED)
    dmm.redactions.redact([1], "it leaked", LEAKED)
    dmm.close()
    assert holding(tmp_path) == []


def test_what_was_put_aside_or_left_half_written_is_deleted(dmm: Dmm, home: Path) -> None:
    state = home / ".local" / "state" / "dmm"
    dmm.backups.make()
    backups = dmm.backups.folder
    assert backups is not None
    left = [state / "spool" / "aside" / "1.damaged", state / "spool" / "2.part"]
    left += [backups / ".0123.db", backups / ".0123.db.gz", backups / "..0123.db.45.tmp"]
    for path in left:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(LEAKED)
    assert dmm.redactions.redact([2, 4], "it leaked", LEAKED).dropped == 2
    assert [path for path in left if path.exists()] == []
    assert [one.seq for one in dmm.backups.find()] == [6]


def test_a_reader_keeps_only_the_old_pages_and_a_second_run_erases_them(
    shop: Project, open_project: Opener, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_MS", 50)
    dmm = open_project(shop)
    dmm.ledger.add_fact("horse", f"see {LEAKED}")
    dmm.backups.make()
    (shop.dmm / "packs").mkdir(exist_ok=True)
    (shop.dmm / "packs" / "last_pack.md").write_text(LEAKED)
    reader = sqlite.connect(find_ledger(shop.dmm))
    rows = reader.execute("BEGIN; SELECT payload FROM events")
    next(rows)
    assert dmm.redactions.redact([1], "it leaked", LEAKED).erased is False
    assert set(holding(shop.folder)) <= {"ledger.db", "ledger.db-wal"}
    assert holding(home) == []
    reader.close()
    again = dmm.redactions.redact([], "it leaked", LEAKED)
    assert (again.erased, again.redacted, again.events) == (True, (), ())
    dmm.close()
    assert holding(shop.folder) == []


def test_a_text_that_nothing_holds_costs_no_backup(dmm: Dmm) -> None:
    made = dmm.backups.make()
    assert made is not None
    dmm.redactions.redact([], "a slip", "no such text")
    assert dmm.backups.find() == [made]


def test_an_event_is_blanked_once(dmm: Dmm) -> None:
    dmm.redactions.redact([2], "it leaked")
    told = dmm.redactions.redact([2], "it leaked")
    assert (told.redacted, told.events) == ((), ())
    assert dmm.audit.verify().events == 5
    with pytest.raises(LedgerRefused, match="event 5 records a redaction"):
        dmm.redactions.plan([5])


@pytest.mark.parametrize("seq", [0, -1, 99, 1 << 70])
def test_a_number_that_no_event_has_is_refused(dmm: Dmm, seq: int) -> None:
    with pytest.raises(LedgerRefused, match=f"there is no event {seq}$"):
        dmm.redactions.plan([1, seq])


def test_a_plan_tells_what_becomes_of_the_rules(dmm: Dmm) -> None:
    assert dmm.redactions.plan([1, 2]).effects == ()
    told = dmm.redactions.plan([3]).effects
    assert told == ("event 3 is an active constraint; it will no longer apply",)
    agent = dmm.as_actor(Actor("claude-code", "mcp", Trust.AGENT))
    agent.ledger.add_constraint("never run git reset --hard")
    dmm.ledger.accept_constraints([5])
    dmm.ledger.deactivate(3)
    assert dmm.redactions.plan([6]).effects == ("constraint 5 will be pending again",)
    assert dmm.redactions.plan([7]).effects == ("constraint 3 will be active again",)
