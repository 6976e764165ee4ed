"""A leaked payload is blanked everywhere, and the chain stays valid."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from dmm.domain.event import EventType, Trust
from dmm.errors import LedgerRefused, UsageError
from dmm.ledger.place import find_ledger
from dmm.policy.commands.calls import ToolCall
from dmm.service.chronicle import Voice
from dmm.service.guard import Guard

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Opener, Project

    from dmm.bootstrap import Dmm

# No pattern would know it for a secret.
LEAKED = 'the "blue" horse\nof Ülm'


@pytest.fixture
def dmm(shop: Project, open_project: Opener) -> Dmm:
    opened = open_project(shop)
    opened.ledger.add_fact("before", "harmless")
    opened.chronicle.record(
        opened.chronicle.draft(EventType.TOOL_USED, {"tool": "Bash", "output": f"it is {LEAKED}!"})
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
    assert told["redacted"] == [2, 4]
    assert told["events"] == [5, 6]
    dmm.close()
    assert holding(shop.folder) == []
    assert holding(home) == []
    assert find_ledger(shop.dmm).exists()


def test_the_rest_of_the_ledger_goes_on(dmm: Dmm, shop: Project, open_project: Opener) -> None:
    dmm.redactions.redact([2, 4], "it leaked")
    verified = dmm.audit.verify()
    assert (verified["valid"], verified["blanked"], verified["events"]) == (True, 2, 6)
    assert Guard(dmm.chronicle).rule(ToolCall("Bash", {"command": "git push --force"})).denied
    assert set(dmm.ledger.get_memory_context()["facts"]) == {"before"}
    dmm.close()
    again = open_project(shop)
    assert again.audit.verify()["valid"]
    assert [one.seq for one in again.backups.find()] == [6]


def test_what_waits_to_be_recorded_is_deleted_too(dmm: Dmm, home: Path) -> None:
    spool = home / ".local" / "state" / "dmm" / "spool"
    spool.mkdir(parents=True, exist_ok=True)
    (spool / "1.event").write_text(f"DMM1 codex 5\n/p\n{LEAKED}")
    (spool / "2.event").write_text("DMM1 codex 5\n/p\nharmless")
    assert dmm.redactions.redact([], "it leaked", LEAKED)["dropped"] == 1
    assert [path.name for path in spool.glob("*.event")] == ["2.event"]


def test_only_a_person_redacts_and_only_events_that_are_there(dmm: Dmm) -> None:
    with pytest.raises(LedgerRefused, match="there is no event 99"):
        dmm.redactions.redact([2, 99], "it leaked")
    assert dmm.audit.verify()["blanked"] == 0
    dmm.chronicle.voice = Voice("claude-code", "mcp", Trust.AGENT)
    with pytest.raises(LedgerRefused, match="an agent can't redact"):
        dmm.redactions.redact([2], "it leaked")
