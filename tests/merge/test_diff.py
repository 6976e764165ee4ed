"""What a branch does is told in sentences; what is staged is what is checked."""

from __future__ import annotations

import datetime as dt
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.conftest import git

from dmm.project.init import set_up

if TYPE_CHECKING:
    from tests.cli.conftest import Typed
    from tests.conftest import Command, MemoryText, Project

ROOT = Path(__file__).parents[2]
RULE = "---\nid: no-push\nlevel: {}\nmatch:\n  - command: git push\n---\n# Never push\n"


@pytest.fixture
def work(project: Project, memory_text: MemoryText) -> Project:
    """A repository whose branch topic adds, changes, moves, removes and supersedes."""
    git(project.folder, "init", "-q")
    for name, number in (("retry", 1), ("logging", 2), ("old", 3), ("gone", 4)):
        text = memory_text(name.title(), f"About {name}.", id=f"mem_2026_01_31_00{number}")
        project.write(f"project/{name}.md", text)
    (project.dmm / "rules").mkdir()
    (project.dmm / "rules" / "no-push.md").write_text(RULE.format("deny"))
    (project.dmm / "BOOT.md").write_text("Begin.\n")
    commit(project, "base")
    git(project.folder, "checkout", "-qb", "topic")
    retry = memory_text("Retry", "About retry.\n\nMore.", tags="[http, net]", priority="0.8")
    project.write("project/retry.md", retry)
    git(project.folder, "mv", ".dmm/memory/project/logging.md", ".dmm/memory/project/log.md")
    git(project.folder, "rm", "-q", ".dmm/memory/project/gone.md")
    new = memory_text(
        "New", "A new way.", id="mem_2026_02_01_001", supersedes="[mem_2026_01_31_003]"
    )
    project.write("project/new.md", new)
    (project.dmm / "rules" / "no-push.md").write_text(RULE.format("ask"))
    (project.dmm / "rules" / "no-pull.md").write_text(RULE.format("deny").replace("push", "pull"))
    words = "---\nid: no-expect\nlevel: deny\n---\n# Never import expect from vitest.\n"
    (project.dmm / "rules" / "no-expect.md").write_text(words)
    (project.dmm / "BOOT.md").write_text("Begin here.\n")
    project.write("project/torn.md", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n")
    commit(project, "topic")
    return project


def commit(project: Project, message: str) -> None:
    git(project.folder, "add", "-A")
    git(project.folder, "commit", "-qm", message)


def test_a_branch_is_told_in_sentences(work: Project, typed: Typed) -> None:
    told = typed("diff", "master...HEAD", within=work.folder)
    assert told.status == 0
    assert told.out.splitlines() == [
        "- Changes BOOT.md.",
        '- Removes the memory "Gone" (project/gone.md).',
        '- Moves the memory "Logging" (project/log.md) here from project/logging.md: format only.',
        '- Adds the memory "New" (project/new.md).',
        '- The memory "New" (project/new.md) supersedes the memory "Old" (project/old.md).',
        '- Changes the memory "Retry" (project/retry.md): tags +net -retry; priority 0.5 → 0.8;'
        " text, 2 lines added, 0 removed.",
        "- Leaves project/torn.md unreadable; see: dmm validate",
        '- Adds the rule "Never import expect from vitest." (rules/no-expect.md),'
        " checked on decisions only.",
        '- Adds the rule "Never pull" (rules/no-pull.md), enforced.',
        '- Changes the rule "Never push" (rules/no-push.md): level deny → ask.',
    ]


def test_files_that_are_no_memories_are_added_and_changed_too(work: Project, typed: Typed) -> None:
    set_up(work.folder, day=dt.date(2026, 1, 31))
    (work.dmm / "policy.md").write_text("Ask first.\n")
    (work.memory / "project" / "_dir.md").write_text("What is here.\n")
    commit(work, "more")
    (work.memory / "project" / "_dir.md").write_text("All that is here.\n")
    told = typed("diff", "topic~1...HEAD", within=work.folder)
    assert "- Adds project/_dir.md.\n" in told.out
    assert "- Adds policy.md.\n" in told.out
    assert "examples" not in told.out
    assert typed("diff", within=work.folder).out == "- Changes project/_dir.md.\n"


def test_a_contradiction_is_told(work: Project, typed: Typed, memory_text: MemoryText) -> None:
    git(work.folder, "checkout", "-q", "master")
    first = memory_text("Deploys", "Deploy on Friday.", id="mem_2026_03_01_001", tags="[deploy]")
    work.write("project/deploys.md", first)
    commit(work, "deploys")
    second = memory_text(
        "Releases", "Never deploy on Friday.", id="mem_2026_03_02_001", tags="[deploy]"
    )
    work.write("project/releases.md", second)
    told = json.loads(typed("diff", "HEAD", "--json", within=work.folder).out)
    assert told["after"] == "working tree"
    kinds = {(one["kind"], one["path"]) for one in told["differences"]}
    assert ("added", "project/releases.md") in kinds
    assert ("contradicts", "project/releases.md") in kinds
    commit(work, "releases")
    both = json.loads(typed("diff", "HEAD~2..HEAD", "--json", within=work.folder).out)
    assert [one["path"] for one in both["differences"] if one["kind"] == "contradicts"] == [
        "project/deploys.md"
    ]


def test_two_dots_compare_the_ends_and_nothing_is_said_where_nothing_changed(
    work: Project, typed: Typed
) -> None:
    assert "Adds" in typed("diff", "topic..master", within=work.folder).out
    told = typed("diff", "topic..topic", within=work.folder)
    assert told.out == "topic changes nothing in memory and rules.\n"


def test_what_is_not_committed_yet_is_no_part_of_a_range_and_is_named(
    work: Project, typed: Typed
) -> None:
    retry = work.memory / "project/retry.md"
    retry.write_text(retry.read_text() + "One line.\n")
    assert "text, 1 line added, 0 removed" in typed("diff", within=work.folder).out
    told = typed("diff", "topic...HEAD", within=work.folder).out.splitlines()
    assert told == [
        "HEAD changes nothing in memory and rules.",
        "Notice: there are uncommitted changes; see them with: dmm diff",
    ]
    assert "Notice" not in typed("diff", "topic...topic", within=work.folder).out


def test_an_unknown_commit_is_refused_with_a_way_out(work: Project, typed: Typed) -> None:
    told = typed("diff", "nowhere", within=work.folder)
    assert told.status == 2
    assert "nowhere" in told.err
    assert "main...HEAD" in told.err
    assert "no commit 'trunk'" in typed("diff", "trunk...HEAD", within=work.folder).err


def test_validate_staged_checks_the_index_and_not_the_files(
    work: Project, typed: Typed, memory_text: MemoryText
) -> None:
    git(work.folder, "rm", "-qf", ".dmm/memory/project/torn.md")
    assert typed("validate", "--staged", within=work.folder).status == 0
    work.write("project/old.md", "broken")
    assert typed("validate", within=work.folder).status == 1
    assert typed("validate", "--staged", within=work.folder).status == 0
    git(work.folder, "add", "-A")
    work.write("project/old.md", memory_text("Old", "Sound again.", id="mem_2026_01_31_003"))
    told = typed("validate", "--staged", "--json", within=work.folder)
    assert told.status == 1
    errors = [one for one in json.loads(told.out)["findings"] if one["level"] == "error"]
    assert [one["path"] for one in errors] == ["project/old.md"]


def test_cited_code_is_looked_up_in_the_index(
    work: Project, typed: Typed, memory_text: MemoryText
) -> None:
    git(work.folder, "rm", "-qf", ".dmm/memory/project/torn.md")
    (work.folder / "code.py").write_text("x = 1\n")
    cited = memory_text("Cites", "Cites code.", id="mem_2026_03_03_001", cites="[code.py]")
    work.write("project/cites.md", cited)
    git(work.folder, "add", "-A")
    (work.folder / "code.py").unlink()
    told = json.loads(typed("validate", "--staged", "--json", within=work.folder).out)
    assert "stale_citation" not in {one["check"] for one in told["findings"]}


def test_staged_files_can_not_be_fixed(work: Project, typed: Typed) -> None:
    told = typed("validate", "--staged", "--fix", within=work.folder)
    assert told.status == 2
    assert "dmm validate --fix" in told.err


def hook_of(page: str) -> str:
    """Read the pre-commit hook that the page on Git shows."""
    lines = (ROOT / "docs" / page).read_text().split("\n")
    start = lines.index("    #!/bin/sh")
    end = next(number for number in range(start, len(lines)) if not lines[number])
    return "\n".join(line.removeprefix("    ") for line in lines[start:end]) + "\n"


def test_the_documented_hook_stops_a_commit_of_a_broken_memory(
    work: Project, command: Command, memory_text: MemoryText
) -> None:
    git(work.folder, "rm", "-qf", ".dmm/memory/project/torn.md")
    hook = work.folder / ".git" / "hooks" / "pre-commit"
    hook.write_text(hook_of("git.md"))
    hook.chmod(hook.stat().st_mode | stat.S_IXUSR)
    own = command.environment() | {"GIT_CONFIG_GLOBAL": os.devnull}
    own["PATH"] = f"{Path(sys.executable).parent}:{own['PATH']}"
    line = ["git", "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "x"]

    def try_to_commit(*words: str) -> int:
        return subprocess.run(
            [*line, *words], cwd=work.folder, env=own, capture_output=True
        ).returncode

    assert try_to_commit() == 0
    work.write("project/old.md", "broken")
    work.write("project/new.md", memory_text("New", "Sound.", id="mem_2026_02_01_001"))
    assert try_to_commit("-a") != 0
    # Git gives its hook an index of its own where only some files are committed.
    assert try_to_commit(".dmm/memory/project/new.md") == 0


def test_memory_of_another_branch_is_not_served(work: Project, typed: Typed) -> None:
    assert "[project/new.md]" in typed("query", "a new way", within=work.folder).out
    git(work.folder, "checkout", "-q", "master")
    assert "new.md" not in typed("query", "a new way", within=work.folder).out
    git(work.folder, "worktree", "add", "-q", "../second", "topic")
    found = typed("query", "a new way", within=work.folder.parent / "second").out
    assert "[project/new.md]" in found
    assert "new.md" not in typed("query", "a new way", within=work.folder).out
