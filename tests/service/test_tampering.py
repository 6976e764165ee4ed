"""A ledger that was changed outside DMM is found when it is next opened, without a command."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import apsw
import pytest

from dmm.domain.event import EventType
from dmm.errors import LedgerBroken, LedgerRefused
from dmm.ledger import replay as replaying
from dmm.ledger.chain import GENESIS, hash_payload, link
from dmm.ledger.place import find_ledger
from dmm.ledger.snapshots import pack
from dmm.ledger.state import State
from dmm.policy.commands.calls import ToolCall
from dmm.service.guard import Guard

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Opener, Project


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


TAMPERING = [
    *(cut_tail, cut_one, cut_middle, put_back, empty),
    *(forge_rule, forge_later, lift_by_forging, edit_rule, lift_by_editing),
]


@pytest.fixture
def ruled(shop: Project, open_project: Opener, tmp_path: Path) -> Path:
    """A project with a rule and some facts; gives an older copy of its ledger."""
    dmm = open_project(shop)
    dmm.ledger.add_constraint(RULE)
    for number in range(3):
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
        dmm.chronicle.state()
    assert raised.value.hint is not None
    assert "dmm ledger restore" in raised.value.hint
    briefing = dmm.sessions.find_briefing().write()
    assert "the constraints could not be read" in briefing
    assert not dmm.audit.verify()["valid"]
    dmm.close()
    assert path.read_bytes() == before


def test_an_untouched_ledger_is_opened_again_and_again(
    shop: Project, open_project: Opener, ruled: Path
) -> None:
    for _ in range(3):
        dmm = open_project(shop)
        assert Guard(dmm.chronicle).rule(FORCE).denied
        dmm.ledger.add_fact("x", "y")
        assert dmm.audit.verify()["valid"]
        dmm.close()


def test_a_changed_snapshot_is_not_used_it_is_told_and_it_stays(
    shop: Project, open_project: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replaying, "EVERY", 4)
    dmm = open_project(shop)
    dmm.ledger.add_constraint(RULE)
    for number in range(8):
        dmm.ledger.add_fact(f"k{number}", "v")
    dmm.chronicle.state()
    dmm.close()
    lie = pack(State(seq=8)).hex()
    path = find_ledger(shop.dmm)
    change(path, f"UPDATE snapshots SET state = x'{lie}' WHERE seq = 8")
    again = open_project(shop)
    assert Guard(again.chronicle).rule(FORCE).denied
    assert again.chronicle.wrong_snapshots == (8,)
    assert "the stored state at event 8 was changed" in again.sessions.find_briefing().write()
    for _ in range(2):
        told = again.audit.verify()
        assert (told["valid"], told["wrong_snapshots"]) == (False, [8])
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
    assert made.size < find_ledger(shop.dmm).stat().st_size
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
    assert (told["seq"], told["missing"]) == (7, 1)
    assert (told["aside"] is None) is (tamper is None)
    assert Guard(dmm.chronicle).rule(FORCE).denied
    assert dmm.audit.verify()["valid"]
    last = dmm.chronicle.reading.event(8)
    assert last is not None
    assert (last.type, last.get("missing")) == (EventType.LEDGER_RESTORED, 1)
    dmm.close()
    assert open_project(shop).ledger.add_fact("go", "on")["seq"] == 9


def test_a_whole_ledger_is_not_replaced(shop: Project, open_project: Opener, ruled: Path) -> None:
    dmm = open_project(shop)
    dmm.backups.make()
    with pytest.raises(LedgerRefused, match="the ledger is whole"):
        dmm.backups.restore()


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
    with pytest.raises(LedgerRefused, match="no backup of the ledger that was written here"):
        dmm.backups.restore(tmp_path / "other.db")
    change(ruled, "UPDATE events SET payload = '{}' WHERE seq = 2")
    with pytest.raises(LedgerBroken, match="not valid"):
        dmm.backups.restore(ruled)
    (tmp_path / "cut.db.gz").write_bytes(b"\x1f\x8b\x08\x00")
    with pytest.raises(LedgerBroken, match="damaged"):
        dmm.backups.restore(tmp_path / "cut.db.gz")
    assert not find_ledger(shop.dmm).exists()
    assert [path.name for path in shop.dmm.glob(".ledger*")] == []
