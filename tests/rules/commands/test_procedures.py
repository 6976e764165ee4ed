"""Tests, linters and type checks by the many names under which projects run them."""

from __future__ import annotations

import pytest

from dmm.rules.commands.calls import ToolCall, read_call
from dmm.rules.commands.procedures import LINT, PROCEDURE_CHECKS, TESTS, TYPES, may_run


def runs(name: str, command: str) -> bool:
    facts = read_call(ToolCall("Bash", {"command": command}))
    found = any(PROCEDURE_CHECKS[name](use) for use in facts.commands)
    assert may_run(name, command) or not found
    return found


@pytest.mark.parametrize(
    "command",
    """./run_tests.sh|./scripts/test.sh|pnpm vitest run|npx playwright test
    docker compose run web pytest|docker compose exec -T api pytest -q|pnpm turbo test|make unit
    npm t|npm test|npm run test:e2e|yarn test:unit|yarn workspace web test|bazel test //...
    go test ./...|cargo test|cargo nextest run|tox|nox -s tests|mvn verify|./gradlew check
    ./gradlew testDebugUnitTest|python -m pytest|python manage.py test|python run_tests.py
    uv run pytest -q|poetry run pytest|hatch run test|make -j8 check|just test|bundle exec rspec
    bash -lc 'cd web && npm test'|dotnet test|npx cypress run|docker run --rm app pytest
    node_modules/.bin/jest|make integration|deno task test|bin/rspec|sudo make test
    pnpm --filter web test|env CI=1 npm test|php artisan test""".replace("\n", "|").split("|"),
)
def test_tests_are_known_by_their_runner_script_or_target(command: str) -> None:
    assert runs(TESTS, command.strip())


@pytest.mark.parametrize(
    "command",
    """ls tests|cat tests/test_app.py|grep -rn test src|git add tests/test_app.py|test -f x
    [ -f test ]|npm install --save-dev jest|pip install pytest|uv add pytest|pnpm add vitest
    docker build -t test .|docker pull test|ruff check .|cargo check|mypy src|echo run the tests
    vim tests/a.py|mkdir tests|npm run build|make|make build|./deploy-latest.sh|npm start
    python -c 'print("no test here")'|which pytest|make lint|go build ./...
    git commit -m 'Add a test'""".replace("\n", "|").split("|"),
)
def test_a_command_that_only_speaks_of_tests_is_none(command: str) -> None:
    assert not runs(TESTS, command.strip())


@pytest.mark.parametrize(
    ("name", "command", "expected"),
    [
        (LINT, "make lint", True),
        (LINT, "npm run lint:fix", True),
        (LINT, "npx eslint .", True),
        (LINT, "cargo clippy", True),
        (LINT, "uvx ruff check", True),
        (LINT, "cargo check", False),
        (LINT, "mypy src", False),
        (LINT, "pytest", False),
        (TYPES, "make typecheck", True),
        (TYPES, "pnpm type-check", True),
        (TYPES, "npx tsc --noEmit", True),
        (TYPES, "cargo check", True),
        (TYPES, "python -m mypy src", True),
        (TYPES, "ruff check .", False),
        (TYPES, "npm test", False),
    ],
)
def test_linters_and_type_checks_are_told_apart(name: str, command: str, *, expected: bool) -> None:
    assert runs(name, command) is expected
