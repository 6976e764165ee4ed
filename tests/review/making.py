"""Proposals, their surroundings and memory files, made short for tests."""

from __future__ import annotations

import datetime as dt
from typing import Any

from dmm.domain.event import Trust
from dmm.domain.proposal import Check, CheckName, Edit, Operation, Outcome, Proposal
from dmm.review.checks import run_checks
from dmm.review.surroundings import Neighbour, Surroundings

TODAY = dt.date(2026, 6, 1)
BODY = """\
# Refunds go through the ledger

A refund is never paid from the payment module itself. The payment module writes a refund entry to
the ledger, and the nightly settlement pays what the ledger holds.

## Why

Two years ago refunds were paid at once, and a retry after a timeout paid some of them twice. The
ledger has a unique key for each refund, so a second entry for the same refund is refused by the
database, whatever the payment provider answers.

## What to do

Call `ledger.add_refund(order, amount)` and return the number of the entry to the caller. Test it
with the fixture `settled_order`. A refund that is missing after the settlement is in the table
`refund_failures`, with the answer of the provider.
"""


def file_text(body: str = BODY, **fields: str) -> str:
    front = {
        "id": "mem_2026_06_01_001",
        "tags": "[refund, payment, ledger]",
        "scope": "project",
        "priority": "0.5",
        "confidence": "active",
        "status": "active",
    } | fields
    lines = [f"{name}: {value}" for name, value in front.items() if value]
    return "\n".join(["---", *lines, "---", "", body])


def propose(
    text: str | None = None,
    path: str = "project/billing/refunds.md",
    before: str | None = None,
    **changes: Any,
) -> Proposal:
    text = file_text() if text is None else text
    operation = Operation.CREATE if before is None else Operation.UPDATE
    values: dict[str, Any] = {
        "seq": 10,
        "operation": operation,
        "edits": (Edit(path, before, text),),
        "reason": "learnt while looking for refunds that were paid twice",
        "proposer": "claude",
        "source": "mcp",
        "trust": Trust.AGENT,
        "at": "2026-06-01T10:00:00Z",
        "session": "s-1",
    }
    return Proposal(**(values | changes))


def surround(**changes: Any) -> Surroundings:
    values: dict[str, Any] = {"count": lambda text: 2 * len(text.split()) + 100, "today": TODAY}
    return Surroundings(**(values | changes))


def near(body: str = BODY, **changes: Any) -> Neighbour:
    values: dict[str, Any] = {
        "path": "project/billing/old.md",
        "id": "mem_2026_01_01_007",
        "title": "Refunds",
        "body": body,
        "similarity": 0.5,
    }
    return Neighbour(**(values | changes))


def check(name: CheckName, proposal: Proposal, **around: Any) -> Check:
    return next(one for one in run_checks(proposal, surround(**around)) if one.name is name)


def all_pass() -> tuple[Check, ...]:
    return tuple(Check(name, Outcome.PASS, "fine") for name in CheckName)
