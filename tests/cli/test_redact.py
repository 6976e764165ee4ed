"""`dmm redact` blanks events by number, or by a secret that is read and never shown."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Typed
    from tests.conftest import Project


@pytest.fixture
def leaked(typed: Typed, project: Project) -> Project:
    typed("trust", "--yes", within=project.folder)
    typed("ledger", "fact", "a", "harmless", within=project.folder)
    typed("ledger", "fact", "b", "purple monkey dishwasher", within=project.folder)
    return project


def test_named_events_are_blanked(typed: Typed, leaked: Project) -> None:
    told = typed("redact", "2", "--yes", "--reason", "leaked", within=leaked.folder)
    assert told.status == 0
    assert told.out.startswith("1 event blanked, recorded as 1 event\n")
    assert "monkey" not in typed("ledger", "log", "--json", within=leaked.folder).out
    assert typed("ledger", "verify", within=leaked.folder).status == 0


def test_a_secret_is_read_from_standard_input_and_its_events_are_found(
    typed: Typed, leaked: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("purple monkey dishwasher\n"))
    told = typed("redact", "--secret", "--yes", "--json", within=leaked.folder)
    assert json.loads(told.out)["redacted"] == [2]
    assert "monkey" not in told.out + told.err


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (["redact"], "name events, or find them with --secret"),
        (["redact", "1", "--secret"], "name events, or find them with --secret"),
        (["redact", "1"], "there is nobody to ask"),
    ],
)
def test_what_is_unclear_is_refused(
    typed: Typed, leaked: Project, line: list[str], what: str
) -> None:
    told = typed(*line, within=leaked.folder)
    assert told.status == 2
    assert what in told.err


def test_an_agent_can_not(typed: Typed, leaked: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    told = typed("redact", "2", "--yes", within=leaked.folder)
    assert told.status == 2
    assert "an agent can't redact the ledger" in told.err
    missing = typed("redact", "99", "--yes", within=leaked.folder)
    assert missing.status == 2
