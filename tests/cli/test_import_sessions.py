"""`dmm import-sessions`, as it is typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Typed
    from tests.conftest import Project

LINES = (
    {"session": "s1", "at": "2026-01-05T10:00:00Z", "role": "user", "text": "My key is {secret}"},
    {"session": "s1", "at": "2026-01-05T10:01:00Z", "role": "tool", "tool": "Bash", "text": "ok"},
    {"session": "s1", "at": "2026-01-05T10:02:00Z", "role": "assistant", "text": "Done."},
)
SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    path = tmp_path / "talk.jsonl"
    lines = "".join(json.dumps(one) + "\n" for one in LINES)
    path.write_text(lines.replace("{secret}", SECRET) + "[]\n")
    return path


@pytest.fixture
def trusted(project: Project, home: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    project.trust(home)
    return project


def test_an_import_tells_what_it_added(typed: Typed, trusted: Project, talk: Path) -> None:
    told = typed("import-sessions", str(talk), within=trusted.folder)
    assert (told.status, told.err) == (0, "")
    assert told.out == (
        "generic  s1  2026-01-05 10:00  2 messages, 1 tool event\n"
        f"skipped  {talk}:4: not a JSON object\n"
        "\n"
        "1 session, 2 messages, 1 tool event; 1 line skipped\n"
        "1 secret removed: 1 github-token\n"
    )
    again = typed("import-sessions", str(talk), within=trusted.folder)
    assert again.out.splitlines()[0] == ("generic  s1  2026-01-05 10:00  nothing: already recorded")


def test_a_dry_run_records_nothing(typed: Typed, trusted: Project, talk: Path) -> None:
    told = typed("import-sessions", str(talk), "--dry-run", within=trusted.folder)
    assert told.out.endswith("Nothing was recorded. To record them, leave out --dry-run.\n")
    assert not (trusted.dmm / "ledger.db").exists()


def test_the_counts_come_as_data(typed: Typed, trusted: Project, talk: Path) -> None:
    told = typed("import-sessions", str(talk), "--json", within=trusted.folder)
    assert json.loads(told.out) == {
        "dry_run": False,
        "files": 1,
        "sessions": [
            {
                "client": "generic",
                "session": "s1",
                "path": str(talk),
                "at": "2026-01-05T10:00:00.000+00:00",
                "state": "new",
                "messages": 2,
                "tools": 1,
                "events": 5,
                "known": 0,
            }
        ],
        "new_sessions": 1,
        "messages": 2,
        "tools": 1,
        "events": 5,
        "known": 0,
        "skipped_lines": 1,
        "skipped": [{"path": str(talk), "line": 4, "reason": "not a JSON object"}],
        "redacted": {"github-token": 1},
    }


def test_without_transcripts_the_way_on_is_told(typed: Typed, trusted: Project) -> None:
    told = typed("import-sessions", within=trusted.folder)
    assert (told.status, told.out) == (
        0,
        "No transcripts of this project found. To read others, name their files.\n",
    )


def test_only_sessions_since_a_day(typed: Typed, trusted: Project, talk: Path) -> None:
    told = typed("import-sessions", str(talk), "--since", "2026-02-01", within=trusted.folder)
    assert "nothing: it started before --since" in told.out
    wrong = typed("import-sessions", "--since", "tomorrow", within=trusted.folder)
    assert (wrong.status, wrong.err) == (
        2,
        "dmm: 'tomorrow' is not a day\n  hint:  write it as 2026-01-31\n",
    )
