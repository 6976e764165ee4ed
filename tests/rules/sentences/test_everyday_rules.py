"""Everyday English as rules: the level a person would expect, on the calls they would think of."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from dmm.rules.callbook import CallBook, CallEntry
from dmm.rules.commands.calls import ToolCall
from dmm.rules.english import Surroundings, asks_first, compile_sentence
from dmm.rules.form import compile_fields
from dmm.rules.on_file import files_of
from dmm.rules.source import prove

if TYPE_CHECKING:
    from pathlib import Path

Call = str | tuple[str, str] | tuple[str, str, str]


def called(call: Call) -> ToolCall:
    """A command, a command on a branch, or a tool with a path and a text."""
    if isinstance(call, str):
        return ToolCall("Bash", {"command": call})
    if call[0] in ("Write", "Read"):
        content = {"content": call[2]} if len(call) > 2 else {}
        return ToolCall(call[0], {"file_path": call[1], **content})
    return ToolCall("Bash", {"command": call[0]}, branch=call[1])


def level_of(text: str, call: Call, known: Surroundings | None = None) -> str:
    fields = compile_sentence(text, known or Surroundings()).fields
    if fields is None:
        return "allow"
    rule = compile_fields(fields, text, stem="a-rule")
    assert rule.call is not None
    return CallBook([CallEntry(1, text, rule.call, typed=True)]).rule(called(call)).level


# A sentence, the level at which it stops, what it stops, and what it leaves alone.
EVERYDAY: list[tuple[str, str, list[Call], list[Call]]] = [
    ("tests must pass before commit", "deny", ["git commit -m x"], ["npm test && git commit -m x"]),
    ("All tests must pass before committing", "deny", ["git commit -am x"], ["git status"]),
    ("make sure all tests pass before you commit", "deny", ["git commit -m x"], ["pytest -q"]),
    ("Never push without running the tests", "deny", ["git push"], ["pytest && git push"]),
    ("Do not commit until the linter passes", "deny", ["git commit -m x"], ["git add ."]),
    ("Run ruff before pushing", "deny", ["git push"], ["ruff check . && git push"]),
    ("Run make check before committing", "deny", ["git commit -m x"], ["make check"]),
    ("don't touch src/billing", "deny", [("Write", "src/billing/a.py")], [("Write", "src/a.py")]),
    (
        "don't edit generated files in generated/",
        "deny",
        [("Write", "generated/a.ts"), "git mv generated/a.ts b.ts"],
        [("Read", "generated/a.ts"), ("Write", "src/generate.ts")],
    ),
    (
        "never change .github/workflows without approval",
        "ask",
        [("Write", ".github/workflows/ci.yml")],
        [("Write", ".github/CODEOWNERS"), "cat .github/workflows/ci.yml"],
    ),
    ("no new dependencies without approval", "ask", ["npm install left-pad"], ["npm ci"]),
    ("Ask before adding packages", "ask", ["uv add rich", "cargo add serde"], ["uv sync"]),
    ("never add a dependency on lodash", "deny", ["npm i lodash"], ["npm i lodash-es"]),
    ("ask me before deleting files", "ask", ["rm a.txt", "git rm a.txt"], ["cat a.txt"]),
    (
        "Do not modify files outside src/",
        "deny",
        [("Write", "docs/a.md")],
        [("Write", "src/a.py"), ("Read", "docs/a.md"), "ls > /dev/null"],
    ),
    ("Never delete files outside tests/", "deny", ["rm src/a.py"],
     ["rm tests/a.py", ("Write", "src/a.py")]),
    ("Never move files outside tests/", "deny",
     ["git mv src/a.py src/b.py", "mv tests/a.py src/a.py"],
     ["mv tests/a.py tests/b.py", ("Write", "src/a.py")]),
    ("Never rename files in src/core", "deny", ["mv src/core/a.py src/core/b.py"],
     ["mv src/a.py src/b.py", ("Write", "src/core/a.py")]),
    ("Ask me before deleting files outside tests/.", "ask", ["rm src/a.py"],
     [("Write", "src/a.py"), "touch src/b.py"]),
    ("Do not edit files under shop_core/dom.", "deny", [("Write", "shop_core/dom/a.py")],
     [("Write", "shop_core/a.py"), ("Read", "shop_core/dom/a.py")]),
    ("Run pre-commit hooks before making PRs", "deny", ["gh pr create --fill"],
     ["pre-commit run --all-files && gh pr create", "uv run pre-commit run -a && gh pr create"]),
    ("Run pre-commit checks before pushing", "deny",
     ["git push", "pre-commit install && git push", "pre-commit --version && git push"],
     ["pre-commit run -a && git push"]),
    ("Run yarn types before committing", "deny",
     ["git commit -m x", "yarn install && git commit -m x", "yarn run lint && git commit -m x"],
     ["yarn types && git commit -m x", "yarn run types && git commit", "yarn type && git commit"]),
    ("Run gradle checks before pushing", "deny", ["git push", "gradle build && git push"],
     ["gradle check && git push", "gradle checks && git push"]),
    ("Run cargo tests before every commit", "deny", ["git commit -m x", "cargo fmt && git commit"],
     ["cargo test && git commit -m x"]),
    ("Avoid `make types` and `make test` between edits", "warn", ["make types", "make test"],
     ["make lint"]),
    ("Never commit without my approval", "ask", ["git commit -m x"], ["git add .", "git log"]),
    ("Don't push unless I ask", "ask", ["git push origin topic"], ["git pull"]),
    ("Do not push.", "ask", ["git push"], ["git fetch"]),
    ("never push to main", "deny", ["git push origin main"], ["git push origin topic"]),
    ("IMPORTANT: never commit to main", "deny", [("git commit -m x", "main")],
     [("git commit -m x", "topic")]),
    ("On main, never commit", "deny", [("git commit -m x", "main")],
     [("git commit -m x", "topic")]),
    ("use pnpm, not npm", "deny", ["npm install"], ["pnpm install", "cat package.json"]),
    ("Always use `pnpm` (never `npm`)", "deny", ["npm ci"], ["pnpm i"]),
    ("never use --no-verify", "deny",
     ["git commit --no-verify -m x", "git commit -n -m x", "git commit -nm x"],
     ["git commit -m x", "git log -n 3"]),
    ("never read .env", "deny", ["cat .env", ("Read", ".env"), "source .env"],
     ["cp .env.example b.txt", ("Read", "src/env.py")]),
    ("never commit .env files", "deny", ["git add .env", "git add -f config/.env"],
     ["git add .env.example", ("Write", ".env"), "git commit -m 'document .env'"]),
    ("Never commit secrets", "deny", [("Write", "a.py", f"K = 'AKIA{'Q' * 16}'\n")],
     [("Write", "a.py", "K = os.environ['K']\n"), "git commit -m x"]),
    ("never edit migrations/", "deny", [("Write", "migrations/1.py"), "rm app/migrations/1.py"],
     [("Read", "migrations/1.py"), ("Write", "docs/migrations.md")]),
    ("never run terraform destroy", "deny", ["terraform destroy", "terraform apply -destroy"],
     ["terraform plan", "terraform plan -destroy"]),
    ("never run rm -rf outside of the build directory", "deny", ["rm -rf src", "rm -rf /"],
     ["rm -rf build", "rm -rf ./build/out", "rm -r src"]),
    ("Never write to /etc", "deny", [("Write", "/etc/hosts")], [("Write", "etc/a.conf")]),
    ("Get approval before pushing", "ask", ["git push"], ["git status"]),
    ("Changes to `infra/` require approval", "ask", [("Write", "infra/a.tf")], ["ls infra"]),
    ("Use `uv run pytest` (not bare `pytest`)", "deny", ["pytest -q"], ["uv run pytest -q"]),
    ("Never use `console.log` in production code", "deny",
     [("Write", "src/a.ts", "console.log(1)")],
     [("Write", "src/a.test.ts", "console.log(1)"), ("Write", "docs/a.md", "console.log(1)"),
      ("Write", "src/a.ts", "// console.log(1)")]),
    ("No default exports", "deny", [("Write", "a.tsx", "export default App\n")],
     [("Write", "a.tsx", "export { App }\n"), ("Write", "a.tsx", "const defaultSize = 1\n")]),
    ("Avoid type assertions in TypeScript", "deny", [("Write", "a.ts", "const a = b as Name\n")],
     [("Write", "a.ts", "import { b as Name } from 'c'\nimport * as d from 'd'\n"),
      ("Write", "a.ts", "const a = [1] as const\n")]),
    ("Never use any in TypeScript", "deny", [("Write", "a.ts", "let a: any\n")],
     [("Write", "a.ts", "// any\nlet a = many()\n"), ("Write", "a.py", "any(a)\n")]),
    ("Never use z.any()", "deny", [("Write", "a.ts", "const a = z.any()\n")],
     [("Write", "a.ts", "const a = z.string()\n")]),
    ("Never use t.only", "deny", [("Write", "a.test.ts", "t.only('a', run)\n")],
     [("Write", "a.test.ts", "t('a', run)\n")]),
    ("Do not use `sleep()` in tests", "deny", [("Write", "tests/test_a.py", "sleep(1)\n")],
     [("Write", "src/a.py", "sleep(1)\n"), ("Write", "tests/test_a.py", "asleep(1)\n")]),
    ("Commit messages must follow Conventional Commits", "deny", ["git commit -m 'did things'"],
     ["git commit -m 'fix(api): keep order'", "git status"]),
    ("Branches must start with `feature/`", "deny", ["git checkout -b fix"],
     ["git checkout -b feature/a", "git checkout main"]),
    ("Do not mention Claude in commit messages", "deny", ["git commit -m 'x by Claude'"],
     ["git commit -m 'fix: x'", "git log --grep Claude"]),
    ("No emojis in commit messages", "deny", ["git commit -m '\N{SPARKLES} x'"],
     ["git commit -m x"]),
    ("Never push to upstream", "deny", ["git push upstream topic"],
     ["git push origin topic", "git fetch upstream"]),
    ("Never force-push to main or release branches", "deny",
     ["git push -f origin main", "git push origin +main", "git push --force origin release/2"],
     ["git push origin main", "git push -f origin topic"]),
    ("Never amend commits", "deny", ["git commit --amend"], ["git commit -m 'amend the docs'"]),
    ("No console.log in src.", "deny", [("Write", "src/a.ts", "console.log(1)")],
     [("Write", "tools/a.ts", "console.log(1)")]),
    ("Avoid default exports under lib or app", "deny", [("Write", "app/a.ts", "export default a")],
     [("Write", "src/a.ts", "export default a")]),
    ("Use logging, never print, in Python code under api/", "deny",
     [("Write", "api/v1/a.py", "print(1)\n"), ("Write", "api/a.py", "print(1)\n")],
     [("Write", "api/a.swift", "print(1)\n"), ("Write", "jobs/a.py", "print(1)\n")]),
    ("Do not run pytest by itself", "deny", ["pytest", ".venv/bin/pytest"],
     ["pytest tests/test_a.py"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "level", "stopped", "spared"), EVERYDAY)
def test_an_everyday_rule_stops_what_a_person_expects(
    text: str, level: str, stopped: list[Call], spared: list[Call]
) -> None:
    assert [level_of(text, call) for call in stopped] == [level] * len(stopped)
    assert [level_of(text, call) for call in spared] == ["allow"] * len(spared)


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("never use curl to download scripts", "curl localhost:3000/health"),
        ("never amend published commits", "git commit --amend"),
        ("Avoid `useEffect` for data fetching", ("Write", "a.tsx", "useEffect(run)\n")),
        ("Never run `git push` on Fridays", "git push"),
        ("When CI is red, never run `git push`", "git push"),
        ("Prefer pnpm over npm", "npm install"),
        ("Never run `make all` on a machine that is not yours", "make all"),
        ("Do not use `user_name` as the primary key", ("Write", "a.py", "user_name = 1\n")),
        ("Do not use `user_name` or e-mail as a key", ("Write", "a.py", "user_name = 1\n")),
        ("Never run `git add -A` to stage a fix", "git add -A"),
        ("Do not use `rm -rf` on anything you did not create", "rm -rf build"),
        ("`time.monotonic()` for durations, not `time.time()`", ("Write", "a.py", "time.time()")),
    ],
)  # fmt: skip
def test_a_condition_that_no_call_shows_stops_nothing(text: str, call: Call) -> None:
    assert level_of(text, call) in ("allow", "warn")


@pytest.mark.parametrize(
    "text",
    [
        "Be kind to the traveller",
        "PRs only",
        "keep functions under 50 lines",
        "Prefer clarity over cleverness",
        "Never deploy on Fridays",
        "Use docker, it is fine",
        "You may use npm",
        "Why not use npm?",
        "It is not forbidden to use curl",
        "Do not hesitate to use git push --force",
        "Never forget to run npm install",
        "Don't commit to a deadline",
        "Don't push yourself too hard",
        "Never push broken code to main",
        "Never use docker or kubernetes manifests",
        "Never use unsafe practices",
        "Ask before running destructive commands",
        "Ask before running Git write actions",
        "Never commit without running the release checklist",
        "Handlers must not run raw SQL",
        "Comments explain why, never what",
        "Use `def foo(a)`, not `def foo(a=1)`",
        "Never find excuses",
        "Never add native/FFI dependencies",
        "Never add timestamps, e.g. in tests",
        "Run git hooks before pushing",
        "Run alembic migrations before committing",
        "Ticket references: never include the URL slug (e.g. the last part of it)",
        "Write sentences, no `fix:` or `docs:` prefix, which belongs on the commit subject",
        "",
        "never",
        "x" * 3_000,
    ],
)
def test_what_names_nothing_for_certain_gives_no_matcher(text: str) -> None:
    found = compile_sentence(text)
    assert found.fields is None
    assert found.why_not


def test_every_rule_carries_examples_that_hold() -> None:
    for text, *_ in EVERYDAY:
        fields: dict[str, Any] = compile_sentence(text).fields or {}
        assert fields["examples"]["block"]
        assert fields["examples"]["allow"]
        assert prove(compile_fields(fields, text, stem="a-rule")) == ()


def test_what_is_known_of_the_repository_makes_names_certain() -> None:
    known = Surroundings(packages=frozenset(("httpx",)))
    text = "Use httpx, not `requests`"
    assert level_of(text, "pip install requests") == "allow"
    assert level_of(text, "pip install requests", known) == "deny"
    assert level_of(text, "pip install httpx", known) == "allow"


def test_a_rule_of_a_nested_file_is_relative_to_its_folder() -> None:
    known = Surroundings(folder="web")
    fields = compile_sentence("Do not edit `src/generated/`", known).fields
    assert fields is not None
    assert fields["folder"] == "web"
    assert (
        level_of("Do not edit `src/generated/`", ("Write", "web/src/generated/a.ts"), known)
        == "deny"
    )
    assert (
        level_of("Do not edit `src/generated/`", ("Write", "src/generated/a.ts"), known) == "allow"
    )


def test_a_wish_to_be_asked_is_known_without_a_matcher() -> None:
    assert compile_sentence("Ask before running migrations.").fields is None
    assert asks_first("Ask before running migrations.")
    assert not asks_first("Never run migrations.")
    assert not asks_first("Be kind to the traveller.")


def test_what_may_not_be_committed_is_not_added_with_everything_else(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    fields = compile_sentence("Never commit .env").fields or {}
    call_rule = compile_fields(fields, "Never commit .env", stem="a-rule").call
    assert call_rule is not None
    book = CallBook([CallEntry(1, "Never commit .env", call_rule, typed=True)])

    def level(command: str) -> str:
        call = ToolCall("Bash", {"command": command}, str(tmp_path), root=str(tmp_path))
        return book.rule(call, None, *files_of(call)).level

    (tmp_path / "a.py").write_text("a = 1\n")
    assert level("git add -A") == level("git add .") == "allow"
    (tmp_path / ".env").write_text("KEY=1\n")
    assert level("git add -A") == level("git add .") == "deny"
    assert level("git add a.py") == "allow"
    (tmp_path / ".gitignore").write_text(".env\n")
    assert level("git add -A") == "allow"
