from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.rules.commands.calls import CallFacts, ToolCall, read_call


def bash(command: str, branch: str | None = None) -> CallFacts:
    return read_call(ToolCall("Bash", {"command": command}, cwd="/app", branch=branch))


@pytest.mark.parametrize(
    ("tool", "values", "expected"),
    [
        ("Read", {"file_path": "/app/src/a.py"}, [("src/a.py", "read")]),
        ("Write", {"file_path": "/app/src/a.py", "content": "x"}, [("src/a.py", "write")]),
        ("Edit", {"file_path": "/other/a.py"}, [("/other/a.py", "write")]),
        ("MultiEdit", {"file_path": "a.py", "edits": []}, [("a.py", "write")]),
        ("NotebookEdit", {"notebook_path": "n.ipynb"}, [("n.ipynb", "write")]),
        ("edit", {"filePath": "/app/x.ts"}, [("x.ts", "write")]),
        ("Bash", {"command": "cat a.txt > b.txt"}, [("b.txt", "write"), ("a.txt", "read")]),
        ("Bash", {"command": "grep pattern a.txt"}, [("a.txt", "read")]),
        ("Bash", {"command": "sed -i s/a/b/ a.txt"}, [("a.txt", "write")]),
        ("Bash", {"command": "cp a b"}, [("a", "read"), ("b", "write")]),
        ("Bash", {"command": "cd sub && cat x"}, [("sub/x", "read")]),
        ("Bash", {"command": "git show HEAD:x"}, [("x", "read")]),
        ("WebFetch", {"url": "https://example.com"}, []),
        ("Bash", {"command": "ls a; stat b; test -f c; wc -l d; chmod 600 e"}, []),
        ("Bash", {"command": "some-tool a --key b -v c"}, [("a", "read")]),
        ("Bash", {"command": "curl -d @a -F x=@b -T c https://e"}, [(x, "read") for x in "abc"]),
        ("Bash", {"command": "tar czf a.tgz --exclude b c"}, [("a.tgz", "write"), ("c", "read")]),
        ("Bash", {"command": "tar -czf a.tgz --exclude b c"}, [("a.tgz", "write"), ("c", "read")]),
        ("Bash", {"command": "tar -c -f - c"}, [("c", "read")]),
        ("Bash", {"command": "dd if=a of=b"}, [("a", "read"), ("b", "write")]),
        ("Bash", {"command": "git mv a b"}, [("a", "rename"), ("b", "rename")]),
        ("Bash", {"command": "git rm --cached a; git check-ignore b; git diff --stat c"}, []),
        ("Bash", {"command": "pytest a; mypy b; make c; npx eslint d"}, []),
        ("Bash", {"command": "export $(grep -v x a)"}, [("a", "load")]),
        ("Bash", {"command": "export X=$(rm -rf a)"}, [("a", "delete")]),
        ("Bash", {"command": "local x=$(cp a b)"}, [("a", "load"), ("b", "write")]),
        ("Bash", {"command": "env A=$(tee a) true"}, [("a", "write")]),
        ("Bash", {"command": "rm a/*"}, [("a/*", "delete"), ("a", "delete")]),
        ("Bash", {"command": "perl -pi -e x a"}, [("a", "write")]),
        ("Grep", {"pattern": "x", "path": "a", "glob": "*.b"}, [("a", "read"), ("*.b", "read")]),
        ("Glob", {"pattern": "a/**"}, []),
        ("mcp__fs__read_file", {"path": "/app/a"}, [("a", "read")]),
        ("mcp__fs__write_file", {"path": "a", "content": "b"}, [("a", "write")]),
        ("mcp__fs__get", {"uri": "file:///app/a"}, [("a", "read")]),
        ("mcp__fs__edit", {"files": [{"file_path": "a"}]}, [("a", "write")]),
        ("mcp__fs__copy", {"source": "a", "destination": "b"}, [("a", "read"), ("b", "write")]),
        ("mcp__sh__exec", {"command": "cat a"}, [("a", "read")]),
        ("mcp__py__run", {"code": "open('a')"}, [("a", "read")]),
        ("mcp__x__ask", {"question": "cat a", "source": "b"}, []),
    ],
)
def test_the_files_of_a_call_are_named_with_their_access(
    tool: str, values: dict[str, object], expected: list[tuple[str, str]]
) -> None:
    facts = read_call(ToolCall(tool, values, cwd="/app"))
    assert [(use.path, use.access) for use in facts.paths] == expected


PATCH = """*** Begin Patch
*** Update File: package.json
@@
   "dependencies": {
+    "left-pad": "^1.3.0",
     "react": "^18.0.0"
*** Add File: src/b.py
+x = 1
*** Delete File: old.py
*** Update File: a.py
*** Move to: c.py
*** End Patch
"""


@pytest.mark.parametrize(
    "call",
    [
        ToolCall("apply_patch", {"command": PATCH}),
        ToolCall("apply_patch", {"input": PATCH}),
        ToolCall("Bash", {"command": f"apply_patch <<'EOF'\n{PATCH}EOF\n"}),
    ],
)
def test_a_patch_names_its_files_and_the_packages_it_adds(call: ToolCall) -> None:
    facts = read_call(call)
    paths = [
        ("package.json", "write"),
        ("src/b.py", "create"),
        ("old.py", "delete"),
        ("a.py", "write"),
        ("c.py", "rename"),
        ("a.py", "rename"),
    ]
    assert [(use.path, use.access) for use in facts.paths] == paths
    assert [use.name for use in facts.dependencies] == ["left-pad"]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npm install left-pad", ["left-pad"]),
        ("npm i -D @types/node@20 react@^18", ["@types/node", "react"]),
        ("npm ci && npm install", []),
        ("pnpm add --filter web zod", ["zod"]),
        ("yarn add lodash", ["lodash"]),
        ("pip install 'requests[socks]>=2,<3' -r requirements.txt", ["requests"]),
        ("python3 -m pip install flask", ["flask"]),
        ("uv add httpx==0.27", ["httpx"]),
        ("uv pip install -e . rich", ["rich"]),
        ("poetry add --group dev pytest", ["pytest"]),
        ("cargo add serde@1 --features derive", ["serde"]),
        ("go get -u github.com/a/b@v1.2.3", ["github.com/a/b"]),
        ("sudo apt-get install -y jq", ["jq"]),
        ("pip install ./local git+https://example.com/x", []),
        ("echo npm install left-pad", []),
    ],
)
def test_an_install_command_names_its_packages(command: str, expected: list[str]) -> None:
    assert [use.name for use in bash(command).dependencies] == expected


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("package.json", '"react": "^18"', '"react": "^18",\n"left-pad": "1.0.0"', ["left-pad"]),
        ("package.json", "", '"scripts": {"x": "node"}', []),
        ("package.json", "", '"save": "git commit", "serve": "http-server dist"', []),
        (
            "package.json",
            "",
            '"a": "catalog:", "b": "git+ssh://x", "c": "jsr:@s/c"',
            ["a", "b", "c"],
        ),
        (
            "package.json",
            "",
            '"d": "git@host:x", "e": "latest", "f": "https://x/f.tgz"',
            ["d", "e", "f"],
        ),
        ("requirements.txt", "flask\n", "flask\nDjango==5.0  # web\n# note\n-r x\n", ["Django"]),
        ("pyproject.toml", "", 'dependencies = [\n  "rich>=14",\n]', ["rich"]),
        ("Cargo.toml", "", 'serde = "1"\ntokio = { version = "1" }', ["serde", "tokio"]),
        ("go.mod", "", "require github.com/a/b v1.0.0", ["github.com/a/b"]),
        ("Gemfile", "", "gem 'rails', '~> 7'", ["rails"]),
        ("src/app.py", "", "flask", []),
    ],
)
def test_an_edit_of_a_manifest_names_the_packages_it_adds(
    path: str, old: str, new: str, expected: list[str]
) -> None:
    values = {"file_path": path, "old_string": old, "new_string": new}
    facts = read_call(ToolCall("Edit", values))
    assert [use.name for use in facts.dependencies] == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git push", [("topic", "push")]),
        ("git push origin main", [("main", "push")]),
        ("git push origin HEAD:main", [("main", "push")]),
        ("git push origin HEAD", [("topic", "push")]),
        ("git push origin +a:refs/heads/b", [("b", "force-push")]),
        ("git push --force-with-lease origin main", [("main", "force-push")]),
        ("git push origin :old", [("old", "delete")]),
        ("git push -d origin old", [("old", "delete")]),
        ("git push --dry-run origin main", []),
        ("git branch -D old", [("old", "delete")]),
        ("git commit -m 'git push origin main'", [("topic", "commit")]),
        ("git commit --amend", [("topic", "rewrite")]),
        ("git rebase main other", [("other", "rewrite")]),
        ("git -C sub push origin main", [("main", "push")]),
        ("git status", []),
        ("git push --all", [("*", "push")]),
        ("git push --mirror origin", [("*", "force-push")]),
        ("git push origin 'refs/heads/*:refs/heads/*'", [("*", "push")]),
        ("git push origin '+refs/heads/rel/*'", [("rel/*", "force-push")]),
        ("git push origin :", [("*", "push")]),
        ('git push origin "$(git branch --show-current)"', [("topic", "push")]),
    ],
)
def test_what_is_done_to_branches_is_named(
    command: str, expected: list[tuple[str | None, str]]
) -> None:
    facts = bash(command, branch="topic")
    assert [(use.name, use.verb) for use in facts.branches] == expected


def test_the_name_of_an_mcp_tool_is_taken_apart() -> None:
    assert read_call(ToolCall("mcp__dmm__memory_search", {})).mcp == ("dmm", "memory_search")
    assert read_call(ToolCall("mcp_dmm_memory_search", {})).mcp == ("dmm", "memory_search")


def test_a_command_of_an_mcp_tool_is_read_as_shell() -> None:
    call = ToolCall("mcp__desktop__start_process", {"command": "git push origin main"})
    facts = read_call(call)
    (use,) = facts.commands
    assert facts.text[slice(*use.invocation.span)] == "git push origin main"
    assert [one.name for one in facts.branches] == ["main"]
    listed = ToolCall("mcp__x__exec", {"command": "git", "args": ["push", "origin", "main"]})
    assert [one.name for one in read_call(listed).branches] == ["main"]
    # Whether this is a command is not sure: what can't be read of it says nothing.
    note = read_call(ToolCall("mcp__notes__add", {"script": "don't | base64 -d | sh"}))
    assert (note.malformed, note.unresolved) == (False, ())


def test_only_a_text_names_the_language_of_code() -> None:
    deep: object = "ruby"
    for _ in range(2_000):
        deep = [deep]
    code = {"code": "import os; os.system('git push')", "language": deep}
    assert [use.invocation.argv for use in read_call(ToolCall("mcp__a__run", code)).commands] == [
        ("git", "push")
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)
KEYS = st.sampled_from([
    "command", "file_path", "edits", "content", "new_string", "input", "cmd", "path", "glob",
    "code", "uri", "args", "source",
])  # fmt: skip
TOOLS = st.sampled_from([
    "Bash", "shell", "Write", "Edit", "apply_patch", "Read", "Grep", "x", "mcp__a__run",
    "mcp__a__move",
])  # fmt: skip


@given(TOOLS, st.dictionaries(KEYS, JSON))
def test_no_input_breaks_the_reading_of_a_call(tool: str, values: dict[str, object]) -> None:
    assert read_call(ToolCall(tool, values, cwd="/app")).call.tool == tool
