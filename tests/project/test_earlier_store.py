"""A store that an earlier version made: it opens, verifies and answers as before."""

from __future__ import annotations

import json
import subprocess
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Command

STORE = Path(__file__).parents[1] / "stores" / "before_rule_files.tar.gz"
# What the version that made the store printed of it.
HEAD = "0f8fe3ceb146e2e9b3a3339b011d7fe899778ab4c5ebd0a5b71a0967fccd5530"
STATE = "f135a8c37610b3c71b4f56763445db834336b97be871745ec94cd121544f21d4"


@pytest.fixture
def shop(tmp_path: Path, command: Command) -> Path:
    """A clone that holds the store of an earlier version, trusted with its ledger."""
    folder = tmp_path / "shop"
    folder.mkdir()
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    with tarfile.open(STORE) as archive:
        # The first versions of Python 3.11 have no filter.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(folder)
    trusted = command("trust", "--yes", "--with-ledger", within=folder)
    assert trusted.returncode == 0, trusted.stderr
    return folder


def test_the_ledger_of_an_earlier_version_verifies_and_replays_to_the_same_state(
    shop: Path, command: Command
) -> None:
    verified = command("ledger", "verify", within=shop)
    assert (verified.returncode, HEAD in verified.stdout) == (0, True)
    replayed = command("ledger", "replay", "--to", "5", "--json", within=shop)
    assert json.loads(replayed.stdout)["state_hash"] == STATE


def test_a_constraint_of_an_earlier_version_binds(shop: Path, command: Command) -> None:
    checked = command("check", "git push origin main", within=shop)
    assert checked.returncode == 3
    assert "never push to main" in checked.stdout


def test_a_query_finds_what_it_found(shop: Path, command: Command) -> None:
    found = command("query", "retry a failed payment", within=shop)
    assert (found.returncode, found.stderr) == (0, "")
    assert "[project/checkout.md]" in found.stdout


def test_the_settings_of_an_earlier_version_are_read(shop: Path, command: Command) -> None:
    told = command("validate", within=shop)
    assert told.returncode == 0, told.stderr
