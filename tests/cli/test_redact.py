"""`dmm redact` blanks events by number, or by a secret that is read and never shown."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest

from dmm.eventlog.place import find_ledger
from dmm.storage import sqlite

if TYPE_CHECKING:
    from pathlib import Path

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
    assert told.out.startswith("1 event erased; recorded as event 3\n")
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
        (["redact"], "give event numbers, or find the events with --secret"),
        (["redact", "1", "--secret"], "give event numbers, or find the events with --secret"),
        (["redact", "1"], "no terminal to confirm this"),
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


class Terminal(io.StringIO):
    """Standard input at which a person sits."""

    def isatty(self) -> bool:
        return True


def test_it_shows_what_it_would_erase_and_takes_no_for_an_answer(
    typed: Typed, leaked: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed("ledger", "constraint", "never run git push --force", within=leaked.folder)
    monkeypatch.setattr("sys.stdin", Terminal("n\n"))
    told = typed("redact", "2", "3", within=leaked.folder)
    assert told.status == 1
    assert "FactAdded Fact: b = purple monkey dishwasher\n" in told.out
    assert "Note: event 3 is an active constraint; it will no longer apply.\n" in told.out
    assert told.out.endswith(
        "Erase the content of 2 events permanently? [y/N] Nothing was erased.\n"
    )
    assert "monkey" in typed("ledger", "log", "--json", within=leaked.folder).out


def test_the_secret_itself_is_never_shown(
    typed: Typed, leaked: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal("n\n"))
    monkeypatch.setattr("getpass.getpass", lambda _: "monkey")
    told = typed("redact", "--secret", within=leaked.folder)
    assert "FactAdded Fact: b = purple [REDACTED] dishwasher\n" in told.out


def test_no_part_of_a_secret_is_shown_that_is_longer_than_the_line(
    typed: Typed, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "correct horse battery staple " * 40
    typed("ledger", "fact", "c", f"note {secret}", within=project.folder)
    monkeypatch.setattr("sys.stdin", Terminal("n\n"))
    monkeypatch.setattr("getpass.getpass", lambda _: secret.strip())
    told = typed("redact", "--secret", within=project.folder)
    assert "FactAdded Fact: c = note [REDACTED]\n" in told.out
    assert "horse" not in told.out


def test_where_nothing_is_found_nobody_is_asked(
    typed: Typed, leaked: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal("n\n"))
    monkeypatch.setattr("getpass.getpass", lambda _: "no such text")
    told = typed("redact", "--secret", within=leaked.folder)
    assert (told.status, told.out) == (0, "Nothing found in the recorded events.\n")


def test_no_secret_is_no_crash(
    typed: Typed, leaked: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end(_: str) -> str:
        raise EOFError

    monkeypatch.setattr("sys.stdin", Terminal(""))
    monkeypatch.setattr("getpass.getpass", end)
    told = typed("redact", "--secret", within=leaked.folder)
    assert told.status == 2
    assert "no text was given; nothing was erased" in told.err


@pytest.mark.parametrize("number", ["99", str(1 << 70)])
def test_a_number_that_no_event_has_is_refused(typed: Typed, leaked: Project, number: str) -> None:
    told = typed("redact", "2", number, "--yes", within=leaked.folder)
    assert told.status == 11
    assert f"there is no event {number}" in told.err
    assert "monkey" in typed("ledger", "log", "--json", within=leaked.folder).out


def test_an_unasked_redaction_notes_that_a_rule_falls(typed: Typed, leaked: Project) -> None:
    typed("ledger", "constraint", "never run git push --force", within=leaked.folder)
    told = typed("redact", "2", "3", "--yes", within=leaked.folder)
    assert "dmm: note: event 3 is an active constraint; it will no longer apply\n" in told.err
    assert told.out.startswith("2 events erased; recorded as events 4 to 5\n")
    again = typed("redact", "2", "--yes", within=leaked.folder)
    assert again.out.startswith("Nothing found in ")


def test_a_ledger_that_is_being_read_is_told_and_a_second_run_finishes(
    typed: Typed, leaked: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_MS", 50)
    ledger = find_ledger(leaked.dmm)
    damaged = ledger.with_name("ledger.db.replaced-1")
    damaged.write_bytes(b"x" * 5_000)
    reader = sqlite.connect(ledger)
    next(reader.execute("BEGIN; SELECT payload FROM events"))
    told = typed("redact", "2", "--yes", within=leaked.folder)
    assert told.status == 10
    assert told.out.startswith("1 event erased; recorded as event 3\n")
    assert "damaged and not searched; delete it yourself: " in told.out
    assert "run the same command again" in told.err
    reader.close()
    assert typed("redact", "2", "--yes", within=leaked.folder).status == 0
    assert b"monkey" not in ledger.read_bytes()


def test_events_not_yet_recorded_and_copies_are_named_before_they_are_deleted(
    typed: Typed, leaked: Project, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool = home / ".local" / "state" / "dmm" / "spool"
    spool.mkdir(parents=True, exist_ok=True)
    (spool / "1.event").write_text("a zebra")
    copy = find_ledger(leaked.dmm).with_name("ledger.db.rescued-2")
    copy.write_text("a zebra")
    monkeypatch.setattr("sys.stdin", Terminal("y\n"))
    monkeypatch.setattr("getpass.getpass", lambda _: "zebra")
    told = typed("redact", "--secret", within=leaked.folder)
    assert told.status == 0
    assert told.out.startswith("1 event not yet recorded would be deleted.\nwould be deleted: ")
    assert "Delete them? [y/N] " in told.out
    assert "  1 event not yet recorded deleted\n" in told.out
    assert not copy.exists()
