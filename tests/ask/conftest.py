"""What the tests of `ask` share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.ask.test_asking import fill

from dmm.domain.plain import to_plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Opener, Project


@pytest.fixture
def answer_about(open_project: Opener, project: Project) -> Callable[..., dict[str, Any]]:
    """Ask a question about a project of some files, and return the short answer as plain data."""

    def ask(files: dict[str, str], question: str) -> dict[str, Any]:
        dmm = open_project(fill(project, files))
        try:
            told: dict[str, Any] = to_plain(dmm.asking.ask(question))["answer"]
            return told
        finally:
            dmm.close()

    return ask
