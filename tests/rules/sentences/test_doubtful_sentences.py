"""Sentences that name less than they seem to: nothing is stopped that they do not forbid."""

from __future__ import annotations

import pytest

from dmm.rules.callbook import CallBook, CallEntry
from dmm.rules.commands.calls import ToolCall
from dmm.rules.english import Surroundings, compile_sentence
from dmm.rules.form import compile_fields

Call = str | tuple[str, str]
NESTED = Surroundings(file="web/AGENTS.md", folder="web")


def level_of(text: str, call: Call, known: Surroundings) -> str:
    """The level at which a sentence stops a command, or a text written to a file."""
    fields = compile_sentence(text, known).fields
    if fields is None:
        return "allow"
    rule = compile_fields(fields, text, stem="a-rule")
    assert rule.call is not None
    made = ToolCall("Bash", {"command": call}) if isinstance(call, str) else None
    written = made or ToolCall("Write", {"file_path": call[0], "content": call[1]})
    return CallBook([CallEntry(1, text, rule.call, typed=True)]).rule(written).level


# What is not meant, though a part of the sentence names it.
LEFT: list[tuple[str, Call]] = [
    # Only some of the things of that name, or one that was named before.
    ("Don't add a `createMemo` that reads an async store", ("src/a.ts", "createMemo(f)")),
    ("Use these instead of bare `ValueError`", ("a.py", "except ValueError:")),
    ("Never edit the Markdown file manually", ("README.md", "x")),
    ("Never directly modify `model.case`", ("model.case", "x")),
    ("It must not create `/var/lib/a.env`", ("/var/lib/a.env", "x")),
    ("Complete type hints (no `Any`)", ("a.ts", "let a: any")),
    # A kind of packages, not one of that name.
    ("Avoid unpopular libraries", "npm install unpopular"),
    # The object of the act was not read.
    ("Never commit this value to version control", "git commit -m x"),
    ("Never commit, print, or paste their contents", "git commit -m x"),
    ("No direct pushes to main allowed (after enabling protection)", "git push origin topic"),
    # An aside explains another word, or shows what is meant.
    ("Never log sensitive data (API keys)", ("a.py", "-----BEGIN PRIVATE KEY-----")),
    ("Prefer primitives (`createMemo`) over clever abstractions", ("a.ts", "createMemo(f)")),
    ("Write `pnpm` in examples (`pnpm add`, not `pacquet add`)", "pacquet add x"),
    # Nobody wants to be asked about an everyday act.
    ("Read CONTRIBUTING.md before making a pull request", "gh pr create --fill"),
    ("Check what the workspace has before adding a new dependency", "npm install x"),
    # Another thing than the one that is meant.
    ("All tests must pass before merge", "git merge main"),
    ("No AI attribution in commits", "git commit -m 'x\n\nCo-authored-by: Ann <ann@example.com>'"),
    ("Never bypass hooks with `--no-verify`", ("ci.sh", "git commit --no-verify")),
    ("Use `yarn`, not `npm`", "npm view react version"),
    ("Always use pnpm", "npm create vite@latest"),
]
STOPPED: list[tuple[str, Call, str]] = [
    ("Don't add a `createMemo`, which is slow", ("src/a.ts", "createMemo(f)"), "deny"),
    ("No `any`", ("a.ts", "let a: any"), "deny"),
    ("Never leave a `TODO`", ("a.ts", "// TODO: end"), "deny"),
    ("Never edit the lock file manually", ("uv.lock", "x"), "deny"),
    ("Never edit markdown files", ("README.md", "x"), "deny"),
    ("Never add the lodash package", "npm install lodash", "deny"),
    ("Never commit", "git commit -m x", "ask"),
    ("Handle errors (no bare `except:`)", ("a.py", "except:\n    pass"), "deny"),
    ("All tests must pass before merge", "gh pr merge 4", "deny"),
    ("Review the plan before running alembic upgrade", "alembic upgrade head", "ask"),
    ("No AI attribution in commits", "git commit -m 'x\n\nCo-authored-by: Claude <a@b>'", "deny"),
    ("Do not bypass the hooks with `--no-verify`", "git commit --no-verify -m x", "deny"),
    ("Never bypass the check with `git commit --no-verify`", "git commit -nm x", "deny"),
    ("Never force-push, deploy, or send mail without approval", "git push --force", "ask"),
    ("Use `yarn`, not `npm`", "npm install", "deny"),
    ("Use `yarn`, not `npm`", "npm run build", "deny"),
    ("Never use npm, use pnpm", "npm install --global typescript", "deny"),
]


@pytest.mark.parametrize(("text", "call"), LEFT)
def test_what_is_not_meant_is_left_alone(text: str, call: Call) -> None:
    assert level_of(text, call, Surroundings()) in ("allow", "warn")


@pytest.mark.parametrize(("text", "call", "level"), STOPPED)
def test_what_is_meant_is_still_stopped(text: str, call: Call, level: str) -> None:
    assert level_of(text, call, Surroundings()) == level


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("Run `just ready` before pushing", "git push"),
        ("Never add new dependencies", "npm install x"),
        ("Use `yarn`, not `npm`", "npm install"),
    ],
)
def test_a_rule_about_one_folder_never_holds_work_on_another(text: str, call: str) -> None:
    assert level_of(text, call, Surroundings()) == "deny"
    assert level_of(text, call, NESTED) == "allow"
    assert compile_sentence(text, NESTED).why_not == "no call shows whether it is about web"


def test_a_command_that_a_nested_file_names_is_stopped_everywhere() -> None:
    assert level_of("Never run `bun run dev`", "cd web && bun run dev", NESTED) == "deny"
