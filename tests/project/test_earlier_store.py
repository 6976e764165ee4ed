"""A store that an earlier version made: it opens, verifies and answers as before."""

from __future__ import annotations

import json
import subprocess
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.cli.conftest import typed

if TYPE_CHECKING:
    from tests.cli.conftest import Typed

__all__ = ["typed"]

STORE = Path(__file__).parents[1] / "stores" / "before_rule_files.tar.gz"
# What the version that made the store printed of it.
HEAD = "0f8fe3ceb146e2e9b3a3339b011d7fe899778ab4c5ebd0a5b71a0967fccd5530"
STATE = "f135a8c37610b3c71b4f56763445db834336b97be871745ec94cd121544f21d4"


@pytest.fixture
def shop(tmp_path: Path, typed: Typed) -> Path:
    """A clone that holds the store of an earlier version, trusted with its ledger."""
    folder = tmp_path / "shop"
    folder.mkdir()
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    with tarfile.open(STORE) as archive:
        # The first versions of Python 3.11 have no filter.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(folder)
    trusted = typed("trust", "--yes", "--with-ledger", within=folder)
    assert trusted.status == 0, trusted.err
    return folder


def test_the_ledger_of_an_earlier_version_verifies_and_replays_to_the_same_state(
    shop: Path, typed: Typed
) -> None:
    verified = typed("ledger", "verify", within=shop)
    assert (verified.status, HEAD in verified.out) == (0, True)
    replayed = typed("ledger", "replay", "--to", "5", "--json", within=shop)
    assert json.loads(replayed.out)["state_hash"] == STATE


def test_a_constraint_of_an_earlier_version_binds(shop: Path, typed: Typed) -> None:
    checked = typed("check", "git push origin main", within=shop)
    assert checked.status == 3
    assert "never push to main" in checked.out


def test_a_query_finds_what_it_found(shop: Path, typed: Typed) -> None:
    found = typed("query", "retry a failed payment", within=shop)
    assert (found.status, found.err) == (0, "")
    assert "[project/checkout.md]" in found.out


def test_the_settings_of_an_earlier_version_are_read(shop: Path, typed: Typed) -> None:
    told = typed("validate", within=shop)
    assert told.status == 0, told.err
