"""A command pattern holds every word of a rule against one invocation."""

from __future__ import annotations

import pytest

from dmm.rules.callbook import CallBook, CallEntry
from dmm.rules.commands.calls import ToolCall, read_call
from dmm.rules.form import compile_fields
from dmm.rules.patterns import CommandPattern, PathPattern, Pattern, ToolPattern
from dmm.rules.stored import patterns_from, to_plain

GIT_COMMIT = CommandPattern(("git",), ("commit",))
NO_VERIFY = GIT_COMMIT.changed(flags=("--no-verify",))


def stops(pattern: Pattern, command: str, branch: str | None = None) -> bool:
    facts = read_call(ToolCall("Bash", {"command": command}, "/app", branch))
    return any(True for _ in pattern.find(facts))


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git commit --no-verify -m x", True),
        ("git commit -n", True),
        ("git commit -nm 'Fix it'", True),
        ("git commit -anm 'Fix it'", True),
        ("git commit -m 'Fix it' -n", True),
        ("git commit --no-veri -m x", True),
        ("git commit -m -n", False),
        ("git commit -mn", False),
        ("git commit -am no", False),
        ("git commit -m x -- -n", False),
        ("git push -n", False),
    ],
)
def test_a_flag_counts_in_every_spelling_and_only_as_a_flag(command: str, expected: bool) -> None:
    assert stops(NO_VERIFY, command) is expected


@pytest.mark.parametrize(
    ("pattern", "command", "expected"),
    [
        (CommandPattern(("rm",), (), ("--recursive",)), "rm -fR a", True),
        (CommandPattern(("rm",), (), ("-r",)), "rm --recurs a", True),
        (CommandPattern(("docker",), ("run",), ("--privileged",)), "docker run -it a", False),
        (CommandPattern(("docker",), ("run",), ("--volume",)), "docker run -v a:b c", True),
        (CommandPattern(("pip",), ("install",), ("--upgrade",)), "pip install -U a", True),
        (CommandPattern(("git",), ("push",), (), ("--dry-run",)), "git push -n", False),
        (CommandPattern(("t",), (), ("--filter=test_*",)), "t --filter=test_a", True),
        (CommandPattern(("t",), (), ("--filter=test_*",)), "t --filter test_a", True),
        (CommandPattern(("t",), (), ("--filter=test_*",)), "t --filter other", False),
        (CommandPattern(("curl",), (), ("-X=DELETE|PUT",)), "curl -XDELETE e.com", True),
        (CommandPattern(("curl",), (), ("-X=DELETE",)), "curl --request DELETE e.com", True),
        (CommandPattern(("curl",), (), ("--request=DELETE",)), "curl -X GET e.com", False),
    ],
)
def test_flags_have_short_and_long_names_and_values(
    pattern: CommandPattern, command: str, expected: bool
) -> None:
    assert stops(pattern, command) is expected


@pytest.mark.parametrize(
    ("pattern", "command", "expected"),
    [
        (CommandPattern(("psql",), args=("*prod*",)), "psql -d app_prod", True),
        (CommandPattern(("psql",), args=("*prod*",)), "psql --dbname=app_prod", True),
        (CommandPattern(("psql",), args=("*prod*",)), "psql app_dev", False),
        (CommandPattern(("go",), ("test",), args=("!-race",)), "go test ./...", True),
        (CommandPattern(("deploy",), args=("!staging",)), "deploy staging", False),
        (CommandPattern(("pytest",), no_args=True), "pytest -q -k name", True),
        (CommandPattern(("pytest",), no_args=True), "pytest tests/a.py", False),
        (CommandPattern(("git",), ("push",), no_args=True), "git push origin", False),
        (CommandPattern(("mypy",), bare=True), "mypy src", True),
        (CommandPattern(("mypy",), bare=True), ".venv/bin/mypy src", False),
        (CommandPattern(("*",), matches=r"^make \w+-prod$"), "make 'deploy-prod'", True),
        (CommandPattern(("*",), matches=r"^make \w+-prod$"), "make deploy-dev", False),
        (CommandPattern(("alembic",), env=("DB=*PROD*",)), "DB=$PROD_URL alembic up", True),
        (CommandPattern(("alembic",), env=("DB=*PROD*",)), "env DB=$PROD_URL alembic up", True),
        (CommandPattern(("alembic",), env=("DB=*PROD*",)), "export DB=$PROD; alembic up", True),
        (CommandPattern(("alembic",), env=("DB=*PROD*",)), "DB=$DEV_URL alembic up", False),
        (CommandPattern(("pytest",), via=("uv",)), "uv run pytest -q", True),
        (CommandPattern(("pytest",), via=("uv",)), "pytest -q", False),
        (CommandPattern(("pytest",)), "python -m pytest -q", True),
        (CommandPattern(("prisma",), ("migrate", "deploy")), "pnpm prisma migrate deploy", True),
        (CommandPattern(("alembic",), ("downgrade",)), "python -m alembic downgrade -1", True),
        (CommandPattern(("bd",), ("edit",), leading=1), "bd --db x edit 3", True),
        (CommandPattern(("bd",), ("edit",), leading=1), "bd show edit", False),
        (CommandPattern(("make",), ("deploy",)), "make clean deploy", True),
        (CommandPattern(("scripts/deploy.sh",)), "./scripts/deploy.sh --now", True),
        (CommandPattern(("scripts/deploy.sh",)), "bash scripts/deploy.sh", True),
        (CommandPattern(("scripts/deploy.sh",)), "cat scripts/deploy.sh", False),
    ],
)
def test_arguments_variables_and_wrappers_of_a_command_are_seen(
    pattern: CommandPattern, command: str, expected: bool
) -> None:
    assert stops(pattern, command) is expected


@pytest.mark.parametrize(
    ("pattern", "command", "expected"),
    [
        (CommandPattern(("git",), ("push",), remotes=("upstream",)), "git push upstream a", True),
        (CommandPattern(("git",), ("push",), remotes=("upstream",)), "git push origin a", False),
        (CommandPattern(("*",), remotes=("*",)), "git remote add fork https://e.com/x", True),
        (CommandPattern(("*",), hosts=("*.prod.com",)), "ssh me@db.prod.com uptime", True),
        (CommandPattern(("*",), hosts=("*.prod.com",)), "psql -h db.prod.com app", True),
        (CommandPattern(("*",), hosts=("*.prod.com",)), "psql postgres://u:p@db.prod.com/a", True),
        (CommandPattern(("*",), hosts=("*.prod.com",)), "scp a me@x.prod.com:/tmp", True),
        (CommandPattern(("curl",), hosts=("*", "!localhost")), "curl localhost:3000/health", False),
        (CommandPattern(("curl",), hosts=("*", "!localhost")), "curl -o f e.com/install.sh", True),
        (CommandPattern(("curl",), hosts=("!localhost",)), "curl https://e.com", True),
        (CommandPattern(("*",), packages=("lodash",)), "pnpm add lodash@4", True),
        (CommandPattern(("npm",), packages=("*", "!@acme/*")), "npm i @acme/a", False),
        (
            CommandPattern(("git",), ("push",), branches=("main",)),
            "git push origin HEAD:main",
            True,
        ),
        (CommandPattern(("git",), ("push",), branches=("main",)), "git push origin topic", False),
    ],
)
def test_a_command_is_known_by_what_it_talks_to(
    pattern: CommandPattern, command: str, expected: bool
) -> None:
    assert stops(pattern, command) is expected


def test_a_command_is_known_by_the_branch_it_runs_on() -> None:
    merge = CommandPattern(("git",), ("merge",), branches=("main", "release/*"))
    assert stops(merge, "git merge topic", "release/2")
    assert not stops(merge, "git merge topic", "topic")
    assert not stops(merge, "git merge topic")


@pytest.mark.parametrize(
    ("pattern", "values", "expected"),
    [
        (ToolPattern("mcp__db__*", ("env=prod*",)), {"env": "production"}, True),
        (ToolPattern("mcp__db__*", ("env=prod*",)), {"env": "dev"}, False),
        (ToolPattern("mcp__db__*", ("force=true",)), {"options": {"force": True}}, True),
        (ToolPattern("mcp__db__*", (), r"(?i)drop\s+table"), {"sql": "DROP TABLE a"}, True),
        (ToolPattern("mcp__db__*", (), r"(?i)drop\s+table"), {"sql": "select 1"}, False),
    ],
)
def test_a_tool_is_known_by_its_arguments(
    pattern: ToolPattern, values: dict[str, object], expected: bool
) -> None:
    facts = read_call(ToolCall("mcp__db__query", values))
    assert any(True for _ in pattern.find(facts)) is expected


def test_patterns_stored_before_these_fields_were_there_still_load() -> None:
    stored = [
        {"kind": "command", "programs": ["git"], "operands": [], "flags": ["-f"], "without": []},
        {"kind": "path", "glob": ".env", "access": ["write"]},
        {"kind": "tool", "name": "mcp__*"},
    ]
    command, path, tool = patterns_from(stored)
    assert command == CommandPattern(("git",), (), ("-f",))
    assert (path, tool) == (PathPattern(".env", ("write",)), ToolPattern("mcp__*"))
    assert patterns_from([to_plain(NO_VERIFY)]) == (NO_VERIFY,)


@pytest.mark.parametrize(
    ("rule", "command", "level"),
    [
        ("pnpm lint", "pnpm run lint", "deny"),
        ("pnpm run lint", "pnpm lint --fix", "deny"),
        ("yarn run release", "yarn release", "deny"),
        ("npm test", "npm run-script test -- --run", "deny"),
        ("npm run lint", "npm lint", "allow"),
        ("pnpm install", "pnpm run install", "allow"),
        ("pnpm run", "pnpm lint", "allow"),
        ("bun test", "bun run test", "allow"),
    ],
)
def test_a_script_is_the_same_with_and_without_the_word_run(
    rule: str, command: str, level: str
) -> None:
    made = compile_fields({"level": "deny", "match": [{"command": rule}]}, "A rule", stem="a-rule")
    assert made.call is not None
    book = CallBook([CallEntry(1, "A rule", made.call, typed=True)])
    assert book.rule(ToolCall("Bash", {"command": command})).level == level


def test_tags_alone_push_no_branch() -> None:
    to_main = CommandPattern(("git",), ("push",), branches=("main",))
    assert not stops(to_main, "git push --tags", "main")
    assert not stops(to_main, "git push origin --tags", "main")
    assert stops(to_main, "git push origin main --tags", "main")
    assert stops(to_main, "git push --follow-tags", "main")
    assert stops(to_main, "git push --all --tags", "topic")
