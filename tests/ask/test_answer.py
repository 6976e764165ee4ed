"""The short answer: three points that can be checked, and what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.ask.test_asking import fill

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Opener, Project

MONOREPO = {
    "README.md": (
        "# Harbour\n\n[![build](https://ci/b.svg)](https://ci)\n\n"
        "Harbour plans the berths of ships. It has a service and a command.\n"
    ),
    "docs/sailing.md": (
        "# Sailing orders\n\n```\nharbour order\n```\n\n"
        "A sailing order is sent to the pilot one hour before the ship leaves its berth.\n"
    ),
    "packages/cli/pyproject.toml": (
        '[project]\nname = "harbour-cli"\n[project.scripts]\nharbour = "harbour.main:main"\n'
    ),
    "packages/cli/src/harbour/main.py": (
        "import sys\n\nfrom harbour import plan\n\n\ndef main():\n    print(plan(sys.argv))\n"
    ),
    "packages/store/pyproject.toml": '[project]\nname = "harbour-store"\n',
    "packages/store/src/berths/ships.py": (
        "import sqlite3\nfrom berths import names\n\n\n"
        "def open_ships():\n"
        '    found = sqlite3.connect("ships.db")\n'
        '    found.execute("CREATE TABLE IF NOT EXISTS ships (name TEXT)")\n'
        "    return found\n"
    ),
    "sandbox/server/pyproject.toml": (
        '[project]\nname = "toy"\n[project.scripts]\ntoy = "toy.main:main"\n'
    ),
    "sandbox/server/toy/main.py": "import sqlite3\n\n\ndef main():\n    sqlite3.connect('t.db')\n",
}


@pytest.fixture
def answer(open_project: Opener, project: Project) -> Callable[..., dict[str, Any]]:
    def ask(question: str, files: dict[str, str] = MONOREPO) -> dict[str, Any]:
        dmm = open_project(fill(project, files))
        try:
            found: dict[str, Any] = dmm.asking.ask(question)["answer"]
            return found
        finally:
            dmm.close()

    return ask


def test_an_overview_names_the_packages_and_leaves_sandboxes_out(
    answer: Callable[..., dict[str, Any]],
) -> None:
    told = answer("where do I start in this repository?")
    assert [one["text"] for one in told["points"]] == [
        "Harbour plans the berths of ships.",
        "Programs start at command harbour in packages/cli (packages/cli/src/harbour/main.py:6)",
        "Data is stored by schema in packages/store (packages/store/src/berths/ships.py:7)",
    ]
    assert told["missing"] == ["where language or embedding models are used"]


def test_a_document_answers_by_its_heading_and_its_first_sentence(
    answer: Callable[..., dict[str, Any]],
) -> None:
    first = answer("when is the sailing order sent to the pilot?")["points"][0]
    assert first == {
        "text": "Sailing orders: A sailing order is sent to the pilot one hour before the ship"
        " leaves its berth.",
        "cite": "docs/sailing.md:1",
    }


def test_code_is_shown_by_its_definition_and_never_by_an_import(
    answer: Callable[..., dict[str, Any]],
) -> None:
    told = answer("how are the berths and ships opened?")
    assert {"text": "def open_ships():", "cite": "packages/store/src/berths/ships.py:5"} in told[
        "points"
    ]
    assert not [one for one in told["points"] if "import" in one["text"]]


def test_what_the_repository_does_not_know_is_named(
    answer: Callable[..., dict[str, Any]],
) -> None:
    told = answer("how does `Invoice.print` charge a Stripe customer for a berth in fees.py?")
    assert told["missing"][:2] == ["fees.py", "Invoice.print"]
    assert "Stripe" in told["missing"]


def test_a_question_that_names_a_section_is_answered_by_it(
    answer: Callable[..., dict[str, Any]],
) -> None:
    files = MONOREPO | {"Makefile": "build:\n\tpip wheel .\n\ntest:\n\tpytest -q\n"}
    first = answer("how do I run the tests?", files)["points"][0]
    assert first == {"text": "test:", "cite": "Makefile:4"}
