"""Constraints in plain words as rules on tool calls: what they name, and where they stay silent."""

from __future__ import annotations

from typing import Any

import pytest

from dmm.errors import UsageError
from dmm.rules.callrules import Action, meet
from dmm.rules.commands.calls import ToolCall, read_call
from dmm.rules.content.writings import with_writings
from dmm.rules.english import call_rules
from dmm.rules.explain import describe_example, describe_matcher
from dmm.rules.language.sentences.messages import read_message
from dmm.rules.needs import Done
from dmm.rules.patterns import CommandPattern
from dmm.rules.stored import calls_from_dict, calls_to_dict
from dmm.text.pieces import MAX_TEXT, sentences


def action_on(constraint: str, command: str, **place: str) -> str:
    facts = read_call(ToolCall("Bash", {"command": command}, **place))
    met = [found for rule in call_rules(constraint) if (found := meet(rule, facts))]
    order = list(Action)
    return min((one.action for one in met), key=order.index).value if met else "allow"


def written(constraint: str, path: str, line: str) -> list[str]:
    call = ToolCall("Write", {"file_path": path, "content": f"{line}\n"})
    facts = with_writings(read_call(call), None)
    return [met.action.value for rule in call_rules(constraint) if (met := meet(rule, facts))]


@pytest.mark.parametrize(
    "text",
    [
        "Be kind to the traveller",
        "Never use eval",
        "Never push broken code to main",
        "Do not change the main function",
        "Never forget to run npm install",
        "Do not hesitate to use git push --force",
        "Use docker, it is fine",
        "Don't use docker for local development",
        "Never use docker or kubernetes manifests",
        "Never use git commit -m with emojis",
        "Run `task x` instead of invoking tools directly",
        "Don't use external tools",
        "Never delete the production database",
        "Why not use npm?",
        "Don't commit to a deadline",
        "No problem using git",
        "Only push to feature branches",
        "Never run without npm installed",
        "",
        "never",
        "x" * (MAX_TEXT + 1),
    ],
)
def test_a_text_that_names_nothing_for_certain_gives_no_rule(text: str) -> None:
    assert call_rules(text) == ()


def test_what_is_to_be_used_instead_is_told_and_left_alone() -> None:
    (rule,) = call_rules("never use npm, use pnpm")
    assert rule.suggestion == "Use pnpm."
    assert action_on("Use `uv run pytest`, not `pytest`", "pytest -q") == "deny"
    assert action_on("Use `uv run pytest`, not `pytest`", "uv run pytest -q") == "allow"
    assert action_on("Don't use `npm`, `pnpm` instead", "pnpm install") == "allow"
    assert action_on("Never use npm and use pnpm", "pnpm install") == "allow"


@pytest.mark.parametrize(
    "text",
    [
        "Never: push to main",
        "Do not try to push to main",
        "Push to main: never",
        "Don't push to main: open a pull request",
        "Do not run: `npm publish`, `git push origin main`",
        "Not allowed: `git push origin main`",
    ],
)
def test_a_denial_is_read_whatever_stands_around_its_colon(text: str) -> None:
    assert action_on(text, "git push origin main") == "deny"
    assert action_on(text, "git push origin topic") == "allow"


def test_an_environment_that_a_command_names_is_the_one_that_is_meant() -> None:
    assert action_on("Don't run psql against staging", "psql staging") == "deny"
    assert action_on("Don't run psql against staging", "psql local") == "allow"
    assert action_on("Never run `terraform apply` in production", "terraform apply prod") == "deny"


def test_what_stands_in_every_pipe_is_only_warned_of_when_a_choice_is_named() -> None:
    assert action_on("Use ripgrep instead of grep", "ps aux | grep node") == "warn"
    assert action_on("Never use grep", "ps aux | grep node") == "deny"


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("Never run `git push` without approval", "ask"),
        ("Never run `git push` unless I say so", "ask"),
        ("Never run `git commit`, `git push`, or anything else unless asked", "ask"),
        ("Never run `git push`, it is final, except for docs", "ask"),
        ("Never run `git push` on Fridays", "warn"),
        ("Never run `git push` when CI is red", "warn"),
        ("When CI is red, never run `git push`", "warn"),
        ("Never run `git push` because it may fail if offline", "deny"),
        ("Never run `git push` under any circumstances", "deny"),
        ("Prefer gh over `git push`", "warn"),
    ],
)
def test_a_condition_that_no_call_shows_never_denies(text: str, action: str) -> None:
    assert action_on(text, "git push") == action


def test_a_rule_that_asks_says_so() -> None:
    (rule,) = call_rules("Do not run alembic upgrade without approval")
    assert rule.suggestion == "Ask the user first."
    (line,) = describe_matcher(rule, "ask")
    assert line.startswith("Asks before the command alembic upgrade")


@pytest.mark.parametrize(
    ("branch", "action"), [("main", "deny"), ("topic", "allow"), (None, "allow")]
)
def test_a_branch_counts_where_it_is_known(branch: str | None, action: str) -> None:
    place = {"branch": branch} if branch else {}
    assert action_on("Never run `git stash` on main", "git stash", **place) == action


def test_a_flag_that_lifts_a_rule_is_heeded() -> None:
    text = "Never run npm publish without --dry-run"
    assert action_on(text, "npm publish") == "deny"
    assert action_on(text, "npm publish --dry-run") == "allow"
    assert action_on("Never run git clean with -x", "git clean -x -f") == "deny"
    assert action_on("Never run git clean with -x", "git clean -f") == "allow"
    assert action_on("Do not run npm install with sudo", "sudo npm install") == "deny"


def test_paths_and_branches_can_be_excepted() -> None:
    text = "Never edit migrations/ except migrations/README.md"
    assert action_on(text, "touch migrations/0001.py") == "deny"
    assert action_on(text, "touch migrations/README.md") == "allow"
    assert action_on("Only push to develop", "git push origin main") == "deny"
    assert action_on("Only push to develop", "git push origin develop") == "allow"


def test_what_was_done_before_lifts_a_rule() -> None:
    (rule,) = call_rules("Never push without running the tests")
    facts = read_call(ToolCall("Bash", {"command": "git push"}))
    tested = Done(1, "pytest", ToolCall("Bash", {"command": "cd app && pytest -q"}))
    helped = Done(2, "pytest", ToolCall("Bash", {"command": "pytest --help"}))
    assert meet(rule, facts, lambda: [tested]) is None
    for past in ([], [helped], [Done(3, "I ran pytest and all tests pass")]):
        met = meet(rule, facts, lambda past=past: past)  # type: ignore[misc]
        assert met is not None
        assert [one.text for one in met.missing] == ["the tests"]


def test_an_example_names_the_branch_it_needs() -> None:
    (rule,) = call_rules("Never force push to main")
    assert describe_example(rule.blocked) == "git push --force origin main"
    (rule,) = call_rules("Never commit to main")
    assert describe_example(rule.blocked) == "git commit -m x (on the branch main)"


def test_code_stays_whole_and_marks_stand_apart() -> None:
    ((*pieces,),) = sentences("**Never** run `rm -rf x; y`, or “a b” (see src/**)")
    assert [(one.text, one.code) for one in pieces] == [
        ("Never", False),
        ("run", False),
        ("rm -rf x; y", True),
        (",", False),
        ("or", False),
        ("a b", True),
        ("(", False),
        ("see", False),
        ("src/**", False),
        (")", False),
    ]


def test_rules_of_another_version_are_refused() -> None:
    stored: Any = calls_to_dict(call_rules("Never run rm -rf in production"))
    assert calls_from_dict(stored) == call_rules("Never run rm -rf in production")
    broken = {
        **stored,
        "rules": [{**stored["rules"][0], "scopes": [{"kind": "moon", "names": []}]}],
    }
    for wrong in ({**stored, "version": 99}, {}, None, {"version": 1, "rules": [{}]}, broken):
        with pytest.raises(UsageError):
            calls_from_dict(wrong)


def test_the_same_command_by_another_name_is_found() -> None:
    (rule,) = call_rules("Never run `docker compose down -v`")
    assert [one.programs for one in rule.patterns if isinstance(one, CommandPattern)] == [
        ("docker",),
        ("docker-compose",),
    ]
    assert action_on("Never run terraform destroy", "terraform apply --destroy") == "deny"
    assert action_on("Never run git push --force", "git push origin +main") == "deny"
    assert action_on("Never run git add -A", "git add --all") == "deny"


@pytest.mark.parametrize(
    ("command", "branch", "action"),
    [
        ("git checkout -b fix && git add . && git commit -m x", "main", "allow"),
        ("git switch -c fix; git commit -m x", "main", "allow"),
        ("git checkout topic && git commit -m x", "main", "allow"),
        ("git checkout main && git commit -m x", "topic", "deny"),
        ("git checkout README.md && git commit -m x", "main", "deny"),
        ("git checkout -- src && git commit -m x", "main", "deny"),
        ("cd /elsewhere && git commit -m x", "main", "allow"),
        ("cd /repo/app && git commit -m x", "main", "deny"),
        ("cd app && git commit -m x", "main", "deny"),
        ("git -C ../other commit -m x", "main", "allow"),
    ],
)
def test_the_branch_is_followed_through_a_script(command: str, branch: str, action: str) -> None:
    text = "never commit directly to main"
    assert action_on(text, command, branch=branch, cwd="/repo") == action


BEFORE_PUSH = "Run the tests before git push"


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q && git push",
        "cd web && npm test && git add -A && git commit -m x && git push",
        "set -o pipefail; pytest -q 2>&1 | tail -5 && git push",
        "set -euo pipefail\npytest -q | tail -5\ngit push",
        "set -e; pytest -q; git push",
        "cat cases | pytest -q && git push",
        "bash -c 'cd web; pytest -q' && git push",
        "(cd web; pytest -q;) && git push",
        "(cd web && pnpm test) && git push",
        "uv run pytest && git push",
        "bash -c 'make test && git push'",
        "make test && bash -c 'git push'",
        "make test && OUT=x && git push",
        "if make test; then git push; fi",
    ],
)
def test_what_succeeded_before_in_the_same_call_counts_as_done(command: str) -> None:
    assert action_on(BEFORE_PUSH, command) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q; git push",
        "pytest -q || git push",
        "pytest -q & git push",
        "pytest -q\ngit push",
        "git push && pytest -q",
        "ls && git push",
        "pytest -q && git push; git push",
        "if make test; then ls; else git push; fi",
        "test -f x && git push",
        'X="$(pytest)" && git push',
        'echo "$(pytest)" && git push',
        "pytest -q 2>&1 | tail -5 && git push",
        "set -o pipefail; set +o pipefail; pytest -q | tail -5 && git push",
        "(cd web && pytest -q) | tail -5 && git push",
        "bash -c 'pytest -q | tail -5' && git push",
        "bash -c 'pytest -q; true' && git push",
        "true || pytest -q && git push",
        "! pytest -q && git push",
        "if ! pytest -q; then git push; fi",
        "trap 'pytest -q' EXIT && git push",
        "set -e; if x; then pytest -q; fi; git push",
        "set -e; pytest -q && echo ok; git push",
    ],
)
def test_what_only_stands_before_in_the_same_call_does_not_count(command: str) -> None:
    assert action_on(BEFORE_PUSH, command) == "deny"


def test_a_check_that_no_call_shows_is_asked_about() -> None:
    rule = "check the migration plan before running alembic upgrade"
    assert action_on(rule, "alembic upgrade head") == "ask"
    assert action_on(rule, "alembic current") == "allow"


def test_every_act_in_a_call_waits_for_its_own_steps() -> None:
    assert action_on("Run the linter before committing", "make lint && git commit -m x") == "allow"
    calls = "git commit -m a; make lint && git commit -m b"
    assert action_on("Run the linter before committing", calls) == "deny"


@pytest.mark.parametrize(
    ("constraint", "command", "action"),
    [
        ("Never use git stash without approval", "git stash pop --help", "allow"),
        ("Never use git stash without approval", "git stash", "ask"),
        ("Never use git stash without approval", "git stash push -- list", "ask"),
        ("Never run terraform apply without approval", "terraform apply -auto-approve", "ask"),
        ("Never use --no-verify", "git commit -n --help", "allow"),
        ("Never use --no-verify", "git commit -n -m x", "deny"),
        ("Never skip hooks", "git commit -n --dry-run", "allow"),
        ("Never skip hooks", "git commit --no-verify -m x", "deny"),
    ],
)
def test_what_only_looks_needs_no_leave(constraint: str, command: str, action: str) -> None:
    assert action_on(constraint, command) == action


@pytest.mark.parametrize(
    ("constraint", "command"),
    [
        ("Never run helm upgrade", "helm upgrade a b --version 1.2.3"),
        ("Never run cargo install", "cargo install x --version 13"),
        ("Never run npm publish", "npm publish --dry-run --no-dry-run"),
        ("Never run npm publish", "npm publish --dry-run=false"),
        ("Never run npm publish", "npm publish --version"),
        ("Never run kubectl delete", "kubectl delete ns prod --dry-run=NONE"),
        ("Never run kubectl delete", "kubectl delete ns prod --dry-run"),
        ("Never run docker run", "docker run --rm img app --version"),
        ("Never run docker run", "docker run --rm img --help"),
        ("Never run docker run", "docker run -h box img"),
        ("Never run git commit", "git commit -m --help"),
        ("Never run git push", "git push origin -- --help"),
        ("Never run `rm -rf`", "rm -rf build --help"),
        ("Never run shutdown -h", "shutdown -h"),
    ],
)
def test_what_only_resembles_a_look_is_stopped(constraint: str, command: str) -> None:
    assert action_on(constraint, command) in ("deny", "ask")


@pytest.mark.parametrize(
    ("constraint", "command"),
    [
        ("Never run helm upgrade", "helm upgrade --help"),
        ("Never run docker run", "docker run --help"),
        ("Never run docker run", "docker run -h"),
        ("Never run terraform apply", "terraform apply -help"),
        ("Never run rm -rf", "rm --help"),
        ("Never run npm publish", "npm publish --dry-run"),
        ("Never force-push", "git push -n --force"),
        ("Run the tests before committing", "git commit --dry-run"),
    ],
)
def test_help_and_a_known_dry_run_are_let_through(constraint: str, command: str) -> None:
    assert action_on(constraint, command) == "allow"


def test_a_list_of_messages_with_an_empty_part_is_read() -> None:
    found = read_message(sentences("AI attribution, or, to commit messages")[0])
    assert found is None or found.items


@pytest.mark.parametrize(
    ("text", "line", "paths"),
    [
        ("Never use `Time::now`", "x = Time::now", ("a.rb", "a.php", "a.cpp", "a.rs")),
        ("Never use `std::endl`", "out << std::endl;", ("a.cpp", "a.h")),
        ("Don't call `record.save!`", "record.save!", ("a.rb",)),
        ("Never use `value === null`", "if (value === null)", ("a.ts", "a.php")),
        ("Never use `== None`", "if x == None:", ("a.py", "a.rs")),
        ("Use `Clock::now` instead of `time()`", "x = time()", ("a.rb", "a.php")),
    ],
)
def test_code_that_several_languages_write_alike_is_looked_for_in_all(
    text: str, line: str, paths: tuple[str, ...]
) -> None:
    assert [written(text, path, line) for path in paths] == [["deny"]] * len(paths)
    assert written(text, "docs/a.md", line) == written(text, paths[0], "other") == []


def test_a_language_that_a_sentence_names_limits_it() -> None:
    (rule,) = call_rules("Never use `Time::now` in Ruby")
    assert "*.rb" in str(rule.patterns[0])
    assert "*.py" not in str(rule.patterns[0])


@pytest.mark.parametrize(
    ("text", "denied", "allowed"),
    [
        ("Never run `rm -rf build`", ("rm -rf ./build", "rm -rf build/"), ("rm -rf build2",)),
        ("Never run `rm -rf ./build/`", ("rm -rf build",), ("rm -rf src/build2",)),
        ("Do not use `git add .`", ("git add ./",), ("git add ./src", "git add .github")),
        ("Do not run `pytest tests/e2e`", ("pytest -q ./tests/e2e/",), ("pytest tests/unit",)),
        (
            "Never mention AI or Claude in commit messages",
            ("git commit -m 'made by AI'", 'git commit -m "Claude\'s"'),
            ("git commit -m 'aid and air'", "git commit -m 'maintain'"),
        ),
        (
            "Never put `[skip ci]` in commit messages",
            ("git commit -m 'x [skip ci]'", "git commit -m '[skip ci] x'"),
            ("git commit -m 'skip ci'",),
        ),
        ("Never run `npm install`", ("npm i", "npm add x"), ("npm ci", "npm init")),
        ("Never run `npm i`", ("npm install",), ("npm test",)),
        ("Never run `rm -rf /tmp/*`", ("rm -rf /tmp/", "rm -rf /tmp/x"), ("rm -rf /tmpx",)),
        ("Never run `rm -rf ./build/*`", ("rm -rf ./build/foo",), ("rm -rf ./src",)),
        ("Never run `cargo build`", ("cargo b --release",), ("cargo bench",)),
    ],
)
def test_a_command_or_a_word_is_the_same_however_it_is_written(
    text: str, denied: tuple[str, ...], allowed: tuple[str, ...]
) -> None:
    assert [action_on(text, one) for one in denied] == ["deny"] * len(denied)
    assert [action_on(text, one) for one in allowed] == ["allow"] * len(allowed)


@pytest.mark.parametrize(
    ("text", "line", "other"),
    [
        ("Never use `process.env`", "f({a:process.env.B})", "f(my.process.envs)"),
        ("Never use `Foo::Bar`", "::Foo::Bar.new", "Other::Foo::Bar.new"),
        ("Don't use `var` in JavaScript", "for (var i = 0;;) {}", "const variable = 1"),
    ],
)
def test_a_name_in_code_is_found_behind_a_sign(text: str, line: str, other: str) -> None:
    assert written(text, "a.ts", line) == ["deny"]
    assert written(text, "a.ts", other) == []
