"""`dmm status` shows what waits for a person, and what went wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from dmm import endpoint
from dmm.daemon.instance import claim

if TYPE_CHECKING:
    import pytest
    from tests.cli.conftest import Typed
    from tests.conftest import Opener, Project


def test_what_is_pending_held_back_or_lost_is_told(
    typed: Typed, shop: Project, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed("trust", "--yes", within=shop.folder)
    monkeypatch.setenv("CLAUDECODE", "1")
    typed("ledger", "constraint", "never push to main", within=shop.folder)
    monkeypatch.delenv("CLAUDECODE")
    (shop.dmm / "BOOT.md").write_text("changed by a pull")
    spool = home / ".local" / "state" / "dmm" / "spool"
    spool.mkdir(parents=True)
    (spool / "lost").write_text(f"{22:020d}\n")
    out = typed("status", within=shop.folder).out
    for line in (
        r"^Rules +1 rule pending; see: dmm ledger pending$",
        r"^Held back +BOOT.md; see the changes: dmm trust$",
        r"^Lost +22 events could not be kept; see: dmm doctor$",
    ):
        assert re.search(line, out, re.MULTILINE), out
    told = json.loads(typed("status", "--json", within=shop.folder).out)
    assert (told["held_back"], told["lost"]) == (["BOOT.md"], 22)
    assert told["agenda"]["pending_rules"] == 1


def test_an_index_that_the_daemon_has_open_is_not_called_unreadable(
    typed: Typed, shop: Project, open_project: Opener
) -> None:
    dmm = open_project(shop)
    shop.index.unlink(missing_ok=True)
    dmm.indexes.refresh(whole=True)
    assert "another process has it open" in typed("status", within=shop.folder).out
    held = claim(Path(endpoint.run_folder()), patience=1)
    assert held is not None
    out = typed("status", within=shop.folder).out
    held.release()
    assert "open in the daemon, which keeps it up to date" in out
