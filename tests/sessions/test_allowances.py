"""A call that a rule asks about is let through once where a person allowed it, and no other."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from dmm.clients.base import ASK_WITH
from dmm.errors import LedgerRefused, StorageError
from dmm.rules.allowances import Allowances
from dmm.rules.project_ledger import ProjectLedger
from dmm.rules.results import VerdictExplained
from dmm.sessions.payload import parse_payload
from dmm.sessions.reply import write_reply
from dmm.sessions.service import deliver

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Opener, Project
    from typer.testing import Result

    from dmm.bootstrap import Dmm
    from dmm.sessions.reply import Reply
    from dmm.sessions.service import Delivery

    RunDmm = Callable[..., Result]

PUSH = "git push origin main"


def call(number: int, command: str = PUSH, **more: str) -> Delivery:
    told = {"session_id": "s", "cwd": "/srv/shop", "hook_event_name": "PreToolUse"}
    done = {"tool_name": "Bash", "tool_input": {"command": command, **more}}
    payload = told | done | {"tool_use_id": f"t{number}"}
    return deliver(parse_payload("codex", json.dumps(payload).encode()))


def ask(dmm: Dmm, delivery: Delivery) -> Reply:
    return dmm.sessions.attend(delivery, dmm.sessions.judge(delivery.event)).reply


def last(dmm: Dmm) -> Any:
    return dmm.project_ledger.reading.latest(1)[0]


@pytest.fixture
def dmm(shop: Project, open_project: Opener) -> Dmm:
    opened = open_project(shop)
    opened.rules.add("Never push to main.", "ask")
    return opened


@pytest.fixture
def asked(dmm: Dmm) -> int:
    """The event of a push that was asked about."""
    assert ask(dmm, call(1)).decision == "ask"
    return int(last(dmm).seq)


def test_a_call_that_a_person_allowed_passes_once(dmm: Dmm, asked: int) -> None:
    dmm.rules.allow(asked)
    allowed = last(dmm).seq
    assert ask(dmm, call(2)).decision is None
    assert (last(dmm).get("verdict")["status"], last(dmm).get("allowed")) == ("ask", allowed)
    assert ask(dmm, call(3)).decision == "ask"
    explained = dmm.rules.explain(str(asked))
    assert isinstance(explained, VerdictExplained)
    assert explained.agrees


def test_a_permission_that_is_given_twice_is_one(dmm: Dmm, asked: int) -> None:
    dmm.rules.allow(asked)
    dmm.rules.allow(asked)
    assert [ask(dmm, call(number)).decision for number in (2, 3)] == [None, "ask"]


def test_a_command_that_would_be_refused_is_not_named(dmm: Dmm) -> None:
    assert ask(dmm, call(2)).way == f"dmm rules allow {last(dmm).seq}"
    record = dmm.project_ledger.record_of
    assert record is not None
    (record.state / "seal.key").write_bytes(b"damaged")
    for _ in range(2):
        # A second hook that delivers the same call is answered the same.
        assert (answer := ask(dmm, call(3))).decision == "ask"
        assert answer.way == ""
    with pytest.raises(LedgerRefused, match="does not say which call it was"):
        dmm.rules.show_asked(last(dmm).seq)


def test_no_other_call_passes(dmm: Dmm, asked: int) -> None:
    dmm.rules.allow(asked)
    for number, other in enumerate((f"{PUSH} --force", f"{PUSH}; ls", "git push origin HEAD:main")):
        assert ask(dmm, call(10 + number, other)).decision == "ask"
    assert ask(dmm, call(20, description="Push, as the user said")).decision is None


def test_what_the_record_leaves_out_is_a_part_of_the_call(dmm: Dmm) -> None:
    for number, (first, second) in enumerate(
        (
            (f"{PUSH}; : '<private>a</private>'", f"{PUSH}; : '<private>'; id; : '</private>'"),
            (f"{PUSH} # {'x' * 5_000}", f"{PUSH} # {'x' * 2_500}\nid\n# {'x' * 2_495}"),
        )
    ):
        assert ask(dmm, call(30 + number, first)).decision == "ask"
        allowed = dmm.rules.allow(last(dmm).seq)
        assert allowed.partial
        assert ask(dmm, call(40 + number, second)).decision == "ask"
        assert ask(dmm, call(50 + number, first)).decision is None


def test_what_a_tool_is_told_is_no_remark(dmm: Dmm) -> None:
    dmm.rules.add("Ask before changing tickets.", "ask", match=[{"tool": "mcp__jira__*"}])

    def update(number: int, text: str) -> Delivery:
        event = call(number).event
        told = event.changed(tool="mcp__jira__update", input={"id": "A-1", "description": text})
        return deliver(told)

    assert ask(dmm, update(60, "fix a typo")).decision == "ask"
    dmm.rules.allow(last(dmm).seq)
    assert ask(dmm, update(61, "delete everything")).decision == "ask"
    assert ask(dmm, update(62, "fix a typo")).decision is None


def test_a_rule_that_came_later_still_asks(dmm: Dmm, asked: int) -> None:
    dmm.rules.allow(asked)
    dmm.rules.add("Ask before running git push.", "ask", match=[{"command": "git push"}])
    assert ask(dmm, call(2)).decision == "ask"


def test_on_another_branch_it_is_another_call(
    dmm: Dmm, asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    dmm.rules.allow(asked)
    monkeypatch.setattr("dmm.sessions.service.find_branch", lambda _: "release")
    assert ask(dmm, call(2)).decision == "ask"


def test_a_permission_does_not_last(dmm: Dmm, asked: int) -> None:
    digest = dmm.rules.allow(asked).digest
    ledger = dmm.project_ledger
    for minutes, found in ((14, True), (16, False), (-1, False)):
        now = partial(dt.datetime.__add__, ledger.now(), dt.timedelta(minutes=minutes))
        later = replace(ledger, now=now)
        assert (Allowances(later).find(digest) is not None) is found


def test_what_can_not_be_recorded_as_used_does_not_pass(
    dmm: Dmm, asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    dmm.rules.allow(asked)

    def fail(*_: object) -> None:
        raise StorageError("no room left")

    with monkeypatch.context() as patched:
        patched.setattr(ProjectLedger, "record", fail)
        assert ask(dmm, call(2)).decision == "ask"
    assert ask(dmm, call(3)).decision is None


def test_two_hooks_are_answered_alike(dmm: Dmm, asked: int) -> None:
    dmm.rules.allow(asked)
    assert [ask(dmm, call(2)).decision for _ in range(2)] == [None, None]


def test_a_call_id_that_comes_again_is_no_second_permission(
    dmm: Dmm, asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dmm.sessions.service.TWICE_WITHIN", 0.0)
    dmm.rules.allow(asked)
    assert [ask(dmm, call(1)).decision for _ in range(3)] == [None, "ask", "ask"]


def test_another_call_with_the_id_of_an_allowed_one_is_judged_by_itself(
    dmm: Dmm, asked: int
) -> None:
    dmm.rules.add("Never run terraform destroy.")
    dmm.rules.allow(asked)
    assert ask(dmm, call(2)).decision is None
    assert ask(dmm, call(2, "terraform destroy")).decision == "deny"
    assert ask(dmm, call(2, f"{PUSH} --force")).decision == "ask"


def test_only_a_call_that_was_asked_about_can_be_allowed(dmm: Dmm, asked: int) -> None:
    dmm.rules.add("Never run terraform destroy.")
    assert ask(dmm, call(2, "terraform destroy")).decision == "deny"
    for seq in (last(dmm).seq, asked - 1, 99):
        with pytest.raises(LedgerRefused, match="not a call that a rule asked about"):
            dmm.rules.allow(seq)
    dmm.sessions.make_up(call(3), "ask-0")
    with pytest.raises(LedgerRefused, match="does not say which call"):
        dmm.rules.allow(last(dmm).seq)


def test_an_agent_can_not_allow_its_own_call(dmm: Dmm, asked: int, shop: Project) -> None:
    agent = dmm.as_actor(call(1).actor)
    with pytest.raises(LedgerRefused, match="an agent can't allow a call"):
        agent.rules.allow(asked)
    assert ask(dmm, call(2, f"dmm rules allow {asked} --yes")).decision == "ask"


def test_a_client_that_can_not_ask_names_the_command(dmm: Dmm) -> None:
    delivery = call(1)
    told = write_reply(delivery.event, ask(dmm, delivery)).decode()
    assert ASK_WITH.format(way=f"dmm rules allow {last(dmm).seq}") in told


def test_odd_arguments_are_asked_about_all_the_same(dmm: Dmm) -> None:
    delivery = call(1)
    odd = {"command": PUSH, "x": float("nan"), "y": "\ud800", "z": [[[[[[[{}]]]]]]]}
    event = delivery.event.changed(input=odd)
    assert ask(dmm, replace(delivery, event=event)).decision == "ask"
