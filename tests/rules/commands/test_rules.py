from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from dmm.errors import UsageError
from dmm.rules.callrules import Action, ToolRule, match_tool
from dmm.rules.commands.calls import ToolCall
from dmm.rules.explain import describe_call, describe_matcher
from dmm.rules.form import compile_fields
from dmm.rules.stored import rule_from_dict, rule_to_dict
from dmm.rules.syntax import compile_tool_rule

if TYPE_CHECKING:
    from dmm.rules.rule import RuleLevel


def bash(command: str, branch: str | None = None) -> ToolCall:
    return ToolCall("Bash", {"command": command}, branch=branch)


def write(path: str) -> ToolCall:
    return ToolCall("Write", {"file_path": path, "content": ""})


def compiled(text: str) -> ToolRule:
    rule = compile_tool_rule(text)
    assert rule is not None
    return rule


CASES = [
    ("tool: Bash(git push --force*)", bash("git push -u --force-with-lease origin x"), True),
    ("tool: Bash(git push --force*)", bash("git push --follow-tags"), False),
    ("tool: Bash(git push --force*)", ToolCall("shell", {"command": "git push --force"}), False),
    ("tool: Bash(npm run test:*)", bash("npm run test -- --watch"), True),
    ("tool: Bash(curl *)", bash("ls && sudo curl https://example.com"), True),
    ("tool: Bash(curl *)", bash("echo curl x"), False),
    ("tool: WebFetch", ToolCall("WebFetch", {"url": "x"}), True),
    ("tool: WebFetch", ToolCall("WebSearch", {}), False),
    ("tool: mcp__*__delete_*", ToolCall("mcp__db__delete_rows", {}), True),
    ("tool: mcp__*__delete_*", ToolCall("mcp__db__list_rows", {}), False),
    ("tool: Write(src/generated/**)", write("src/generated/a/b.py"), True),
    ("tool: Write(src/generated/**)", write("src/app.py"), False),
    ("tool: Write(src/generated/**)", ToolCall("Read", {"file_path": "src/generated/b"}), False),
    ("command: rm -rf /", bash("rm -fr /"), True),
    ("command: rm -rf /", bash("rm --force --recursive x /"), True),
    ("command: rm -rf /", bash("rm -rf /tmp/x"), False),
    ("command: rm -rf /", bash("rm -f /"), False),
    ("command: git commit --no-verify", bash("git commit -m x --no-verify"), True),
    ("command: git commit --no-verify", bash("git commit -m '--no-verify'"), False),
    ("command: docker run --privileged", bash("docker run -it --privileged alpine"), True),
    ("command: docker run --privileged", bash("docker ps --privileged"), False),
    ("command: pip install", bash("pip install x"), True),
    ("command: pip install", bash("uv add x"), False),
    ("command: pip install", bash("pip uninstall install"), False),
    ("path: secrets/** (write)", write("secrets/prod/key"), True),
    ("path: secrets/** (write)", ToolCall("Read", {"file_path": "secrets/prod/key"}), False),
    ("path: secrets/** (write)", write("docs/secrets/x"), False),
    ("path: secrets/** (write)", bash("echo x > secrets/a"), True),
    ("path: secrets/** (write)", bash("cat secrets/a"), False),
    ("path: *.lock (write)", write("web/yarn.lock"), True),
    ("path: *.lock (write)", write("web/yarn.lock.md"), False),
    ("path: *.sql; except: migrations/*.sql", write("a/x.sql"), True),
    ("path: *.sql; except: migrations/*.sql", write("migrations/x.sql"), False),
    ("path: src/*.py", write("src/a/b.py"), False),
    ("dependency: left-pad", bash("npm install left-pad@1"), True),
    ("dependency: left-pad", bash("npm install left-pad-plus"), False),
    ("dependency: left-pad", bash("npm uninstall left-pad"), False),
    ("dependency: Left_Pad", bash("pip install left.pad"), True),
    ("dependency: @types/*", bash("pnpm add -D @types/node"), True),
    ("branch: main (push)", bash("git push origin main"), True),
    ("branch: main (push)", bash("git push origin HEAD:main"), True),
    ("branch: main (push)", bash("git push --force origin main"), True),
    ("branch: main (push)", bash("git push origin maintenance"), False),
    ("branch: main (push)", bash("git push", branch="main"), True),
    ("branch: main (push)", bash("git push"), False),
    ("branch: main (push)", bash("git commit -m x", branch="main"), False),
    ("branch: release/* (delete)", bash("git branch -d release/1"), True),
    ("branch: main (commit, rewrite)", bash("git commit --amend", branch="main"), True),
]  # fmt: skip


@pytest.mark.parametrize(("text", "call", "stopped"), CASES)
def test_a_written_rule_stops_what_it_says(text: str, call: ToolCall, *, stopped: bool) -> None:
    assert bool(match_tool(compiled(text), call)) is stopped


@pytest.mark.parametrize("text", sorted({text for text, _, _ in CASES}))
def test_a_written_rule_has_true_examples_and_comes_back_from_json(text: str) -> None:
    rule = compiled(text)
    assert match_tool(rule, rule.blocked) is not None
    assert match_tool(rule, rule.allowed) is None
    assert rule_from_dict(json.loads(json.dumps(rule_to_dict(rule)))) == rule
    assert compiled(text) == rule


@pytest.mark.parametrize(
    "text",
    [
        "Never push to main",
        "path: we should look at this",
        "path:",
        "path: x (execute)",
        "branch: main (love)",
        "command: a && b",
        "command: 'unclosed",
        "command: ",
        "dependency: two words",
        "tool: two words",
        "path: *.sql; action: explode",
        "path: *.sql; except: two words",
        "tool: X; except: y",
        "",
    ],
)
def test_prose_and_what_cannot_be_read_gives_no_rule(text: str) -> None:
    assert compile_tool_rule(text) is None


def test_the_clauses_of_a_written_rule_are_kept() -> None:
    rule = compiled("path: *.sql; action: ask; reason: No loose SQL.; use: A migration.")
    assert (rule.action, rule.reason, rule.suggestion) == (
        Action.ASK,
        "No loose SQL.",
        "A migration.",
    )


def test_a_rule_is_explained_in_plain_words() -> None:
    def told(text: str, level: RuleLevel = "deny") -> list[str]:
        return list(describe_matcher(compiled(text), level))

    rule = compiled("command: rm -rf /; reason: It can't be undone.; use: Name one folder.")
    assert (rule.reason, rule.suggestion) == ("It can't be undone.", "Name one folder.")
    assert describe_call(rule.blocked) == "rm -r -f /"
    assert describe_call(rule.allowed) == "echo 'rm -r -f /'"
    assert told("command: rm -rf /") == [
        "Blocks the command rm / with -r, -R or --recursive and -f or --force."
    ]
    assert told("branch: main (push); action: warn", "warn") == [
        "Warns about pushing or force-pushing the branch main."
    ]
    assert told("path: *.sql (write); except: m/*.sql") == [
        "Blocks writing *.sql.",
        "Not for reading or writing m/*.sql.",
    ]


def test_what_a_rule_says_of_text_names_the_folder_it_is_about() -> None:
    item = {"content": {"regex": "eval"}, "path": ["**", "!*.md"]}
    call = compile_fields({"folder": "web/app", "match": [item]}, "Never eval.", stem="eval").call
    assert call is not None
    assert list(describe_matcher(call, "deny")) == [
        "Blocks writing `eval` in any file in web/app/ except *.md."
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"action": "explode"},
        {"patterns": [{"kind": "nothing"}]},
        {"patterns": [{"kind": "command", "programs": ["x"], "check": "no such check"}]},
        {"patterns": "x"},
        {"tools": [1]},
        {"blocked": None},
    ],
)
def test_values_that_are_no_rule_are_refused(change: dict[str, object]) -> None:
    values = rule_to_dict(compiled("command: rm -rf /")) | change
    with pytest.raises(UsageError, match="not a tool rule"):
        rule_from_dict(values)


def test_a_call_is_told_by_its_path_and_not_by_its_content() -> None:
    written = ToolCall("Write", {"content": "x = 1\n", "file_path": "src/app.py"})
    assert describe_call(written) == "Write src/app.py"
    assert describe_call(ToolCall("exec_command", {"yield": 1, "cmd": "ls"})) == "exec_command ls"
    assert describe_call(ToolCall("Later", {"x": 1})) == "Later 1"
    assert describe_call(ToolCall("Later", {})) == "Later"
