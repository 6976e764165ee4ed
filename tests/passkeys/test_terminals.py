"""Commands that wait for a passkey: nobody who asks more keeps another from deciding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.errors import ProofRefused
from dmm.passkeys.acts import Act
from dmm.passkeys.service import MOST_OF_TERMINALS, Asker, Persons
from dmm.passkeys.webauthn import Place

if TYPE_CHECKING:
    from pathlib import Path

NAME = "dmm-0a1b2c3d.localhost"
ACT = Act("terminal", "/srv/shop$ dmm trust --yes")


@pytest.fixture
def persons(tmp_path: Path) -> Persons:
    return Persons(tmp_path / "page", lambda: Place(NAME, f"http://{NAME}:4711"))


def test_a_script_that_asks_without_end_keeps_no_person_from_deciding(persons: Persons) -> None:
    script, person = Asker("script"), Asker("terminal", at_terminal=True)
    asked = [persons.begin(ACT, None, asker=script).id for _ in range(2 * MOST_OF_TERMINALS)]
    mine = persons.begin(ACT, None, asker=person).id
    asked += [persons.begin(ACT, None, asker=script).id for _ in range(MOST_OF_TERMINALS)]
    assert persons.find(mine) is not None
    still = [one for one in asked if persons.find(one) is not None]
    assert still == asked[-(MOST_OF_TERMINALS - 1) :]


def test_a_person_without_a_terminal_is_not_displaced_by_whoever_asks_more(
    persons: Persons,
) -> None:
    script, person = Asker("script"), Asker("editor")
    mine = persons.begin(ACT, None, asker=person).id
    for _ in range(2 * MOST_OF_TERMINALS):
        persons.begin(ACT, None, asker=script)
    assert persons.find(mine) is not None


def test_a_terminal_that_asks_too_much_loses_its_own_questions(persons: Persons) -> None:
    busy, other = Asker("busy", at_terminal=True), Asker("other", at_terminal=True)
    mine = persons.begin(ACT, None, asker=other).id
    for _ in range(2 * MOST_OF_TERMINALS):
        persons.begin(ACT, None, asker=busy)
    assert persons.find(mine) is not None
    with pytest.raises(ProofRefused, match="commands already wait"):
        persons.begin(ACT, None, asker=Asker("script"))
