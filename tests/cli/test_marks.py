"""Rules that could not be checked on real calls are named wherever rules are looked at."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.rules.test_unchecked import CATASTROPHE, SLOW, write

if TYPE_CHECKING:
    from tests.cli.conftest import Typed
    from tests.conftest import Opener, Project

pytestmark = pytest.mark.slow

TOLD = "could not be checked on 2 calls: its regex took too long (src/big2.ts)"


def plain(text: str) -> str:
    return " ".join(text.split())


def test_the_mark_is_told_in_words_and_as_data(
    typed: Typed, shop: Project, open_project: Opener
) -> None:
    typed("trust", "--yes", within=shop.folder)
    dmm = open_project(shop)
    dmm.shelf.write("slow", SLOW.replace("{regex}", CATASTROPHE))
    write(dmm, 1)
    write(dmm, 2)
    dmm.close()

    for command in (("rules",), ("rules", "show", "slow"), ("rules", "test"), ("status",)):
        assert TOLD in plain(typed(*command, within=shop.folder).out), command
    status = json.loads(typed("status", "--json", within=shop.folder).out)
    tested = json.loads(typed("rules", "test", "--json", within=shop.folder).out)
    for told in (status, tested):
        assert [(one["id"], one["calls"]) for one in told["unchecked"]] == [("slow", 2)]
    marks = [one for one in typed.look_at(shop.folder) if one.name == "rule"]
    assert [(one.level, one.told) for one in marks] == [("warn", f"slow {TOLD}")]


def test_without_such_calls_nothing_is_said(typed: Typed, shop: Project) -> None:
    typed("trust", "--yes", within=shop.folder)
    assert json.loads(typed("status", "--json", within=shop.folder).out)["unchecked"] == []
    assert "could not be checked" not in typed("rules", within=shop.folder).out
