"""A memory is shown with its code, usage, history, packs and conflicts, and found in its tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.domain.pack import QueryRequest
from dmm.errors import MemoryFileError, PathRefused, UsageError
from dmm.project import memory_view

if TYPE_CHECKING:
    from tests.conftest import MemoryText, Opener, Project

    from dmm.bootstrap import Dmm

PATH = "project/auth/login_throttle.md"
TASK = "how many failed login attempts are allowed"


@pytest.fixture
def dmm(shop: Project, open_project: Opener) -> Dmm:
    opened = open_project(shop)
    opened.ledger.add_fact("framework", "none")
    return opened


def test_the_tree_counts_what_is_in_each_folder(dmm: Dmm) -> None:
    found = dmm.memory_views.folders()
    assert found.total == sum(one.count for one in found.folders) == len(dmm.indexes.snapshot())
    assert found.tokens == dmm.indexes.snapshot().memory_tokens
    assert "project/auth" in [one.path for one in found.folders]


def test_a_folder_and_words_choose_memories(dmm: Dmm) -> None:
    in_folder = dmm.memory_views.rows("project/auth")
    assert PATH in [one.path for one in in_folder.memories]
    assert {one.path.rpartition("/")[0] for one in in_folder.memories} == {"project/auth"}
    (row,) = dmm.memory_views.rows(match="THROTTLE login").memories
    assert (row.path, row.status, row.served, row.conflicts) == (PATH, "active", 0, 0)
    assert dmm.memory_views.rows("project/auth", "no such words").memories == ()


def test_a_long_list_is_cut_and_says_so(dmm: Dmm, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = dmm.memory_views.rows(match="md")
    monkeypatch.setattr(memory_view, "MOST_ROWS", 2)
    cut = dmm.memory_views.rows(match="md")
    assert cut.memories == whole.memories[:2]
    assert cut.more == len(whole.memories) - 2


def test_a_memory_is_shown_with_its_usage_and_its_packs(dmm: Dmm, shop: Project) -> None:
    for _ in range(2):
        dmm.packs.query(QueryRequest(TASK))
    dmm.lifecycle.report([PATH], "helped", "it did")
    shown = dmm.memory_views.show(PATH)
    assert shown.text == (shop.memory / PATH).read_text()
    assert shown.content in shown.text
    assert shown.title in shown.text
    assert (shown.usage.served, shown.usage.helped, shown.usage.wrong) == (2, 1, 0)
    assert [one.count for one in shown.usage.days] == [2]
    assert [one.task for one in shown.packs] == [TASK, TASK]
    assert [one.seq for one in shown.packs] == [one.seq for one in dmm.served_packs.newest(2).packs]
    (row,) = dmm.memory_views.rows(match="throttle").memories
    assert row.served == 2


def test_cited_code_stands_beside_its_state(dmm: Dmm, shop: Project) -> None:
    cited = [one for one in dmm.base.catalogues.current().memories if one.cites]
    assert cited
    shown = dmm.memory_views.show(cited[0].path)
    first = shown.citations[0]
    assert first.state == "fresh"
    file = (shop.folder / first.path).read_text().splitlines()
    assert [file[one.line - 1] for one in first.code] == [one.text for one in first.code]
    assert first.code
    (shop.folder / first.path).unlink()
    gone = dmm.memory_views.show(cited[0].path).citations[0]
    assert (gone.state, gone.code) == ("gone", ())
    (row,) = dmm.memory_views.rows(match=cited[0].path).memories
    assert row.stale is True


def test_cited_code_that_holds_a_secret_is_shown_without_it(
    dmm: Dmm, shop: Project, memory_text: MemoryText
) -> None:
    (shop.folder / "settings.py").write_text('A = 1\npassword = "s3cr3tPassw0rdX9"\n')
    cites = "[{path: settings.py, lines: [1, 2]}]"
    note = memory_text("Settings", "They are here.", id="mem_2026_01_31_950", cites=cites)
    shop.write("project/settings.md", note)
    (cited,) = dmm.memory_views.show("project/settings.md").citations
    assert [one.line for one in cited.code] == [1, 2]
    assert "s3cr3t" not in cited.code[1].text


def test_the_history_of_a_memory_is_its_proposals(dmm: Dmm, shop: Project) -> None:
    text = (shop.memory / PATH).read_text()
    made = dmm.proposals.update(PATH, "more precise", content=f"{text}\nA day at most.\n")
    (change,) = dmm.memory_views.show(PATH).history
    assert (change.proposal, change.what) == (made.id, f"update {made.status}")


def test_a_conflict_is_named_at_both_memories(dmm: Dmm) -> None:
    other = "project/auth/sessions.md"
    dmm.conflicts.flag([PATH, other], "they differ")
    for path in (PATH, other):
        (conflict,) = dmm.memory_views.show(path).conflicts
        assert conflict.title == "they differ"
    assert dmm.memory_views.rows(match="throttle").memories[0].conflicts == 1


def test_what_is_not_there_or_not_a_memory_is_refused(dmm: Dmm, shop: Project) -> None:
    with pytest.raises(UsageError, match="there is no such memory"):
        dmm.memory_views.show("project/nothing.md")
    with pytest.raises(PathRefused):
        dmm.memory_views.show("../secrets.md")
    shop.write("project/torn.md", "no front matter")
    with pytest.raises(MemoryFileError):
        dmm.memory_views.show("project/torn.md")


def test_a_changed_file_is_in_the_catalogue_after_it_was_indexed(
    dmm: Dmm, shop: Project, memory_text: MemoryText
) -> None:
    before = dmm.memory_views.folders()
    assert dmm.base.catalogues.current() is dmm.base.catalogues.current()
    shop.write("project/new/one.md", memory_text("One", "A text.", id="mem_2026_01_31_951"))
    dmm.indexes.sync()
    assert dmm.memory_views.folders().total == before.total + 1
