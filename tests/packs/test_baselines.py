"""The baseline is in every pack, whatever else fails."""

from __future__ import annotations

import errno
import os
import re
from typing import TYPE_CHECKING, NoReturn

import pytest

from dmm.domain.pack import QueryRequest
from dmm.errors import ModelUnavailable
from dmm.files.consents import without_consents
from dmm.files.lock import exclusive
from dmm.files.roots import Root
from dmm.packs.baselines import Baselines
from dmm.packs.render import render_entry

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import HashEmbedder, MemoryText, Opener, Project

    from dmm.domain.pack import Pack
    from dmm.embed.model import Embedder

PATHS = ("baseline/identity.md", "baseline/hard_constraints.md")
QUESTION = "how long does a session live"


def ask(opener: Opener, project: Project, request: QueryRequest | None = None) -> Pack:
    return opener(project).packs.query(request or QueryRequest(QUESTION)).pack


def is_whole(pack: Pack, project: Project) -> bool:
    """Compare the baseline with its files, read by other means."""
    texts = [(project.memory / path).read_text().split("---\n", 2)[2].strip() for path in PATHS]
    entries = pack.baseline_entries
    return [e.path for e in entries] == list(PATHS) and [e.content for e in entries] == texts


def best(pack: Pack) -> str:
    return max(pack.retrieved_entries, key=lambda entry: entry.relevance_score).path


def break_with_garbage(project: Project) -> None:
    project.index.write_bytes(b"this is no database" * 400)


def cut_off(project: Project) -> None:
    project.index.write_bytes(project.index.read_bytes()[:10_000])


def empty(project: Project) -> None:
    project.index.write_bytes(b"")


def damage_a_page_in_the_middle(project: Project) -> None:
    data = bytearray(project.index.read_bytes())
    data[4096 * 3 : 4096 * 4] = bytes(range(256)) * 16
    project.index.write_bytes(data)


def put_a_file_in_the_place_of_the_index_folder(project: Project) -> None:
    project.index.unlink()
    for other in project.index.parent.iterdir():
        other.unlink()
    project.index.parent.rmdir()
    project.index.parent.write_text("not a folder")


def put_a_folder_in_the_place_of_the_index(project: Project) -> None:
    project.index.unlink()
    project.index.mkdir()


def put_a_file_in_the_place_of_the_packs(project: Project) -> None:
    (project.dmm / "packs").write_text("not a folder")


def add_files_that_cannot_be_read(project: Project) -> None:
    project.write("project/not_text.md", b"\xff\xfe\x00")
    project.write("project/huge.md", b"x" * 300_000)
    project.write("project/no_front_matter.md", "only words")
    (project.memory / "project" / "folder.md").mkdir()
    os.mkfifo(project.memory / "project" / "pipe.md")
    (project.memory / "project" / "link.md").symlink_to("/etc/passwd")


@pytest.mark.parametrize(
    "spoil",
    [
        break_with_garbage,
        cut_off,
        empty,
        damage_a_page_in_the_middle,
        put_a_file_in_the_place_of_the_index_folder,
        put_a_folder_in_the_place_of_the_index,
        put_a_file_in_the_place_of_the_packs,
        add_files_that_cannot_be_read,
    ],
)
def test_the_baseline_and_the_answer_survive(
    spoil: Callable[[Project], None], shop: Project, open_project: Opener
) -> None:
    spoil(shop)
    pack = ask(open_project, shop)
    assert is_whole(pack, shop)
    assert best(pack) == "project/auth/sessions.md"


@pytest.mark.parametrize("query", ["", " \n\t ", "what is the capital of France", "§§§"])
def test_the_baseline_is_there_when_nothing_matches(
    query: str, shop: Project, open_project: Opener
) -> None:
    pack = ask(open_project, shop, QueryRequest(query))
    assert is_whole(pack, shop)
    assert pack.retrieved_entries == ()


@pytest.mark.parametrize("budget", [0, 1, 142])
def test_a_budget_below_the_baseline_leaves_the_baseline_whole(
    budget: int, shop: Project, open_project: Opener
) -> None:
    answer = open_project(shop).packs.query(QueryRequest(QUESTION, budget=budget))
    assert is_whole(answer.pack, shop)
    assert answer.pack.retrieved_entries == ()
    assert "- Remaining: 0 tokens\n" in answer.markdown
    assert "No room: the best match, project/auth/sessions.md, has 404 tokens." in answer.markdown
    assert "A budget of 574 holds it." in answer.markdown
    more = open_project(shop).packs.query(QueryRequest(QUESTION, budget=574)).pack
    assert [entry.path for entry in more.retrieved_entries] == ["project/auth/sessions.md"]


def test_the_baseline_is_there_without_a_model(shop: Project, open_project: Opener) -> None:
    def missing() -> NoReturn:
        raise ModelUnavailable("no such file", where="model.onnx")

    pack = open_project(shop, missing).packs.query(QueryRequest(QUESTION)).pack
    assert is_whole(pack, shop)
    assert pack.notices == (
        "keyword retrieval only, the model is unavailable: model.onnx: no such file",
    )


def test_the_baseline_is_there_while_another_process_indexes(
    shop: Project, open_project: Opener
) -> None:
    with exclusive(shop.index.with_name("index.lock"), what="busy"):
        pack = ask(open_project, shop)
    assert is_whole(pack, shop)
    assert best(pack) == "project/auth/sessions.md"
    assert pack.notices == ("another process is indexing; the newest changes may be missing",)


def test_the_baseline_is_there_when_the_database_has_no_room(
    shop: Project, open_project: Opener, memory_text: MemoryText
) -> None:
    dmm = open_project(shop)
    dmm.packs.query(QueryRequest(QUESTION))
    store = dmm.indexes.shelves[0].store
    assert store is not None
    store._connection.pragma("max_page_count", store._connection.pragma("page_count"))
    shop.write("project/new.md", memory_text(body="word " * 1500, id="mem_2026_09_09_001"))
    pack = dmm.packs.query(QueryRequest(QUESTION)).pack
    assert is_whole(pack, shop)
    assert best(pack) == "project/auth/sessions.md"
    where = shop.index.resolve()
    assert pack.notices == (
        f"the index could not be updated: {where}: no space left for the database",
    )


def test_the_baseline_is_there_when_no_file_can_be_written(
    shop: Project, open_project: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int, _data: bytes) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    dmm = open_project(shop)
    monkeypatch.setattr(os, "write", full)
    pack = dmm.packs.query(QueryRequest(QUESTION)).pack
    assert is_whole(pack, shop)
    assert not (shop.dmm / "packs" / "last_pack.md").exists()
    assert list((shop.dmm / "packs").iterdir()) == []


def test_whichever_part_of_the_index_is_damaged_the_baseline_is_there(
    project: Project,
    open_project: Opener,
    memory_text: MemoryText,
    new_embedder: Callable[[], HashEmbedder],
) -> None:
    project.write("baseline/identity.md", memory_text("Who", "We are.", scope="baseline"))
    for number in range(8):
        body = f"Sessions are rows, number {number}. " * 60
        fields = {"id": f"mem_2026_02_01_00{number}", "cites": "[src/a.py]"}
        file = project.write(f"project/note_{number}.md", memory_text("Note", body, **fields))
        os.utime(file, (1e9, 1e9))  # or it would be read again, and its damaged row replaced
    open_project(project, new_embedder).packs.query(QueryRequest("sessions"))
    open_project.opened.pop().indexes.close()
    sound = project.index.read_bytes()
    for start in range(0, len(sound), 1536):
        damaged = sound[:start] + b"\xfe" * 512 + sound[start + 512 :]
        project.index.write_bytes(damaged)
        pack = open_project(project, new_embedder).packs.query(QueryRequest("sessions")).pack
        assert [entry.path for entry in pack.baseline_entries] == ["baseline/identity.md"], start
        open_project.opened.pop().indexes.close()


def baselines(project: Project, count: Callable[[str], int]) -> Baselines:
    return Baselines(Root(project.dmm), count, without_consents(project.dmm))


class UsageProjection:
    """A real count that knows how often it was asked."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self.count = count
        self.asked = 0

    def __call__(self, text: str) -> int:
        self.asked += 1
        return self.count(text)


@pytest.fixture
def rules(project: Project, memory_text: MemoryText) -> Project:
    for name in ("zebra", "hard_constraints", "ants", "identity", "sub/bees"):
        text = memory_text(name, f"About {name}.", scope="baseline")
        project.write(f"baseline/{name}.md", text)
    return project


def test_identity_stands_first_then_hard_constraints_then_the_rest_by_name(
    rules: Project, count: Callable[[str], int]
) -> None:
    names = [entry.path for entry in baselines(rules, count).compile().entries]
    assert names == [
        "baseline/identity.md",
        "baseline/hard_constraints.md",
        "baseline/ants.md",
        "baseline/sub/bees.md",
        "baseline/zebra.md",
    ]


def test_the_baseline_is_compiled_once_and_kept(
    rules: Project, count: Callable[[str], int]
) -> None:
    counting = UsageProjection(count)
    first = baselines(rules, counting)
    compiled = first.compile()
    assert counting.asked == 10
    assert first.compile() == baselines(rules, counting).compile() == compiled
    assert counting.asked == 10
    kept = (rules.dmm / "packs" / "baseline_pack.md").read_text()
    assert kept == "".join(render_entry(entry) for entry in compiled.entries)


def test_one_changed_byte_makes_the_kept_baseline_invalid(
    rules: Project, count: Callable[[str], int]
) -> None:
    held = baselines(rules, count)
    held.compile()
    file = rules.memory / "baseline" / "ants.md"
    before = file.stat()
    file.write_text(file.read_text().replace("About ants.", "About ant5."))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    for compiled in (held.compile(), baselines(rules, count).compile()):
        assert compiled.entries[2].content == "# ants\n\nAbout ant5."


@pytest.mark.parametrize(
    "kept", ["", "no json", "[]", "null", '{"tokens": 1}', '{"tokens": {"a": []}}']
)
def test_damaged_kept_counts_are_made_anew(
    kept: str, rules: Project, count: Callable[[str], int]
) -> None:
    compiled = baselines(rules, count).compile()
    (rules.dmm / "packs" / "baseline_pack.json").write_text(kept)
    assert baselines(rules, count).compile() == compiled


def test_counts_that_another_machine_kept_are_not_believed(
    rules: Project, count: Callable[[str], int]
) -> None:
    compiled = baselines(rules, count).compile()
    file = rules.dmm / "packs" / "baseline_pack.json"
    forged = re.sub(r": \d+", ": -100000", file.read_text())
    file.unlink()
    file.write_text(forged)
    assert baselines(rules, count).compile() == compiled


@pytest.mark.parametrize("kept", ["[" * 200_000, '{"file": FILE, "tokens": {"a": Infinity}}'])
def test_hostile_kept_counts_stop_nothing(
    rules: Project, count: Callable[[str], int], kept: str
) -> None:
    compiled = baselines(rules, count).compile()
    file = rules.dmm / "packs" / "baseline_pack.json"
    file.write_text(kept.replace("FILE", str(file.stat().st_ino)))
    assert baselines(rules, count).compile() == compiled


def test_kept_counts_are_not_read_through_a_link(
    rules: Project, count: Callable[[str], int]
) -> None:
    compiled = baselines(rules, count).compile()
    file = rules.dmm / "packs" / "baseline_pack.json"
    file.unlink()
    file.symlink_to("/dev/zero")
    assert baselines(rules, count).compile() == compiled


def test_settled_files_are_not_read_again(
    rules: Project, count: Callable[[str], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in (rules.memory / "baseline").rglob("*.md"):
        os.utime(file, (1_000_000_000, 1_000_000_000))
    held = baselines(rules, count)
    compiled = held.compile()
    monkeypatch.setattr(os, "open", None)
    assert held.compile() is compiled


def test_where_packs_cannot_be_kept_the_baseline_is_compiled_each_time(
    rules: Project, count: Callable[[str], int]
) -> None:
    (rules.dmm / "packs").write_text("not a folder")
    counting = UsageProjection(count)
    once, twice = baselines(rules, counting).compile(), baselines(rules, counting).compile()
    assert once == twice
    assert counting.asked == 20


def test_packs_are_not_kept_through_a_link(
    rules: Project, count: Callable[[str], int], tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (rules.dmm / "packs").symlink_to(tmp_path / "elsewhere")
    assert len(baselines(rules, count).compile().entries) == 5
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_faulty_baseline_file_is_shown_as_it_stands_with_a_label(
    project: Project, count: Callable[[str], int]
) -> None:
    text = "---\nid: [\n---\n\n# Rule\n\nNever deploy on Friday.\n"
    project.write("baseline/rule.md", text)
    (entry,) = baselines(project, count).compile().entries
    assert entry.content == text.strip()
    assert entry.title == "baseline/rule.md"
    (label,) = entry.labels
    start = "this file has a fault and is shown as it stands: baseline/rule.md:3: not valid YAML"
    assert label.startswith(start)
    assert count(render_entry(entry)) == entry.token_count + entry.heading_tokens
    (revived,) = baselines(project, count).compile().entries
    assert revived == entry


def test_the_label_of_a_faulty_file_cannot_hide_or_add_lines(
    project: Project, count: Callable[[str], int]
) -> None:
    key = '"a\\n\\u202e"'
    project.write("baseline/rule.md", f"---\n{key}: 1\n{key}: 2\n---\n\n# Rule\n\nText.\n")
    (entry,) = baselines(project, count).compile().entries
    assert entry.labels == (
        "this file has a fault and is shown as it stands:"
        " baseline/rule.md:3: the field 'a <U+202E>' is listed twice",
    )


def test_bytes_that_are_no_text_are_served_with_a_label(
    project: Project, count: Callable[[str], int]
) -> None:
    project.write("baseline/rule.md", b"# Rule\n\nNever \xff deploy.\n")
    (entry,) = baselines(project, count).compile().entries
    assert entry.content == "# Rule\n\nNever \ufffd deploy."
    assert "shown as it stands" in entry.labels[0]


def test_what_cannot_be_read_at_all_is_named_in_a_notice(
    rules: Project, count: Callable[[str], int]
) -> None:
    rules.write("baseline/huge.md", b"x" * 300_000)
    (rules.memory / "baseline" / "link.md").symlink_to("/etc/passwd")
    compiled = baselines(rules, count).compile()
    assert len(compiled.entries) == 5
    assert compiled.notices == (
        "baseline/link.md: a symbolic link; links are not followed",
        "baseline file left out, baseline/huge.md: larger than 256 KiB;"
        " a memory is one small concept",
    )


def test_a_deprecated_rule_leaves_the_baseline(
    rules: Project, count: Callable[[str], int], memory_text: MemoryText
) -> None:
    text = memory_text("ants", "Old.", scope="baseline", status="deprecated")
    rules.write("baseline/ants.md", text)
    names = [entry.path for entry in baselines(rules, count).compile().entries]
    assert "baseline/ants.md" not in names
    assert len(names) == 4


def test_a_baseline_over_its_budget_is_whole_and_names_what_to_move(
    shop: Project, open_project: Opener, model: Embedder
) -> None:
    answer = open_project(shop).packs.query(QueryRequest(QUESTION, baseline_budget=100))
    assert is_whole(answer.pack, shop)
    assert answer.pack.notices == (
        "the baseline has 143 tokens, its budget is 100; move to global/ or project/:"
        " baseline/hard_constraints.md (80)",
    )
    assert "- Baseline: 2 files, 143 tokens (over its budget of 100 by 43)\n" in answer.markdown


def test_a_project_without_a_baseline_says_so(project: Project, open_project: Opener) -> None:
    answer = open_project(project).packs.query(QueryRequest("anything"))
    assert answer.pack.baseline_entries == ()
    assert "## Baseline (Always Included)\n\nNo baseline memories.\n\n" in answer.markdown
