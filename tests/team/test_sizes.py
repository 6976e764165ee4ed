"""However much reviewers say, every laptop can read the log, and give it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.team.test_approvals import LIFTED, RULE, Reviewer
from tests.team.test_log import read_all

from dmm.domain.event import canonical
from dmm.server.body import LARGEST_BODY
from dmm.team import sharing
from dmm.team.client import LARGEST_ANSWER
from dmm.team.port import MOST_WRITTEN, Page, Taken
from dmm.team.proofs import PROOF
from dmm.team.receiving import page_lost

if TYPE_CHECKING:
    from tests.team.conftest import Hall

# What a payload of quotes needs to grow fourfold: it is JSON within JSON.
QUOTES = '"' * 8_180


def test_words_do_not_take_the_room_of_a_proof(hall: Hall) -> None:
    eve = Reviewer(hall, hall.join("reviewer"))
    assert "can say at most 16 KiB" in eve.push({"of": '"' * 16_000}, LIFTED)
    proof = eve.prove(RULE)[0][PROOF]
    assert "can say at most 16 KiB" in eve.push({"of": '"' * 8_192, PROOF: proof}, LIFTED)
    # A proof comes on top of what is said.
    assert eve.push({"of": QUOTES, PROOF: proof}, LIFTED) == ""


@pytest.mark.parametrize("before", [True, False])
def test_a_page_is_never_larger_than_what_a_laptop_reads(
    hall: Hall, monkeypatch: pytest.MonkeyPatch, before: bool
) -> None:
    eve, ben = hall.join("reviewer"), hall.join("reader")
    size = len(QUOTES)
    if before:
        # A server that did not look at the words has taken these.
        monkeypatch.setattr("dmm.team.admission.MAX_WORDS", sharing.MAX_PAYLOAD)
        size = (sharing.MAX_PAYLOAD >> 1) - 10
    for number in range(200):
        eve.tell(LIFTED, {"of": QUOTES[:1] * size}, f"lift-{number}")
    for start in range(1, 201, 50):
        assert eve.log.push(eve.batch(start, start + 49)) == Taken(start + 50)
    monkeypatch.undo()
    events = read_all(ben)
    assert [one.entry for one in events[2:]] == eve.said
    page = ben.log.pull(0)
    assert isinstance(page, Page)
    assert 2 < len(page.placed) < len(events)
    assert sum(len(canonical(one.entry.payload)) for one in page.placed) <= MOST_WRITTEN + 1_024
    assert MOST_WRITTEN < LARGEST_BODY < LARGEST_ANSWER
    parts = list(page_lost(events, page.head))
    assert [one for lost in parts for one in lost.placed] == events
    assert len(parts[0].placed) + len(parts[0].rest) == len(events)
    assert parts[-1].rest == ()
