"""A proposal is looked at often; what its text costs the model and the reader is paid once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.conflicts.compare import read_memory
from dmm.conflicts.reading_cache import MOST_PROPOSED, Readings
from dmm.domain.proposal import CheckName
from dmm.embed.model import Embedder
from dmm.errors import ModelUnavailable
from dmm.files import markdown

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray
    from tests.conftest import MemoryText, Opener, Project

    from dmm.bootstrap import Dmm
    from dmm.review.examination import Examined

PATH = "project/new.md"


class CountingModel(Embedder):
    """The real model; it counts how often it is asked, and can be told to fail."""

    def __init__(self, model: Embedder) -> None:
        self.identity = model.identity
        self.dimensions = model.dimensions
        self.max_pieces = model.max_pieces
        self.asked = 0
        self.fails = False
        self._model = model

    def encode(self, text: str) -> list[int]:
        return self._model.encode(text)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self._model.embed_query(text)

    def embed_windows(self, windows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        if self.fails:
            raise ModelUnavailable("it fails this moment")
        self.asked += 1
        return self._model.embed_windows(windows)


@pytest.fixture
def counting(model: Embedder) -> CountingModel:
    return CountingModel(model)


@pytest.fixture
def dmm(
    project: Project, memory_text: MemoryText, open_project: Opener, counting: CountingModel
) -> Dmm:
    bodies = ("The API timeout is 30 seconds.", "Lunch is served at noon in the canteen.")
    for number, body in enumerate(bodies, start=1):
        text = memory_text(f"Note {number}", body, id=f"mem_2026_01_31_{number:03d}")
        project.write(f"project/note_{number}.md", text)
    dmm = open_project(project, lambda: counting)
    dmm.memories.reindex()
    counting.asked = 0
    return dmm


def look(dmm: Dmm) -> Examined:
    (proposal,) = dmm.proposal_store.queue().open
    return dmm.proposals.look(proposal)


def found_clash(found: Examined) -> str | None:
    (check,) = (check for check in found.checks if check.name is CheckName.CONFLICTS)
    return check.other


def propose(dmm: Dmm, text: str) -> None:
    dmm.proposals.create(PATH, text, "it is so")


@pytest.fixture
def clashing(memory_text: MemoryText) -> str:
    return memory_text("API", "The API timeout is 10 seconds.", id="mem_2026_01_31_009")


def test_a_proposal_is_embedded_once_however_often_it_is_looked_at(
    dmm: Dmm, counting: CountingModel, clashing: str
) -> None:
    propose(dmm, clashing)
    assert counting.asked == 1
    dmm.reviews.show("proposal_1")
    look(dmm)
    assert counting.asked == 1
    dmm.reviews.approve("proposal_1", bypass_reviewer=True, reason="it was measured")
    # What is in a file now is embedded for the index.
    assert counting.asked == 2


def test_another_text_title_or_tag_is_embedded_anew(
    dmm: Dmm, counting: CountingModel, clashing: str
) -> None:
    propose(dmm, clashing)
    for old, new in (("10 seconds", "20 seconds"), ("# API", "# Limits"), ("[http", "[grpc")):
        counting.asked = 0
        clashing = clashing.replace(old, new)
        dmm.reviews.edit("proposal_1", clashing)
        assert counting.asked == 1


def test_what_is_kept_gives_what_a_first_look_gives(
    dmm: Dmm, project: Project, open_project: Opener, counting: CountingModel, clashing: str
) -> None:
    propose(dmm, clashing)
    again = look(dmm)
    first = look(open_project(project, lambda: counting))
    assert again == first
    assert [one.path for one in again.neighbours] == ["project/note_1.md", "project/note_2.md"]
    assert found_clash(again) == "project/note_1.md"


def test_a_model_that_fails_leaves_the_checks_that_need_none_and_is_asked_again(
    dmm: Dmm, counting: CountingModel, clashing: str
) -> None:
    counting.fails = True
    propose(dmm, clashing)
    found = look(dmm)
    assert found.neighbours == ()
    assert found_clash(found) == "project/note_1.md"
    counting.fails = False
    assert len(look(dmm).neighbours) == 2


def test_what_was_read_of_a_proposal_is_kept_for_its_very_text(memory_text: MemoryText) -> None:
    readings = Readings()
    memory = markdown.parse(PATH, memory_text(body="Retry three times.")).memory
    assert readings.find_proposed(memory) is None
    readings.keep_proposed(read_memory(memory))
    assert readings.find_proposed(memory) == read_memory(memory)
    other = markdown.parse(PATH, memory_text(body="Retry four times.")).memory
    elsewhere = markdown.parse("project/api/new.md", memory_text(body="Retry three times.")).memory
    assert readings.find_proposed(other) is None
    assert readings.find_proposed(elsewhere) is None


def test_only_the_last_proposals_that_were_read_are_kept(memory_text: MemoryText) -> None:
    readings = Readings()
    memories = [
        markdown.parse(f"project/{number}.md", memory_text()).memory
        for number in range(MOST_PROPOSED + 1)
    ]
    for memory in memories:
        readings.keep_proposed(read_memory(memory))
    assert readings.find_proposed(memories[0]) is None
    assert readings.find_proposed(memories[1]) is not None
