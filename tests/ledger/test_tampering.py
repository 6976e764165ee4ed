"""A ledger that was changed outside DMM is found when it is next opened, without a command."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import apsw
import pytest

from dmm.domain.event import EventType
from dmm.errors import LedgerBroken, LedgerRefused, UsageError
from dmm.eventlog import proof
from dmm.eventlog import replay as replaying
from dmm.eventlog.chain import GENESIS, Head, hash_payload, link
from dmm.eventlog.place import find_ledger
from dmm.eventlog.replay import pack
from dmm.eventlog.state import CODE, State
from dmm.rules.commands.calls import ToolCall
from dmm.rules.guard import Guard

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Opener, Project

    from dmm.bootstrap import Dmm
    from dmm.eventlog.mark import RulesMark


RULE = "never run git push --force"
FORCE = ToolCall("Bash", {"command": "git push --force"})
COLUMNS = "seq, id, type, version, at, actor, source, trust, session, caused_by, refs"


def change(path: Path, *statements: str) -> None:
    connection = apsw.Connection(str(path))
    made = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    triggers = made.fetchall()
    for name, _ in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        connection.execute(statement)
    for _, sql in triggers:
        connection.execute(str(sql))
    connection.pragma("wal_checkpoint", "TRUNCATE")
    connection.close()


def forge(path: Path, start: int) -> None:
    """Write the chain anew from an event on, so that it is valid again."""
    connection = apsw.Connection(str(path))
    rows = connection.execute(f"SELECT {COLUMNS}, payload FROM events ORDER BY seq").fetchall()
    connection.close()
    before, statements = GENESIS, []
    row: tuple[Any, ...]
    for row in rows:
        digest = hash_payload(row[-1])
        before = link(before, (*row[:-1], digest))
        if row[0] >= start:
            statements.append(
                f"UPDATE events SET payload_hash = '{digest}', hash = '{before}'"
                f" WHERE seq = {row[0]}"
            )
    change(path, *statements)


def cut_tail(path: Path, _: Path) -> None:
    change(path, "DELETE FROM events WHERE seq > 4")


def cut_one(path: Path, _: Path) -> None:
    change(path, "DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)")


def cut_middle(path: Path, _: Path) -> None:
    change(path, "DELETE FROM events WHERE seq = 3")


def put_back(path: Path, older: Path) -> None:
    for end in ("-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)
    shutil.copy(older, path)


def empty(path: Path, _: Path) -> None:
    change(path, "DELETE FROM events")


def forge_rule(path: Path, _: Path) -> None:
    change(path, "UPDATE events SET payload = replace(payload, 'never', 'maybe') WHERE seq = 1")
    forge(path, 1)


def forge_later(path: Path, _: Path) -> None:
    change(path, "UPDATE events SET payload = '{}' WHERE seq = 2")
    forge(path, 2)


def lift_by_forging(path: Path, _: Path) -> None:
    change(
        path,
        """UPDATE events SET type = 'ConstraintDeactivated', payload = '{"seq":1}' WHERE seq = 5""",
    )
    forge(path, 5)


def edit_rule(path: Path, _: Path) -> None:
    change(path, "UPDATE events SET payload = replace(payload, 'never', 'maybe') WHERE seq = 1")


def lift_by_editing(path: Path, _: Path) -> None:
    change(
        path,
        """UPDATE events SET type = 'ConstraintDeactivated', payload = '{"seq":1}' WHERE seq = 5""",
    )


def forge_link(path: Path, seq: int) -> None:
    """Give one event the hash that follows from the one before; the one after it is left."""
    connection = apsw.Connection(str(path))
    select = "SELECT hash FROM events WHERE seq = ?"
    before = str(next(connection.execute(select, (seq - 1,)), (GENESIS,))[0])
    select = f"SELECT {COLUMNS}, payload FROM events WHERE seq = ?"
    row: tuple[Any, ...] = next(connection.execute(select, (seq,)))
    connection.close()
    digest = hash_payload(row[-1])
    told = link(before, (*row[:-1], digest))
    change(path, f"UPDATE events SET payload_hash = '{digest}', hash = '{told}' WHERE seq = {seq}")


def lift_by_one_forged_event(path: Path, _: Path) -> None:
    lift_by_editing(path, _)
    forge_link(path, 5)


def lift_by_one_forged_event_of_old(path: Path, _: Path) -> None:
    change(
        path,
        """UPDATE events SET type = 'ConstraintDeactivated', payload = '{"seq":1}' WHERE seq = 3""",
    )
    forge_link(path, 3)


def blank_rule(path: Path, _: Path) -> None:
    change(path, "UPDATE events SET payload = NULL WHERE seq = 1")


def blank_rule_with_an_excuse(path: Path, _: Path) -> None:
    change(
        path,
        "UPDATE events SET payload = NULL WHERE seq = 1",
        """UPDATE events SET type = 'PayloadRedacted', payload = '{"seq":1}' WHERE seq = 5""",
    )
    forge_link(path, 5)


def hide_rule(path: Path, _: Path) -> None:
    change(path, "UPDATE events SET type = 'ToolUsed' WHERE seq = 2")


def hide_rule_and_what_was_noted(path: Path, _: Path) -> None:
    hide_rule(path, _)
    change(path, f"UPDATE events SET hash = '{'f' * 64}' WHERE seq = 7")


TAMPERING = [
    *(cut_tail, cut_one, cut_middle, put_back, empty),
    *(forge_rule, forge_later, lift_by_forging, edit_rule, lift_by_editing),
    *(lift_by_one_forged_event, lift_by_one_forged_event_of_old),
    *(blank_rule, blank_rule_with_an_excuse, hide_rule),
]


@pytest.fixture
def ruled(shop: Project, open_project: Opener, tmp_path: Path) -> Path:
    """A project with two rules and some facts; gives an older copy of its ledger."""
    dmm = open_project(shop)
    dmm.ledger.add_constraint(RULE)
    dmm.ledger.add_constraint("never run npm publish")
    for number in range(2):
        dmm.ledger.add_fact(f"k{number}", "v")
    older = tmp_path / "older.db"
    dmm.audit.backup(older)
    for number in range(3):
        dmm.ledger.add_fact(f"later{number}", "v")
    dmm.close()
    return older


@pytest.mark.parametrize("tamper", TAMPERING, ids=lambda one: one.__name__)
def test_it_is_found_at_the_next_open_and_takes_no_rule_away(
    shop: Project, open_project: Opener, ruled: Path, tamper: Callable[[Path, Path], None]
) -> None:
    path = find_ledger(shop.dmm)
    tamper(path, ruled)
    before = path.read_bytes()
    dmm = open_project(shop)
    with pytest.raises((LedgerRefused, LedgerBroken)) as raised:
        dmm.project_ledger.state()
    assert raised.value.hint is not None
    assert "dmm ledger restore" in raised.value.hint
    briefing = dmm.sessions.find_briefing().write()
    assert "the constraints could not be read" in briefing
    assert not dmm.audit.verify().valid
    dmm.close()
    assert path.read_bytes() == before


def test_an_untouched_ledger_is_opened_again_and_again(
    shop: Project, open_project: Opener, ruled: Path
) -> None:
    for _ in range(3):
        dmm = open_project(shop)
        assert Guard(dmm.project_ledger).rule(FORCE).denied
        dmm.ledger.add_fact("x", "y")
        assert dmm.audit.verify().valid
        dmm.close()


SINCE_NOTED = [
    *(blank_rule, blank_rule_with_an_excuse, hide_rule, hide_rule_and_what_was_noted),
    *(lift_by_editing, lift_by_one_forged_event, lift_by_one_forged_event_of_old),
]


def find_note(dmm: Dmm) -> RulesMark:
    record = dmm.project_ledger.record_of
    assert record is not None
    assert record.kept is not None
    return record.mark(record.kept[0]).rules


def noted_at(note: RulesMark) -> Head:
    noted = note.read()
    assert noted is not None
    return noted[0]


@pytest.mark.parametrize("tamper", SINCE_NOTED, ids=lambda one: one.__name__)
def test_the_rules_on_file_stay_when_rules_that_were_noted_are_changed(
    shop: Project, open_project: Opener, ruled: Path, tamper: Callable[[Path, Path], None]
) -> None:
    dmm = open_project(shop)
    find_note(dmm).path.unlink()
    assert dmm.published.publish()
    noted = find_note(dmm).read()
    assert noted_at(find_note(dmm)).seq == 7
    dmm.ledger.add_fact("after", "the note")
    before = dmm.published.files.read(str(shop.dmm))
    dmm.close()
    tamper(find_ledger(shop.dmm), ruled)
    dmm = open_project(shop)
    for _ in range(2):
        with pytest.raises(LedgerBroken):
            dmm.published.publish()
    assert dmm.published.files.read(str(shop.dmm)) == before
    assert b"npm publish" in (before or b"")
    assert find_note(dmm).read() == noted


def test_a_rule_that_was_redacted_is_gone_and_the_ledger_stays_usable(
    shop: Project, open_project: Opener, ruled: Path
) -> None:
    held = open_project(shop)
    assert Guard(held.project_ledger).rule(FORCE).denied
    dmm = open_project(shop)
    assert Guard(dmm.project_ledger).rule(FORCE).denied
    dmm.redactions.redact([1], "leaked")
    for one in (held, dmm, open_project(shop)):
        assert not Guard(one.project_ledger).rule(FORCE).denied
        assert one.audit.verify().valid


def test_what_was_noted_of_the_rules_may_be_lost_or_be_that_of_another_time(
    shop: Project, open_project: Opener, ruled: Path
) -> None:
    dmm = open_project(shop)
    note, head = find_note(dmm), dmm.project_ledger.reading.head()
    assert note.path.stat().st_mode & 0o777 == 0o600
    mark = note.path.with_suffix("").read_bytes()
    for data in (None, b"", b"no line", mark):
        note.path.unlink()
        if data is not None:
            note.path.write_bytes(data)
        dmm.close()
        dmm = open_project(shop)
        assert Guard(dmm.project_ledger).rule(FORCE).denied
        assert noted_at(note) == head
    note.note(Head(3, "f" * 64), "f" * 64)
    dmm.close()
    assert Guard(open_project(shop).project_ledger).rule(FORCE).denied
    assert noted_at(note) == head


def test_an_event_that_is_not_kept_is_not_noted(
    shop: Project, open_project: Opener, ruled: Path
) -> None:
    dmm = open_project(shop)
    find_note(dmm).path.unlink()
    draft = dmm.project_ledger.draft_of(EventType.CONSTRAINT_DEACTIVATED, {"seq": 1})

    def give_up() -> None:
        with dmm.project_ledger.log.writing() as writer:
            writer.append(draft)
            assert len(dmm.project_ledger.state().in_force) == 1
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        give_up()
    assert Guard(dmm.project_ledger).rule(FORCE).denied
    dmm.close()
    assert Guard(open_project(shop).project_ledger).rule(FORCE).denied


def test_rules_are_noted_anew_after_many_events_and_by_whoever_reads_them(
    shop: Project, open_project: Opener, ruled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proof, "NOTED_EVERY", 3)
    one, other = open_project(shop), open_project(shop)
    for number in range(8):
        for dmm in (one, other):
            dmm.ledger.add_fact("n", str(number))
            assert Guard(dmm.project_ledger).rule(FORCE).denied
    assert one.project_ledger.reading.head().seq - noted_at(find_note(one)).seq < 3
    one.close()
    assert Guard(open_project(shop).project_ledger).rule(FORCE).denied


def test_a_cut_tail_is_told_by_what_was_noted_of_it(
    shop: Project, open_project: Opener, ruled: Path
) -> None:
    cut_one(find_ledger(shop.dmm), ruled)
    dmm = open_project(shop)
    told = dmm.audit.verify()
    reason = "event 7 was noted in the user's state folder, but the log ends at 6"
    assert (told.first_bad_seq, told.reason, told.anchors) == (7, reason, 0)


def test_what_was_noted_is_not_counted_as_an_anchor(
    shop: Project, open_project: Opener, ruled: Path
) -> None:
    dmm = open_project(shop)
    assert dmm.audit.verify(anchor=True).anchors == 0
    assert dmm.audit.verify().anchors == 1


def test_states_that_were_sealed_with_a_key_that_is_lost_are_made_anew(
    shop: Project, open_project: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replaying, "EVERY", 4)
    dmm = open_project(shop)
    dmm.ledger.add_constraint(RULE)
    for number in range(8):
        dmm.ledger.add_fact(f"k{number}", "v")
    dmm.project_ledger.state()
    record = dmm.project_ledger.record_of
    assert record is not None
    dmm.close()
    (record.state / "seal.key").unlink()
    again = open_project(shop)
    assert Guard(again.project_ledger).rule(FORCE).denied
    assert again.project_ledger.wrong_snapshots == ()
    assert again.audit.verify().valid
    assert [seq for seq, _ in again.project_ledger.reading.snapshots(CODE)] == [4, 8]


def test_a_changed_snapshot_is_not_used_it_is_told_and_it_stays(
    shop: Project, open_project: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replaying, "EVERY", 4)
    dmm = open_project(shop)
    dmm.ledger.add_constraint(RULE)
    for number in range(8):
        dmm.ledger.add_fact(f"k{number}", "v")
    dmm.project_ledger.state()
    dmm.close()
    lie = pack(State(seq=8)).hex()
    path = find_ledger(shop.dmm)
    change(path, f"UPDATE snapshots SET state = x'{lie}' WHERE seq = 8")
    again = open_project(shop)
    assert Guard(again.project_ledger).rule(FORCE).denied
    assert again.project_ledger.wrong_snapshots == (8,)
    assert "the stored state at event 8 was changed" in again.sessions.find_briefing().write()
    for _ in range(2):
        told = again.audit.verify()
        assert (told.valid, told.wrong_snapshots) == (False, (8,))
    again.close()


def test_a_backup_is_made_once_a_change_compressed_private_and_few_are_kept(
    shop: Project, open_project: Opener, ruled: Path
) -> None:
    dmm = open_project(shop)
    made = dmm.backups.make()
    assert made is not None
    assert dmm.backups.make() is None
    assert made.path.stat().st_mode & 0o777 == 0o600
    assert made.path.parent.stat().st_mode & 0o777 == 0o700
    assert made.bytes < find_ledger(shop.dmm).stat().st_size
    for number in range(5):
        dmm.ledger.add_fact("x", str(number))
        dmm.backups.make()
    assert [one.seq for one in dmm.backups.find()] == [12, 11, 10]


@pytest.mark.parametrize(
    "tamper", [*TAMPERING, None], ids=lambda one: getattr(one, "__name__", "gone")
)
def test_a_backup_is_put_back_and_what_it_lacks_is_told(
    shop: Project,
    open_project: Opener,
    ruled: Path,
    tamper: Callable[[Path, Path], None] | None,
) -> None:
    dmm = open_project(shop)
    dmm.backups.make()
    dmm.ledger.add_fact("after", "the backup")
    dmm.close()
    path = find_ledger(shop.dmm)
    if tamper is None:
        path.unlink()
    else:
        tamper(path, ruled)
    dmm = open_project(shop)
    told = dmm.backups.restore()
    assert (told.seq, told.missing) == (7, 1)
    assert (told.aside is None) is (tamper is None)
    assert Guard(dmm.project_ledger).rule(FORCE).denied
    assert dmm.audit.verify().valid
    last = dmm.project_ledger.reading.event(8)
    assert last is not None
    assert (last.type, last.get("missing")) == (EventType.LEDGER_RESTORED, 1)
    dmm.close()
    assert open_project(shop).ledger.add_fact("go", "on").seq == 9


def test_a_whole_ledger_is_not_replaced(shop: Project, open_project: Opener, ruled: Path) -> None:
    dmm = open_project(shop)
    dmm.backups.make()
    with pytest.raises(LedgerRefused, match="the ledger is intact"):
        dmm.backups.restore()
    with pytest.raises(UsageError, match="there is no such backup"):
        dmm.backups.restore(shop.folder / "nowhere.gz")


def test_only_a_whole_backup_of_this_very_ledger_is_put_back(
    shop: Project,
    open_project: Opener,
    ruled: Path,
    new_project: Callable[[str], Project],
    tmp_path: Path,
) -> None:
    other = open_project(new_project("other"))
    other.ledger.add_fact("a", "b")
    other.audit.backup(tmp_path / "other.db")
    find_ledger(shop.dmm).unlink()
    dmm = open_project(shop)
    with pytest.raises(LedgerRefused, match="there is no backup"):
        dmm.backups.restore()
    with pytest.raises(LedgerRefused, match="not a backup of the ledger that was written here"):
        dmm.backups.restore(tmp_path / "other.db")
    change(ruled, "UPDATE events SET payload = '{}' WHERE seq = 2")
    with pytest.raises(LedgerBroken, match="not valid"):
        dmm.backups.restore(ruled)
    (tmp_path / "cut.db.gz").write_bytes(b"\x1f\x8b\x08\x00")
    with pytest.raises(LedgerBroken, match="damaged"):
        dmm.backups.restore(tmp_path / "cut.db.gz")
    assert not find_ledger(shop.dmm).exists()
    assert [path.name for path in shop.dmm.glob(".ledger*")] == []
