"""A server's folder, set up with one project."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.server.setup import set_up

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with set_up(tmp_path / "server", "").registry() as registry:
        registry.add("acme", "shop")
    return tmp_path / "server"
