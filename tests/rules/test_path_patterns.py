"""A path pattern tells what is done to a file, by any tool and by the shell."""

from __future__ import annotations

import pytest

from dmm.rules.commands.calls import ToolCall, read_call
from dmm.rules.patterns import MessagePattern, PathPattern


def accesses(pattern: PathPattern, call: ToolCall, **files: str) -> list[tuple[str, str]]:
    known = {name.replace("__", "/"): text for name, text in files.items()}
    facts = read_call(call, known.get if files else None)
    return [(use.path, use.access) for use, _ in pattern.find(facts)]  # type: ignore[attr-defined]


def bash(command: str, cwd: str | None = None, root: str | None = None) -> ToolCall:
    return ToolCall("Bash", {"command": command}, cwd, None, root)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("rm db/1.sql", "delete"),
        ("unlink db/1.sql", "delete"),
        ("git rm db/1.sql", "delete"),
        ("find db -name '*.sql' -delete", "delete"),
        ("python3 -c \"import os; os.remove('db/1.sql')\"", "delete"),
        ("rm -rf db", "delete"),
        ("mv db/1.sql db2.sql", "rename"),
        ("git mv db/1.sql db2.sql", "rename"),
        ("git mv other db/1.sql", "rename"),
        ("mv db old", "rename"),
        ("sed -i s/a/b/ db/1.sql", "write"),
        ("cat > db/1.sql <<EOF\nx\nEOF", "write"),
        ("echo x | tee -a db/1.sql", "write"),
        ("cp a db/1.sql", "write"),
        ("cp -t db a", "write"),
        ("dd if=a of=db/1.sql", "write"),
        ("install -m 644 a db/1.sql", "write"),
        ("rsync a db/", "write"),
        ("ln -s a db/1.sql", "write"),
        ("python3 - <<'E'\nfrom pathlib import Path\nPath('db/1.sql').write_text('x')\nE", "write"),
        ("touch db/1.sql", "create"),
        ("mkdir db/new", "create"),
    ],
)
def test_every_way_of_changing_a_file_is_told_apart(command: str, expected: str) -> None:
    call = bash(command)
    found = accesses(PathPattern("db/**", ("write",), ""), call)
    assert {access for _, access in found} >= {expected}
    assert bool(accesses(PathPattern("db/**", ("delete",), ""), call)) is (expected == "delete")
    assert bool(accesses(PathPattern("db/**", ("rename",), ""), call)) is (expected == "rename")


@pytest.mark.parametrize(
    "command", ["cat db/1.sql", "ls db", "git add db/1.sql", "grep x db/1.sql", "source db/1.sql"]
)
def test_what_is_only_read_is_no_change(command: str) -> None:
    assert accesses(PathPattern("db/**", ("write",), ""), bash(command)) == []


@pytest.mark.parametrize("command", ["cat .env", "source .env", ". .env", "set -a; . ./.env"])
def test_a_file_that_a_shell_loads_is_read(command: str) -> None:
    assert accesses(PathPattern(".env", ("read",), ""), bash(command))


def test_the_search_tool_reads_the_file_it_searches() -> None:
    call = ToolCall("Grep", {"pattern": "KEY", "path": ".env"})
    assert accesses(PathPattern(".env", ("read",), ""), call) == [(".env", "read")]


def test_a_file_is_created_where_none_was() -> None:
    new = PathPattern("src/**", ("create",), "")
    write = ToolCall("Write", {"file_path": "src/a.py", "content": "x"})
    assert accesses(new, write, other="x") == [("src/a.py", "create")]
    assert accesses(new, write, **{"src/a.py": "x"}) == []
    assert accesses(new, write) == []
    assert accesses(new, bash("echo x > src/a.py"), other="x") == [("src/a.py", "create")]
    patch = "*** Begin Patch\n*** Add File: src/a.py\n+x\n*** End Patch"
    assert accesses(new, ToolCall("apply_patch", {"input": patch})) == [("src/a.py", "create")]


def test_an_edit_is_a_change_of_the_text_and_no_delete() -> None:
    edit = PathPattern("a", ("edit",), "")
    assert accesses(edit, bash("echo x > a")) == [("a", "write")]
    assert accesses(edit, bash("touch a")) == [("a", "create")]
    assert accesses(edit, bash("rm a; git mv a b")) == []


@pytest.mark.parametrize(
    ("glob", "folder", "path", "expected"),
    [
        ("**\n!src/**", "", "src/a.py", False),
        ("**\n!src/**", "", "README.md", True),
        ("**\n!src/**", "", "/tmp/x", False),
        ("**\n!src/**\nsrc/gen/**", "", "src/gen/a.py", True),
        ("*.ts", "web", "web/a/b.ts", True),
        ("*.ts", "web", "api/b.ts", False),
        ("/a.ts", "", "a.ts", True),
        ("/a.ts", "", "x/a.ts", False),
        ("src/billing", "", "src/billing/a.py", True),
        ("build/", "", "x/build/a", True),
        ("a/**/z", "", "a/b/c/z", True),
        ("a/*/z", "", "a/b/c/z", False),
        ("[ab].py", "", "b.py", True),
        ("[!ab].py", "", "b.py", False),
        (r"app/\[id\].tsx", "", "app/[id].tsx", True),
        ("~/.ssh/**", "", "~/.ssh/id_rsa", True),
        ("/etc/**", "", "/etc/passwd", True),
    ],
)
def test_globs_are_those_of_a_gitignore_in_its_folder(
    glob: str, folder: str, path: str, expected: bool
) -> None:
    call = ToolCall("Edit", {"file_path": path})
    assert bool(accesses(PathPattern(glob, ("write",), folder), call)) is expected


def test_paths_are_seen_from_the_repository_in_a_folder_below_it() -> None:
    pattern = PathPattern("web/src/**", ("write",), "")
    inside = "/repo/web"
    assert accesses(pattern, bash("echo x > src/a.ts", inside, "/repo")) == [
        ("web/src/a.ts", "write")
    ]
    assert accesses(pattern, bash("echo x > src/a.ts", "/repo", "/repo")) == []
    edit = ToolCall("Edit", {"file_path": "/repo/web/src/a.ts"}, inside, None, "/repo")
    assert accesses(pattern, edit) == [("web/src/a.ts", "write")]


def messages(call: ToolCall) -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in read_call(call).messages]


HEREDOC = "\"$(cat <<'EOF'\nfeat: a\n\nWhy.\nEOF\n)\""


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git commit -m 'fix: a'", [("commit", "fix: a")]),
        ("git commit -am 'fix: a' -m why", [("commit", "fix: a\n\nwhy")]),
        ("git commit --message='fix: a'", [("commit", "fix: a")]),
        (f"git add -A && git commit -m {HEREDOC}", [("commit", "feat: a\n\nWhy.")]),
        ("git commit -F - <<'EOF'\nfix: a\nEOF", [("commit", "fix: a")]),
        ("echo 'fix: a' | git commit -F -", [("commit", "fix: a")]),
        ("cat > m <<EOF\nfix: a\nEOF\ngit commit -F m", [("commit", "fix: a")]),
        ("git commit --amend --no-edit", []),
        ("git checkout -b topic", [("branch", "topic")]),
        ("git switch -c topic main", [("branch", "topic")]),
        ("git branch topic", [("branch", "topic")]),
        ("git branch -m old new", [("branch", "new")]),
        ("git branch -d old; git branch --list; git branch", []),
        ("git worktree add -b topic ../x", [("branch", "topic")]),
        ("git push origin HEAD:refs/heads/topic", [("branch", "topic")]),
        ("git push -u origin topic", []),
        ("git tag -a v1 -m one", [("tag", "v1")]),
        ("git tag -d v1", []),
        ("gh release create v1 --notes x", [("tag", "v1")]),
        (
            f"gh pr create --title 'Add a' --body {HEREDOC}",
            [("pr_title", "Add a"), ("pr_body", "feat: a\n\nWhy.")],
        ),
        ("gh pr edit 3 -t 'Add a'", [("pr_title", "Add a")]),
        ("gh pr create -t a --body-file - <<EOF\nb\nEOF", [("pr_title", "a"), ("pr_body", "b")]),
        ("glab mr create -t a -d b", [("pr_title", "a"), ("pr_body", "b")]),
        ("gh pr view --json title", []),
        ("git log --grep 'fix: a'", []),
    ],
)
def test_messages_and_new_names_are_read(command: str, expected: list[tuple[str, str]]) -> None:
    assert messages(bash(command)) == expected


@pytest.mark.parametrize(
    ("tool", "values", "expected"),
    [
        (
            "mcp__github__create_pull_request",
            {"title": "a", "body": "b", "head": "topic", "base": "main"},
            [("pr_title", "a"), ("pr_body", "b"), ("branch", "topic")],
        ),
        ("mcp__github__create_branch", {"branch": "topic"}, [("branch", "topic")]),
        ("mcp__github__push_files", {"branch": "x", "message": "m"}, [("commit", "m")]),
        ("mcp__github__get_pull_request", {"title": "a"}, []),
    ],
)
def test_tools_of_a_forge_are_read_too(
    tool: str, values: dict[str, object], expected: list[tuple[str, str]]
) -> None:
    assert messages(ToolCall(tool, values)) == expected


def test_a_message_must_fit_or_must_not() -> None:
    form = MessagePattern(("commit",), not_regex=r"^(feat|fix): ")
    assert list(form.find(read_call(bash("git commit -m 'Add a'"))))
    assert not list(form.find(read_call(bash("git commit -m 'fix: a'"))))
    assert not list(form.find(read_call(bash("git checkout -b topic"))))
    wip = MessagePattern(regex="(?i)wip")
    assert list(wip.find(read_call(bash("git checkout -b wip/a"))))
