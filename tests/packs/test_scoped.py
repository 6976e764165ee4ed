"""Which memories are about which files, by their globs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.domain.memory import Origin, Scope
from dmm.domain.pack import QueryRequest
from dmm.index.snapshot import Place
from dmm.packs.scoped import Scoped, ScopedMemories, find_paths, read_globs

if TYPE_CHECKING:
    from tests.conftest import MemoryText, Opener, Project


def about(*globs: str) -> Scoped:
    return Scoped(Place(Origin.PROJECT, "project/a.md", "mem", "A"), "", read_globs(globs))


@pytest.mark.parametrize(
    ("globs", "inside", "outside"),
    [
        (["src/billing/**"], ["src/billing/a.py", "src/billing/x/y.py"], ["src/bills/a.py"]),
        (["src/billing/"], ["src/billing/a.py"], ["lib/src/billing/a.py"]),
        (["src/billing"], ["src/billing/a.py"], ["src/billing.py"]),
        (["*.sql"], ["a.sql", "db/deep/a.sql"], ["a.sql.bak"]),
        (["/Makefile"], ["Makefile"], ["sub/Makefile"]),
        (["Makefile"], ["Makefile", "sub/Makefile"], ["Makefile.am"]),
        (["**/*.{ts,tsx}"], ["a.ts", "web/b.tsx"], ["web/b.js"]),
        (["docs/*.md", "!docs/old.md"], ["docs/new.md"], ["docs/old.md", "docs/x/new.md"]),
        (["**"], ["a", "b/c"], []),
    ],
)
def test_globs_are_read_as_git_reads_them(
    globs: list[str], inside: list[str], outside: list[str]
) -> None:
    memory = about(*globs)
    assert [path for path in (*inside, *outside) if memory.covers(path)] == inside
    # Every command that names such a file is looked at.
    assert all(memory.may_cover(f"cat {path}") for path in inside)


def test_a_command_that_names_no_such_file_is_not_looked_at() -> None:
    assert not about("src/billing/**", "*.sql").may_cover("pytest -q tests/shipping")
    assert about("src/billing/**").may_cover("cd src && cat billing/a.py")


def test_a_task_that_names_a_file_or_a_package_prefers_its_memories(
    shop: Project, open_project: Opener, memory_text: MemoryText
) -> None:
    dmm = open_project(shop)
    for name, globs in {"web": "[packages/web_shop/**]", "api": "[packages/api/**]"}.items():
        number = f"mem_2026_01_31_9{ord(name[0])}"
        shop.write(f"project/{name}.md", memory_text(name, id=number, paths=globs))
    dmm.indexes.sync()
    scoped = ScopedMemories(dmm.indexes)

    def aim(text: str, *there: str) -> tuple[set[str], set[str]]:
        found = scoped.aim(text, lambda path: path in there)
        return {one.title for one in found.about}, {one.title for one in found.elsewhere}

    assert aim("rename web_shop") == ({"web"}, {"api"})
    assert aim("fix packages/api/a.py") == ({"api"}, {"web"})
    assert aim("fix packages/mail", "packages/mail") == (set(), {"api", "web"})
    assert aim("fix packages/mail") == aim("say hello and/or good-bye") == (set(), set())


def test_memories_are_read_again_only_when_the_index_has_changed(
    shop: Project, open_project: Opener, memory_text: MemoryText
) -> None:
    dmm = open_project(shop)
    scoped = ScopedMemories(dmm.indexes)
    assert scoped.all() == ()
    for name, fields in {
        "low": {"priority": "0.2", "paths": "[src/**]"},
        "high": {"priority": "0.9", "paths": "[src/a.py]"},
        "other": {"priority": "0.9", "paths": "[lib/**]"},
        "gone": {"status": "deprecated", "paths": "[src/**]"},
    }.items():
        number = f"mem_2026_01_31_9{len(name)}{ord(name[0]) % 10}"
        shop.write(f"project/{name}.md", memory_text(name, id=number, **fields))
    dmm.indexes.sync()
    first = scoped.all()
    assert scoped.all() is first
    found = [one.place.path for one in first if one.covers("src/a.py")]
    assert found == ["project/high.md", "project/low.md"]


def test_a_text_names_files_with_a_slash_or_a_dot() -> None:
    text = "Fix src/billing/a.py, `./web/b.ts:12` and (packages/ee/). Then run it. 3.5 s"
    found = find_paths(text)
    assert found[:3] == ["src/billing/a.py", "web/b.ts", "packages/ee"]
    assert "it" not in found


def test_a_task_that_names_a_file_prefers_the_memory_about_it(
    shop: Project, open_project: Opener, memory_text: MemoryText
) -> None:
    kinds = {
        "billing": "never log amounts of money",
        "shipping": "never log where people live",
        "catalog": "never log what people look for",
    }
    for number, (name, body) in enumerate(kinds.items()):
        fields = {"id": f"mem_2026_01_31_9{number}0", "paths": f"[src/{name}/**]"}
        text = memory_text("Handlers", f"Handlers return typed errors and {body}.", **fields)
        shop.write(f"project/note{number}.md", text)
    dmm = open_project(shop)
    for number, name in enumerate(kinds):
        task = f"add a handler that returns errors in src/{name}/api.py"
        entries = dmm.packs.query(QueryRequest(task, scope=Scope.PROJECT)).pack.retrieved_entries
        assert entries[0].path == f"project/note{number}.md"
    plain = dmm.packs.query(QueryRequest("handlers return errors", explain=True)).pack.receipt
    assert all("files" not in one.parts for one in plain.candidates)
