"""A server's folder, set up with one project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from dmm.server.setup import set_up

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with set_up(tmp_path / "server", "").registry() as registry:
        registry.add("acme", "shop")
    return tmp_path / "server"


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return dict(yaml.safe_load((DEPLOY / "compose.yaml").read_text()))
