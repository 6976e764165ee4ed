"""Sessions of agents: told, ruled on, recorded once, and never opened by a fault."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from dmm.errors import LedgerBroken, StorageError
from dmm.rules.project_ledger import ProjectLedger
from dmm.sessions.payload import parse_payload
from dmm.sessions.service import Attended, Delivery, deliver
from dmm.sessions.supplement import supplement

if TYPE_CHECKING:
    from tests.conftest import Opener, Project

    from dmm.bootstrap import Dmm

PASSWORD = "s3cr3tPassw0rdX9"


def delivered(event: str, name: str = "", **fields: Any) -> Delivery:
    told = {"session_id": "s", "cwd": "/srv/shop", "hook_event_name": event} | fields
    return deliver(parse_payload("claude-code", json.dumps(told).encode()), name)


def call(command: str, number: int = 1) -> Delivery:
    return delivered(
        "PreToolUse", tool_name="Bash", tool_input={"command": command}, tool_use_id=f"t{number}"
    )


@pytest.fixture
def dmm(shop: Project, open_project: Opener) -> Dmm:
    opened = open_project(shop)
    opened.ledger.add_constraint("never run git push --force")
    return opened


def attend(dmm: Dmm, delivery: Delivery) -> Attended:
    event = delivery.event
    ruling = dmm.sessions.judge(event) if event.tool and "Pre" in event.event else None
    return dmm.sessions.attend(delivery, ruling)


def fail_to_record(*_: object) -> None:
    raise StorageError("no room left")


def test_what_is_forbidden_stays_so_where_nothing_can_be_recorded(
    dmm: Dmm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ProjectLedger, "record", fail_to_record)
    told = attend(dmm, call("git push --force"))
    assert (told.reply.decision, told.kept) == ("deny", False)
    assert "never run git push --force" in told.reply.reason
    begun = attend(dmm, delivered("SessionStart", source="startup"))
    assert "Card numbers never reach our server" in begun.reply.context
    assert not begun.kept


def test_the_reasons_of_a_verdict_hold_no_secret_of_the_call(dmm: Dmm) -> None:
    for number, command in enumerate(
        (
            f"git push --force https://u:{PASSWORD}@host/repo",
            f"PGPASSWORD={PASSWORD} git push --force",
        )
    ):
        assert attend(dmm, call(command, number)).reply.decision == "deny"
    events = [event.payload for event in dmm.project_ledger.log.events()]
    assert PASSWORD not in json.dumps(events)
    verdict = events[-1] and events[-1]["verdict"]
    assert verdict is not None
    assert verdict["status"] == "deny"


def test_an_event_of_two_hooks_is_recorded_once_and_answered_twice(dmm: Dmm) -> None:
    first, second = (attend(dmm, call("git push --force")) for _ in range(2))
    assert first == second
    starts = [attend(dmm, delivered("SessionStart", f"d{n}", source="resume")) for n in range(2)]
    assert starts[0].reply == starts[1].reply
    assert starts[0].reply.context
    types = [event.type for event in dmm.project_ledger.log.events()]
    assert types.count("ToolRequested") == types.count("SessionStarted") == 1


def test_the_same_words_later_are_another_event(dmm: Dmm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dmm.sessions.service.TWICE_WITHIN", 0.0)
    for number in range(3):
        attend(dmm, delivered("UserPromptSubmit", f"d{number}", prompt="continue"))
    types = [event.type for event in dmm.project_ledger.log.events()]
    assert types.count("UserMessageReceived") == 3


def test_what_was_delivered_and_kept_too_is_recorded_once(dmm: Dmm) -> None:
    for fields in ({"prompt": "continue"}, {"prompt": f"password={PASSWORD}"}):
        delivery = delivered("UserPromptSubmit", f"d{len(fields['prompt'])}", **fields)
        attend(dmm, delivery)
        dmm.sessions.make_up(delivery)
    late = delivered("Stop", "d9", last_assistant_message="done")
    dmm.sessions.make_up(late)
    dmm.sessions.make_up(late)
    kept = [event for event in dmm.project_ledger.log.events() if event.type != "ConstraintAdded"]
    assert [event.type for event in kept] == [
        *("UserMessageReceived", "UserMessageReceived", "TurnEnded"),
    ]
    assert [event.get("late") for event in kept] == [None, None, True]


def test_one_request_among_others_is_found(dmm: Dmm) -> None:
    alone = supplement(dmm.packs, "how many failed login attempts are allowed", frozenset())
    assert "project/auth/login_throttle.md" in [entry.path for entry in alone.entries]
    among = supplement(
        dmm.packs,
        "Please tidy the imports first. How many failed login attempts are allowed? "
        "Then write a short note for the changelog; keep it friendly.",
        frozenset(),
    )
    assert "project/auth/login_throttle.md" in [entry.path for entry in among.entries]
    assert supplement(dmm.packs, "thanks, that is fine. go on please!", frozenset()).entries == ()


def test_rules_that_can_not_be_read_are_an_error_and_a_session_is_told(
    shop: Project, open_project: Opener
) -> None:
    first = open_project(shop)
    first.ledger.add_constraint("never run git push --force")
    first.close()
    (shop.dmm / "ledger.db").write_bytes(b"no database at all" * 300)
    for log in ("ledger.db-wal", "ledger.db-shm"):
        (shop.dmm / log).unlink(missing_ok=True)
    dmm = open_project(shop)
    with pytest.raises(LedgerBroken):
        attend(dmm, call("git push --force"))
    begun = attend(dmm, delivered("SessionStart", source="startup"))
    assert "Card numbers never reach our server" in begun.reply.context
    assert "Notice: the constraints could not be read" in begun.reply.context


@pytest.mark.parametrize("prompt", ["x", "commit my changes", "continue", "fix it", "run it again"])
def test_a_vague_prompt_brings_nothing(dmm: Dmm, prompt: str) -> None:
    assert supplement(dmm.packs, prompt, frozenset()).entries == ()
