"""Texts that `dmm init` wrote: known as long as nobody has edited them."""

from __future__ import annotations

import hashlib
from importlib import resources
from typing import TYPE_CHECKING

import pytest

from dmm.domain.pack import QueryRequest
from dmm.files import markdown, shipped
from dmm.files.consents import find_consents
from dmm.files.trusted import TrustStore
from dmm.project.init import set_up

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Opener, Project

    from dmm.bootstrap import Dmm

TEMPLATES = resources.files("dmm.files") / "templates"
OLD_BOOT = "a32d420b6109eb4aee404e43b218bfafd9a7cc681ce1d0a54efb7179789e5af2"
# Enough of every example to be found by, where it is served.
TASK = "write a memory: how memory is laid out, reviewed, used by the agent; replace the examples"


@pytest.fixture
def made(project: Project, home: Path, open_project: Opener) -> Dmm:
    dmm = open_project(project)
    set_up(project.folder, day=dmm.packs.today(), store=TrustStore.of_user(home))
    find_consents(TrustStore.of_user(home), project.dmm).accept()
    return dmm


def test_every_template_of_this_version_is_listed() -> None:
    boot = (TEMPLATES / "BOOT.md").read_bytes()
    assert shipped.is_boot(hashlib.sha256(boot).hexdigest())
    tops = [one for one in (TEMPLATES / "memory").iterdir() if one.is_dir()]
    files = [file for top in tops for file in top.iterdir() if file.name != "_dir.md"]
    assert len(files) == len(shipped.example_paths())
    for file in files:
        assert shipped.is_example(file.read_text("utf-8").partition("\n---\n")[2]), file.name


def test_untouched_examples_are_in_no_pack_and_edited_ones_are(made: Dmm, project: Project) -> None:
    pack = made.packs.query(QueryRequest(TASK)).pack
    assert (pack.baseline_entries, pack.retrieved_entries) == ((), ())
    assert len(project.tree.scan().stamps) == len(shipped.example_paths())
    for path in ("baseline/identity.md", "project/keeping_memory.md"):
        file = project.memory / path
        file.write_text(file.read_text() + "\nIt is ours now.\n")
    made.consents.accept()
    pack = made.packs.query(QueryRequest(TASK)).pack
    assert [entry.path for entry in pack.baseline_entries] == ["baseline/identity.md"]
    assert [entry.path for entry in pack.retrieved_entries] == ["project/keeping_memory.md"]


def test_an_index_of_an_earlier_version_stops_serving_examples(made: Dmm, project: Project) -> None:
    from dmm.domain.memory import Origin
    from dmm.index.records import Batch

    made.packs.query(QueryRequest(TASK))
    store = made.indexes.store(Origin.PROJECT)
    assert store is not None
    paths = sorted(path for path in shipped.example_paths() if not path.startswith("baseline/"))
    assert not any(store.memory(path).in_force for path in paths)
    store.apply(Batch(meta={"shipped": ""}))
    made.packs.query(QueryRequest(TASK))
    assert store.meta("shipped") == shipped.VERSION
    assert not any(store.memory(path).in_force for path in paths)


def test_a_briefing_after_init_holds_the_short_boot_and_no_template(made: Dmm) -> None:
    text = made.sessions.find_briefing().write()
    assert "Replace this text" not in text
    assert "## Baseline" not in text
    assert text.startswith("# Project memory")


def test_an_untouched_older_boot_is_served_as_the_one_of_this_version(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = (TEMPLATES / "BOOT.md").read_bytes()
    assert shipped.read_boot(b"# Ours\n") == b"# Ours\n"
    assert shipped.read_boot(None) is None
    assert shipped.is_boot(OLD_BOOT)
    monkeypatch.setattr(shipped, "is_boot", lambda digest: True)
    assert shipped.read_boot(b"an older one") == now


@pytest.mark.parametrize(("agreed", "asked"), [(b"# An older one\n", False), (b"# Ours\n", True)])
def test_our_own_new_boot_needs_no_consent_unless_it_was_edited(
    made: Dmm, project: Project, monkeypatch: pytest.MonkeyPatch, agreed: bytes, asked: bool
) -> None:
    newer = b"# What the next version writes\n"
    known = {hashlib.sha256(one).hexdigest() for one in (b"# An older one\n", newer)}
    monkeypatch.setattr("dmm.files.consents.is_boot", known.__contains__)
    boot = project.dmm / "BOOT.md"
    boot.write_bytes(agreed)
    made.consents.accept(["BOOT.md"])
    boot.write_bytes(newer)
    assert (made.consents.notice() is not None) is asked
    assert made.consents.effective("BOOT.md") == (agreed if asked else newer)


def test_days_that_were_filled_in_do_not_count() -> None:
    text = (TEMPLATES / "memory" / "ephemeral" / "replace_the_examples.md").read_text("utf-8")
    body = markdown.plain(text).partition("\n---\n")[2]
    filled = body.replace("@TODAY@", "2026-01-31").replace("@IN_30_DAYS@", "2026-03-02")
    assert shipped.is_example(filled)
    assert not shipped.is_example(filled + "x")
