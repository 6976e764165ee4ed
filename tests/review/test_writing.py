"""A request to write is led to the operation that it means; nothing that was given is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dmm.domain.proposal import Operation
from dmm.errors import UsageError
from dmm.review.drafting import About
from dmm.review.writing import Writing

if TYPE_CHECKING:
    from tests.conftest import MemoryText, Opener, Project

    from dmm.bootstrap import Dmm

PATCH = "@@ -12,1 +12,1 @@\n-The lamp is red.\n+The lamp is blue.\n"


@pytest.fixture
def dmm(project: Project, open_project: Opener, memory_text: MemoryText) -> Dmm:
    project.write("project/lamp.md", memory_text("Lamp", "The lamp is red."))
    return open_project(project)


@pytest.mark.parametrize(
    ("path", "given", "operation"),
    [
        ("project/new.md", {"content": "# New\n\nText."}, "create"),
        ("project/lamp.md", {"content": "# Lamp\n\nIt is old."}, "update"),
        ("project/lamp.md", {"patch": PATCH}, "update"),
        ("project/lamp.md", {"patch": "# Lamp\n\nIt is old."}, "update"),
        ("project/lamp.md", {"operation": Operation.DEPRECATE}, "deprecate"),
        ("project/lamp.md", {"operation": Operation.PROMOTE, "new_scope": "global"}, "promote"),
        ("project/lamp.md", {"operation": Operation.DEMOTE, "new_scope": "agent"}, "demote"),
    ],
)
def test_what_is_given_says_what_is_meant(
    dmm: Dmm, path: str, given: dict[str, Any], operation: str
) -> None:
    told = dmm.proposals.write(Writing(path, "because", **given, source="tool"))
    assert (told.operation, told.status, told.trust) == (operation, "pending", "tool")


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({}, "content is missing"),
        ({"operation": Operation.CREATE}, "content is missing"),
        ({"operation": Operation.CREATE, "content": "x", "to": "y"}, "create takes no to"),
        ({"operation": Operation.DEMOTE}, "new_scope is missing"),
        (
            {"operation": Operation.DEMOTE, "new_scope": "agent", "patch": PATCH},
            "demote takes no patch",
        ),
        ({"content": "x", "patch": PATCH}, "give either content or a patch"),
        (
            {"content": "# Lamp\n\nIt is old.", "about": About(tags=("a",))},
            "tags, priority, expires, supersedes and related are for a new memory",
        ),
        (
            {"patch": PATCH, "about": About(tags=("a",))},
            "tags, priority, expires, supersedes and related are for a new memory",
        ),
        (
            {"operation": Operation.DEPRECATE, "about": About(priority=0.9)},
            "tags, priority, expires, supersedes and related are for a new text without them",
        ),
    ],
)
def test_what_would_be_lost_is_refused(dmm: Dmm, given: dict[str, Any], what: str) -> None:
    with pytest.raises(UsageError) as refused:
        dmm.proposals.write(Writing("project/lamp.md", "because", **given))
    assert refused.value.what == what
    assert dmm.proposal_store.queue().open == []
