"""Instruction files into memories and back, on real files with the real model."""

from __future__ import annotations

import datetime as dt
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dmm.domain.text import neutralise
from dmm.errors import MemoryFileError, StaleBase, UsageError
from dmm.importer.sources import find_instructions
from dmm.project.init import set_up

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import HashEmbedder, MemoryText, Opener, Project

    from dmm.importer.service import Importer

MONOLITH = Path(__file__).parents[2] / "tools" / "demo" / "monolith.md"
RULES = """# Shop

## Database

- Every change of the schema is a migration in `db/`.
- Never edit a migration that is merged.

## Testing

Run `make test` before each commit. Tests use a real database, never a mock.

## Mail

Mail is sent by the job queue, not during a request.
"""


@pytest.fixture
def importer(
    project: Project, open_project: Opener, new_embedder: Callable[[], HashEmbedder]
) -> Importer:
    return open_project(project, new_embedder).importer


@pytest.fixture
def rules(project: Project) -> Path:
    file = project.folder / "CLAUDE.md"
    file.write_text(RULES)
    return file


def files_of(folder: Path) -> dict[str, bytes]:
    found = (file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in found}


def test_a_plan_says_what_a_pack_costs_at_most_and_writes_nothing(
    project: Project, importer: Importer
) -> None:
    before = files_of(project.folder)
    found = importer.plan([MONOLITH])
    assert len(found.plan.memories) > 5
    assert found.written == ()
    assert found.plan.monolith_tokens == 633
    assert found.pack_tokens == importer.settings.default_budget
    assert files_of(project.folder) == before


def test_every_rule_is_in_some_memory(importer: Importer, rules: Path) -> None:
    bodies = "\n".join(one.memory.body for one in importer.plan([rules]).plan.memories)
    for words in ("is a migration in `db/`", "Never edit a migration", "make test", "job queue"):
        assert words in bodies


def test_what_is_applied_is_there_and_a_second_time_nothing_is_new(
    project: Project, importer: Importer, rules: Path
) -> None:
    done = importer.apply(importer.plan([rules]))
    assert set(done.written) == set(files_of(project.memory))
    assert len(done.written) == len(done.plan.memories)
    before = files_of(project.memory)
    again = importer.apply(importer.plan([rules]))
    assert (again.written, again.plan.memories, again.pack_tokens) == ((), (), None)
    # Rules that the baseline holds word for word are recognised before memories are compared.
    searched = [one for one in done.plan.memories if not one.memory.path.startswith("baseline/")]
    assert [one.memory.title for one in again.present] == [one.memory.title for one in searched]
    assert searched
    assert files_of(project.memory) == before


def test_files_imported_together_are_present_each_alone_and_in_any_order(
    project: Project, importer: Importer, rules: Path
) -> None:
    other = project.folder / "AGENTS.md"
    other.write_text("# Agents\n\n## Testing\n\nTests use a real database, never a mock.\n")
    importer.apply(importer.plan([rules, other]))
    for again in ([rules], [other], [other, rules], [project.folder]):
        assert importer.plan(again).plan.memories == (), again


def test_of_a_section_that_grew_only_what_is_new_is_planned(
    project: Project, importer: Importer, rules: Path
) -> None:
    importer.apply(importer.plan([rules]))
    added = "- Indexes have names of their own in the schema."
    rules.write_text(RULES.replace("\n\n## Testing", f"\n{added}\n\n## Testing"))
    found = importer.plan([rules])
    (one,) = found.plan.memories
    assert one.memory.body == f"# Database\n\n{added}\n\nSource: CLAUDE.md:5-7"
    assert found.known == {one.memory.path: 2}


def test_written_files_end_with_one_line_end(
    project: Project, importer: Importer, rules: Path
) -> None:
    importer.apply(importer.plan([rules]))
    for name, data in files_of(project.memory).items():
        assert re.search(rb"[^\n]\n\Z", data), name


def test_mentioned_files_are_looked_for_beside_the_file_that_mentions_them(
    project: Project, importer: Importer, home: Path
) -> None:
    (home / "own.md").write_text("# Own\n\nMy own words.\n")
    (project.folder / "docs").mkdir()
    (project.folder / "docs" / "there.md").write_text("# There\n\nWords that are there.\n")
    (project.folder / "AGENTS.md").write_text("# Agents\n\nRead the glossary with care.\n")
    long = "x" * 300 + ".md"
    mentions = f"@docs/there.md\n@docs/gone.md\n@~/own.md\n@AGENTS.md\n@./{long}\n"
    (project.folder / "CLAUDE.md").write_text(f"# Shop\n\n{mentions}")
    found = importer.plan([project.folder / "CLAUDE.md", project.folder / "AGENTS.md"])
    told = [one.target for one in found.plan.imports]
    assert told == ["docs/there.md", "docs/gone.md", "~/own.md", f"./{long}"]
    assert [one.target for one in found.missing] == ["docs/gone.md", f"./{long}"]


def test_only_files_that_a_tool_reads_are_to_be_shortened(
    project: Project, importer: Importer, rules: Path
) -> None:
    other = project.folder / "handbook.md"
    other.write_text("# Handbook\n\nWords about the handbook.\n")
    assert importer.plan([rules, other]).instructions == ("CLAUDE.md",)


def test_a_memory_that_comes_back_is_linked_to_those_that_stayed(
    project: Project, importer: Importer, memory_text: MemoryText
) -> None:
    project.write("project/now.md", memory_text("Now", "It is now, and it stays so."))
    one = memory_text("One", "It is the only one here.", id="mem_2026_01_31_002")
    linked = one.replace("status: active\n", "status: active\nrelated: [mem_2026_01_31_001]\n")
    project.write("project/one.md", linked)
    file = project.folder / "export.md"
    file.write_text(importer.export())
    (project.memory / "project" / "one.md").unlink()
    (back,) = importer.plan([file]).plan.memories
    assert (back.memory.id, back.memory.related) == ("mem_2026_01_31_002", ("mem_2026_01_31_001",))


def test_a_file_that_appears_in_between_is_not_overwritten(
    project: Project, importer: Importer, rules: Path
) -> None:
    planned = importer.plan([rules])
    taken = planned.plan.memories[0].memory.path
    project.write(taken, "mine")
    with pytest.raises(StaleBase, match="changed during the import") as refused:
        importer.apply(planned)
    assert refused.value.hint == "run it again; what was imported meanwhile is skipped"
    assert (project.memory / taken).read_text() == "mine"


def test_faulty_memories_keep_their_names(
    project: Project, importer: Importer, rules: Path
) -> None:
    taken = importer.plan([rules]).plan.memories[0].memory.path
    project.write(taken, "no front matter")
    paths = [one.memory.path for one in importer.plan([rules]).plan.memories]
    assert taken not in paths


def test_a_folder_gives_its_instruction_files_in_order(
    project: Project, importer: Importer
) -> None:
    folder = project.folder / ".cursor" / "rules"
    folder.mkdir(parents=True)
    (folder / "b.mdc").write_text("# Naming\n\nName tables in the plural.\n")
    (folder / "a.md").write_text("# Colours\n\nUse the palette of the brand.\n")
    (folder / "image.png").write_bytes(b"\x89PNG")
    memories = importer.plan([folder]).plan.memories
    sources = [str(source) for one in memories for source in one.sources]
    assert {source.partition(":")[0] for source in sources} == {
        ".cursor/rules/a.md",
        ".cursor/rules/b.mdc",
    }


def test_sources_are_named_by_the_project_the_home_or_in_full(
    importer: Importer, home: Path, tmp_path: Path, project: Project
) -> None:
    places = {
        project.folder / "AGENTS.md": "AGENTS.md",
        home / "CLAUDE.md": "~/CLAUDE.md",
        tmp_path / "other.md": f"{tmp_path.resolve()}/other.md",
    }
    for number, (file, name) in enumerate(places.items()):
        file.write_text(f"# Topic {number}\n\nWords about topic {number}, all its own.\n")
        (memory,) = importer.plan([file]).plan.memories
        assert re.sub(r":\d+(-\d+)?$", "", str(memory.sources[0])) == name


def test_windows_line_ends_and_byte_order_marks_are_read(
    project: Project, importer: Importer, rules: Path
) -> None:
    other = project.folder / "AGENTS.md"
    other.write_bytes(b"\xef\xbb\xbf" + RULES.replace("\n", "\r\n").encode())
    plain = [one.memory.body for one in importer.plan([rules]).plan.memories]
    marked = [one.memory.body for one in importer.plan([other]).plan.memories]
    assert [body.replace("AGENTS.md", "CLAUDE.md") for body in marked] == plain


def test_what_cannot_be_imported_is_refused_by_name(
    project: Project, importer: Importer, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=r"missing\.md: no such file"):
        importer.plan([tmp_path / "missing.md"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match=r"empty: no \.md or \.mdc files in this folder"):
        importer.plan([tmp_path / "empty"])
    (tmp_path / "binary.md").write_bytes(b"\x00\xff\xfe" * 100)
    with pytest.raises(MemoryFileError, match=r"binary\.md"):
        importer.plan([tmp_path / "binary.md"])
    with (tmp_path / "large.md").open("wb") as file:
        os.truncate(file.fileno(), 5 << 20)
    with pytest.raises(UsageError, match=r"large\.md: larger than 4 MiB"):
        importer.plan([tmp_path / "large.md"])
    unreadable = tmp_path / ("x" * 40 + ".md")
    unreadable.symlink_to("/proc/self/mem")
    with pytest.raises(UsageError, match="unreadable: "):
        importer.plan([unreadable])


def test_a_file_that_leads_to_a_device_is_not_read(project: Project, importer: Importer) -> None:
    endless = project.folder / "CLAUDE.md"
    endless.symlink_to("/dev/zero")
    os.mkfifo(project.folder / "AGENTS.md")
    assert list(find_instructions(project.folder)) == []
    with pytest.raises(UsageError, match=r"CLAUDE\.md: larger than 4 MiB"):
        importer.plan([endless])


def test_a_pipe_that_is_named_is_read(project: Project, importer: Importer) -> None:
    pipe = project.folder / "rules.md"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(pipe.write_text, "# Cache\n\nSessions are cached in Redis for an hour.\n")
        (found,) = importer.plan([pipe]).plan.memories
    assert "cached in Redis" in found.memory.body


def test_an_empty_file_gives_no_memories(project: Project, importer: Importer) -> None:
    (project.folder / "CLAUDE.md").write_text("\n")
    found = importer.plan([project.folder / "CLAUDE.md"])
    assert (found.plan.memories, found.pack_tokens) == ((), None)


def test_an_export_has_every_memory_and_deprecated_ones_on_request(
    project: Project, importer: Importer, memory_text: MemoryText
) -> None:
    project.write("baseline/identity.md", memory_text("We", "We sell lamps.", scope="baseline"))
    project.write("project/now.md", memory_text("Now", "It is now.", id="mem_2026_01_31_002"))
    old = memory_text("Old", "It was.", id="mem_2026_01_31_003", status="deprecated")
    project.write("deprecated/old.md", old)
    text = importer.export()
    assert text.startswith("# work: project memory\n")
    assert "We sell lamps." in text
    assert "It is now." in text
    assert "It was." not in text
    assert "It was." in importer.export(include_deprecated=True)


def test_an_export_has_no_example_that_nobody_has_edited(
    open_project: Opener, new_project: Callable[[str], Project]
) -> None:
    started = new_project("started")
    set_up(started.folder, day=dt.date(2026, 1, 31))
    exported = open_project(started).importer.export()
    assert "Replace this text" not in exported
    identity = started.memory / "baseline" / "identity.md"
    identity.write_text(identity.read_text().replace("Replace this text", "Started"))
    assert "Started with the project" in open_project(started).importer.export()


def test_an_export_imported_elsewhere_gives_the_same_concepts(
    lantern: Project,
    new_project: Callable[[str], Project],
    open_project: Opener,
    new_embedder: Callable[[], HashEmbedder],
) -> None:
    exported = open_project(lantern, new_embedder).importer.export()
    empty = new_project("empty")
    file = empty.folder / "memory.md"
    file.write_text(exported)
    target = open_project(empty, new_embedder).importer
    done = target.apply(target.plan([file]))
    original = {
        memory.title: memory
        for stamp in lantern.tree.scan().stamps
        if (memory := lantern.tree.load(stamp.path).memory).in_force
    }
    arrived = "\n".join(empty.tree.load(path).memory.body for path in done.written)
    for title, memory in original.items():
        assert title in arrived, title
        for line in memory.body.splitlines():
            assert line.strip("#- ") in arrived, (title, line)


def test_an_import_that_was_proposed_is_not_proposed_again(
    project: Project, open_project: Opener
) -> None:
    file = project.folder / "CLAUDE.md"
    file.write_text(
        "# Tests\n\nRun `make test` before each commit.\n\n# Style\n\nTabs are four wide.\n"
    )
    dmm = open_project(project)
    first = dmm.importer.submit(dmm.importer.plan([file]))
    assert (len(first.proposed), first.repeated) == (1, ())
    again = dmm.importer.submit(dmm.importer.plan([file]))
    assert again.proposed == again.repeated == first.proposed
    found = [dmm.reviews.show(name).checks for name in first.proposed]
    assert {c.outcome for checks in found for c in checks if c.name == "tokens"} == {"pass"}


HIDDEN = (
    "# Rules\n\n## Deploy\n\nDeploy on Mon\u200bdays only.\n\n## Keys\u202e\n\n"
    "Never print keys\u2066 to\u2028logs.\n\n## Tabs\n\nUse tabs"
    + "".join(chr(0xE0000 + ord(sign)) for sign in "obey")
    + " in makefiles.\n\n## Signs\n\n"
    "Ship it \U0001f680\U000e0162\U000e015d now, al\u200dways.\n\n"
    "The family \U0001f468\u200d\U0001f469 and \u0645\u06cc\u200c stay.\n"
)


def test_hidden_characters_get_into_no_memory_and_are_told_by_line(
    project: Project, importer: Importer
) -> None:
    file = project.folder / "CLAUDE.md"
    file.write_text(HIDDEN)
    found = importer.apply(importer.plan([file]))
    assert [(str(one.source), one.codes) for one in found.hidden] == [
        ("CLAUDE.md:5", ("<U+200B>",)),
        ("CLAUDE.md:7", ("<U+202E>",)),
        ("CLAUDE.md:9", ("<U+2066>", "<U+2028>")),
        ("CLAUDE.md:13", ("<U+E006F>", "<U+E0062>", "<U+E0065>", "<U+E0079>")),
        ("CLAUDE.md:17", ("<U+E0162>", "<U+E015D>", "<U+200D>")),
    ]
    text = "\n".join(data.decode() for data in files_of(project.memory).values())
    assert neutralise(text) == text
    for kept in ("Deploy on Mondays only.", "Never print keys to logs.", "Use tabs in makefiles."):
        assert kept in text
    assert "Ship it \U0001f680 now, always." in text
    assert "\U0001f468\u200d\U0001f469 and \u0645\u06cc\u200c stay." in text
    assert found.unseen == ()


def test_what_is_proposed_of_a_source_with_hidden_characters_holds_none(
    project: Project, open_project: Opener
) -> None:
    file = project.folder / "CLAUDE.md"
    file.write_text(HIDDEN)
    dmm = open_project(project)
    told = dmm.importer.submit(dmm.importer.plan([file]))
    checks = [check for name in told.proposed for check in dmm.reviews.show(name).checks]
    assert {c.outcome for c in checks if c.name == "injection"} == {"pass"}


def test_a_memory_that_would_hide_something_all_the_same_is_left_out(
    project: Project, importer: Importer
) -> None:
    folder = project.folder / "rules"
    folder.mkdir()
    (folder / "a\u202eb.md").write_text("# Tests\n\nRun `make test` before each commit.\n")
    (folder / "plain.md").write_text("# Mail\n\nMail is sent by the job queue.\n")
    found = importer.apply(importer.plan([folder]))
    assert len(found.unseen) == len(found.written) == 1
    text = "\n".join(data.decode() for data in files_of(project.memory).values())
    assert neutralise(text) == text
    assert "Mail is sent" in text
