"""Sentences that name less than they seem to: nothing is stopped that they do not forbid."""

from __future__ import annotations

import pytest

from dmm.rules.callbook import CallBook, CallEntry
from dmm.rules.commands.calls import ToolCall
from dmm.rules.english import Surroundings, compile_sentence
from dmm.rules.form import compile_fields

Call = str | tuple[str, str]
NESTED, PLAIN = Surroundings(folder="web"), Surroundings()


def level_of(text: str, call: Call, known: Surroundings = PLAIN) -> str:
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
    ("Never directly modify `model.case` - use `transform_case()`", ("model.case", "x")),
    ("Never modify `model.case()`", ("src/a.py", "model.case()")),
    ("Never delete such files", "rm notes.txt"),
    ("Never use both npm and yarn", "npm ci"),
    ("Run no tests before committing", "git commit -m x"),
    ("You need not edit dist/", ("dist/a.js", "x")),
    ("Never amend commits that are already pushed", "git commit --amend"),
    ("It must not create `/var/lib/a.env`", ("/var/lib/a.env", "x")),
    ("Complete type hints (no `Any`)", ("a.ts", "let a: any")),
    # A kind of packages, not one of that name.
    ("Avoid unpopular libraries", "npm install unpopular"),
    # The object of the act was not read.
    ("Never commit this value to version control", "git commit -m x"),
    ("Never commit, print, or paste their contents", "git commit -m x"),
    ("Do not push to the same branch", "git push"),
    ("Do not commit to another branch", "git commit -m x"),
    ("No direct pushes to main allowed (after enabling protection)", "git push origin topic"),
    # An aside explains another word, or shows what is meant.
    ("Never log sensitive data (`API_KEY`)", ("a.py", "print(API_KEY)")),
    ("Avoid logging secrets (`API_KEY`)", ("a.py", "print(API_KEY)")),
    ("Never edit other code (`a.py` is ours)", ("a.py", "x")),
    ("Never log sensitive data (API keys)", ("a.py", "-----BEGIN PRIVATE KEY-----")),
    ("Prefer primitives (`createMemo`) over clever abstractions", ("a.ts", "createMemo(f)")),
    ("Write `pnpm` in examples (`pnpm add`, not `pacquet add`)", "pacquet add x"),
    # Nobody wants to be asked about an everyday act.
    ("Read CONTRIBUTING.md before making a pull request", "gh pr create --fill"),
    ("Check what the workspace has before adding a new dependency", "npm install x"),
    # Another thing than the one that is meant.
    ("All tests must pass before merge", "git merge main"),
    ("No AI attribution in commits", "git commit -m 'x\n\nCo-authored-by: Ann <ann@example.com>'"),
    ("No AI attribution in commits", "git commit -m 'x\n\nCo-authored-by: Ann <ann@example.ai>'"),
    ("Never bypass hooks with `--no-verify`", ("ci.sh", "git commit --no-verify")),
    ("Use `yarn`, not `npm`", "npm view react version"),
    ("Always use pnpm", "npm whoami"),
    # An example in brackets, which is not the text itself, or is a choice of its own.
    ("Never use raw colors (`#fff`)", ("a.css", "/* off */")),
    ("Never use raw colors (`#fff`)", ("a.css", "a { background: url(#fff) }")),
    ("Never use floating tags (`@v4`)", ("src/a.ts", "import a from 'b@v4'")),
    ("NEVER import the root (`@acme/core`)", ("a.ts", "import a from '@acme/core/v3'")),
    ("Pin tools (e.g. `a@1`, not `a@^1`; `npm i b@2`, not `@latest`)", ("a.ts", "x('b@latest')")),
    # The name of a file is no text of a program.
    ("Only `package-lock.json` should exist (no `yarn.lock`)", (".gitignore", "yarn.lock")),
    ("Only `package-lock.json` should exist (no `yarn.lock`)", ("a.ts", "read('yarn.lock')")),
    # The branch is one that is not named.
    ("Do not push to either branch", "git push origin topic"),
    ("`master` is production, never merge directly", "git merge topic"),
    ("Never push directly", "git push origin topic"),
    # A condition in front speaks of something else.
    ("When writing the changelog, use a Conventional Commit style", "git commit -m 'did things'"),
    ("Don't add dependencies without checking if one exists", "npm install x"),
    (
        "Errors must name the file but never include API keys",
        ("a.py", "-----BEGIN PRIVATE KEY-----"),
    ),
    # Another language has other operators.
    ("Use `is null` instead of `== null`", ("a.ts", "if (a == null) {}")),
    ("Never use `== null`", ("a.ts", "if (a === null) {}")),
    # The command with what was left out is the one to use.
    ("Use `git push origin HEAD` to push, not just `git push`", "git push origin HEAD"),
    ("Use `git push origin HEAD` to push, not just `git push`", "git push origin topic"),
    ("Do not run `npm test`, run `npm test -- --watch=false`", "npm test -- --watch=false"),
    ("Use `pytest -n auto` instead of `pytest`", "pytest -n auto"),
    # A kind of folders, another title, a form that is wanted at times.
    ("Do not create fake directories", ("src/fake/a.ts", "x")),
    ("PR titles must follow Conventional Commits", "git commit -m 'did things'"),
    ("Follow conventional commit format when applicable", "git commit -m 'did things'"),
    ("Follow Conventional Commits", "git commit -m 'security(api): reject old tokens'"),
    ("Use `ui` as the conventional commit scope for this folder", "git commit -m 'did things'"),
    # Of what, another part says.
    ("The token must be set via `vault put` (or `.dev.vars`) - never committed", "git commit -m x"),
    # Starts a project elsewhere, as documentation tells users to.
    ("Always use pnpm", "npm create vite@latest"),
    ("Never import `zod` directly", "npm install zod@latest"),
    ("Use `npm ci`, never `--force`", "rm -f x"),
    ("Use `poetry run pytest -n auto`, never `--lf`", "poetry run mypy --lf"),
    ("Never use `Dict[K, V]`, use `dict`", ("a.py", "x: Dict[str] = f(a)[b, c]")),
    ("Never use `Option<T>::unwrap()`", ("a.rs", "let x: Option<u8> = y; Vec::<u8>::unwrap();")),
    ("Use `git push --force-with-lease`, never `--force`", "npm install --force"),
    ("Use `git push --force-with-lease`, never `--force`", "git push --force-with-lease"),
    ("Use `git push --force-with-lease`, never `--force`", "git fetch --force"),
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
    # What the clause forbids is named in brackets, or the brackets forbid.
    ("Do not edit generated files (`src/gen/**`)", ("src/gen/a.py", "x"), "deny"),
    ("Do not edit build output (dist/, build/)", ("build/a.js", "x"), "deny"),
    ("Don't edit vendored code (`vendor/`)", ("vendor/a.go", "x"), "deny"),
    ("Do not modify protected files (`LICENSE`, `SECURITY.md`)", ("SECURITY.md", "x"), "deny"),
    ("Never modify production config (`config/prod.yaml`)", ("config/prod.yaml", "x"), "deny"),
    ("Never run destructive commands (`rm -rf`, `git reset --hard`)", "git reset --hard", "deny"),
    ("Do not start servers (`npm run dev`)", "npm run dev", "deny"),
    ("DO NOT run the frontend (`npm run dev`) automatically", "npm run dev", "deny"),
    ("Do not deploy (`make deploy`)", "make deploy", "deny"),
    ("Never use blocking calls (`time.sleep`)", ("a.py", "time.sleep(1)"), "deny"),
    ("Never use banned functions (`eval`, `exec`)", ("a.py", "eval(x)"), "deny"),
    ("No debug output (`console.log`)", ("a.ts", "console.log(x)"), "deny"),
    ("Work on branches (do not push to main)", "git push origin main", "deny"),
    ("Use the logger (do not use console.log)", ("a.ts", "console.log(x)"), "deny"),
    ("Use `uv` (do not use pip)", "pip install x", "deny"),
    ("Use pnpm (don't use npm)", "npm install x", "deny"),
    ("Formatting is automatic (don't run prettier)", "prettier -w a.ts", "deny"),
    # Code with a full stop is a file where files are touched, whatever its ending.
    ("Never edit `project.pbxproj`", ("ios/project.pbxproj", "x"), "deny"),
    ("Never edit the `project.pbxproj` file", ("ios/project.pbxproj", "x"), "deny"),
    ("Never touch `web.config`", ("web.config", "x"), "deny"),
    ("Do not modify `Package.resolved` or `bun.lockb`", ("bun.lockb", "x"), "deny"),
    ("Never read `secrets.enc`", "cat secrets.enc", "deny"),
    ("Never delete `main.bicep`", "rm main.bicep", "deny"),
    ("You must refrain from force pushing.", "git push --force", "deny"),
    ("Please always refrain from editing vendor/.", ("vendor/a.go", "x"), "deny"),
    ("Never use either npm or yarn", "yarn add x", "deny"),
    ("No npm and no yarn", "yarn add x", "deny"),
    ("Never amend commits that are already pushed", "git commit --amend", "warn"),
    ("Do not edit the files in dist/ that are generated.", ("dist/a.js", "x"), "warn"),
    ("Do not edit dist/, the build works without it.", ("dist/a.js", "x"), "deny"),
    ("Never use sudo, not even without a password.", "sudo ls", "deny"),
    ("All tests must pass before merge", "gh pr merge 4", "deny"),
    ("Review the plan before running alembic upgrade", "alembic upgrade head", "ask"),
    ("No AI attribution in commits", "git commit -m 'x\n\nCo-authored-by: Claude <a@b>'", "deny"),
    ("No AI attribution in commits", "git commit -m 'x\n\nCo-Authored-By:Claude <a@b>'", "deny"),
    ("Do not bypass the hooks with `--no-verify`", "git commit --no-verify -m x", "deny"),
    ("Never bypass the check with `git commit --no-verify`", "git commit -nm x", "deny"),
    ("Never force-push, deploy, or send mail without approval", "git push --force", "ask"),
    ("Use `yarn`, not `npm`", "npm install", "deny"),
    ("Use `yarn`, not `npm`", "npm run build", "deny"),
    ("Never use npm, use pnpm", "npm create vite@latest", "deny"),
    ("Never use npm, use pnpm", "npm install --global typescript", "deny"),
    # A ban spares nothing, as a choice does.
    ("npm is forbidden, use pnpm.", "npm publish", "deny"),
    ("Never use `== null`", ("a.cs", "if (a == null) {}"), "deny"),
    ("Use `is null` instead of `== null`", ("a.cs", "if (a == null) {}"), "deny"),
    ("Use `findFirst` instead of `findUnique`", ("a.ts", "db.user.findUnique({})"), "deny"),
    ("No `console.*`", ("a.ts", "console.warn(x)"), "deny"),
    ("Don't update files under `*/api/*.cs`", ("src/Acme.Core/api/a.cs", "x"), "deny"),
    ("Don't add dependencies without checking with the team", "npm install x", "ask"),
    ("Never push directly to main", "git push origin main", "deny"),
    ("Do not push to this branch", "git push", "ask"),
    ("Code must be typed and never use `any`", ("a.ts", "let a: any"), "deny"),
    ("You must test all and never push to main", "git push origin main", "deny"),
    ("Do not edit the fixtures directories", ("tests/fixtures/a.ts", "x"), "deny"),
    ("PR titles must follow Conventional Commits", "gh pr create -t 'did things' -b x", "deny"),
    ("Commits and PRs follow Conventional Commits", "gh pr create -t 'did things' -b x", "deny"),
    ("Commits and PRs follow Conventional Commits", "git commit -m 'did things'", "deny"),
    ("When committing, use Conventional Commits", "git commit -m 'did things'", "deny"),
    ("Use Conventional Commits in this repo for the release PR", "git commit -m 'did'", "deny"),
    ("Releases are tagged, never force-pushed.", "git push --force", "deny"),
    ("Never add ts-expect-error comments.", ("a.ts", "// @ts-expect-error"), "deny"),
    ("Never use `eval()` in Python and Ruby files.", ("lib/a.rb", "eval(x)"), "deny"),
    ("Use Conventional Commits for commits and PR titles", "git commit -m 'did things'", "deny"),
    ("Follow Conventional Commits", "git commit -m 'Feat: x'", "deny"),
    ("Use these conventional commit scopes:", "git commit -m 'did things'", "deny"),
    ("Secrets are set by hand. Never commit `.env`", "git add .env", "deny"),
    ("Do not add eslint-disable comments", ("a.ts", "// eslint-disable-next-line"), "deny"),
    ("Never call `adminClient` from components", ("src/a.tsx", "adminClient.get()"), "deny"),
    ("Never use `const_cast`", ("a.cpp", "const_cast<int *>(a);"), "deny"),
    ("In this repo, use Conventional Commits", "git commit -m 'did things'", "deny"),
    ("Use `git push origin HEAD` to push, not just `git push`", "git push", "deny"),
    ("Do not run `npm test`, run `npm test -- --watch=false`", "npm test", "deny"),
    ("Use `pytest -n auto` instead of `pytest`", "pytest -q", "deny"),
    ("Do not use npm, use pnpm.", "npm init -y", "deny"),
    ("Use `T | None` instead of `Optional[T]`", ("a.py", "a: Optional[list[str]] = None"), "deny"),
    ("Never use the playwright tools", "playwright codegen", "deny"),
    ("Use `git push --force-with-lease`, never `--force`", "git push --force", "deny"),
    ("Run `pre-commit run`, never `--no-verify`", "git commit --no-verify -m x", "deny"),
    ("Use `npx prettier --check`, never `--write`", "prettier --write .", "deny"),
    ("Use `cd app && npm install --save-exact`, never `--force`", "npm i --force", "deny"),
    ("Use `uv run ruff check --diff`, never `--fix`", "ruff check --fix", "deny"),
    ("Use `python -m pytest -q`, never `--lf`", "pytest --lf", "deny"),
    ("Use `terraform plan`, never `--auto-approve`", "terraform apply -auto-approve", "deny"),
    ("Use `T[]`, not `Array<T>`.", ("a.ts", "let a: Array<() => void> = b;"), "deny"),
    ("Use `npm ci`, not `--legacy-peer-deps`", "npm install --legacy-peer-deps", "deny"),
    ("Use `--force-with-lease`, not `--force`", "git push --force", "deny"),
    ("Never use npm, always use pnpm.", "npm config set registry https://a.example", "deny"),
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
    assert compile_sentence(text, NESTED).why_not == "a call does not show whether it concerns web"


def test_a_command_that_a_nested_file_names_is_stopped_everywhere() -> None:
    assert level_of("Never run `bun run dev`", "cd web && bun run dev", NESTED) == "deny"


@pytest.mark.parametrize(
    ("text", "stopped", "left"),
    [
        ("Do not edit `web/gen/`", "web/gen/a.ts", "gen/a.ts"),
        ("Do not edit `web/gen/`", "web/gen/b/a.ts", "web/deep/gen/a.ts"),
        ("Do not edit `gen/`", "web/gen/a.ts", "gen/a.ts"),
        ("Never use `eval()` in `web/`", "web/a.ts", "api/a.ts"),
        ("Do not edit `./web/a.lock`", "web/a.lock", "a.lock"),
    ],
)
def test_a_nested_file_may_name_its_own_folder(text: str, stopped: str, left: str) -> None:
    assert level_of(text, (stopped, "eval(x)"), NESTED) == "deny"
    assert level_of(text, (left, "eval(x)"), NESTED) == "allow"


def test_what_may_not_be_committed_is_named_in_full() -> None:
    text = "Never commit `web/.env`"
    assert level_of(text, "git add web/.env", NESTED) == "deny"
    assert level_of(text, "git add api/.env", NESTED) == "allow"


@pytest.mark.parametrize("heading", ["Testing", "Unit tests", "Test code"])
def test_a_chapter_on_tests_speaks_of_tests(heading: str) -> None:
    known = Surroundings(heading=heading)
    for text in ("No `Task.Delay`", "Never use `Task.Delay()`"):
        assert level_of(text, ("tests/a.cs", "await Task.Delay(1);"), known) == "deny"
        assert level_of(text, ("src/a.cs", "await Task.Delay(1);"), known) == "allow"
    assert level_of("Never force push", "git push --force", known) == "deny"
    assert level_of("No `eval()` in `src/`", ("src/a.ts", "eval(x)"), known) == "deny"


@pytest.mark.parametrize("heading", ["Outside tests", "Code without tests", "Test Verification"])
def test_a_chapter_that_names_more_than_tests_speaks_of_all_code(heading: str) -> None:
    known = Surroundings(heading=heading)
    assert level_of("No `Task.Delay`", ("src/a.cs", "await Task.Delay(1);"), known) == "deny"


def test_a_chapter_on_tests_leaves_a_rule_on_one_language_as_it_is() -> None:
    known = Surroundings(heading="Tests")
    assert level_of("Never use `any`", ("tests/a.ts", "let a: any"), known) == "deny"


@pytest.mark.parametrize(
    ("text", "stopped", "left"),
    [
        ("Use `Number.isNaN` instead of `isNaN`", "isNaN(x)", "Number.isNaN(x)"),
        (
            "Use explicit imports instead of `java.util.*`",
            "import java.util.*;",
            "import java.util.List;",
        ),
        ("No `console.*`", "console.warn(1)", "consoles.warn(1)"),
        ("No suppressions (`@ts-ignore`)", "// @ts-ignore", "ignore()"),
        ("Errors must be logged but never use `eval()`", "eval(x)", "log(x)"),
    ],
)
def test_code_is_found_where_it_is_meant_alone(text: str, stopped: str, left: str) -> None:
    assert level_of(text, ("src/a.js", stopped)) == "deny"
    assert level_of(text, ("src/a.js", left)) == "allow"


@pytest.mark.parametrize(
    ("text", "stopped", "left"),
    [
        (
            "Use `git reset --soft` instead of `git reset`",
            "git reset --hard HEAD~1",
            "git reset --soft HEAD~1",
        ),
        (
            "Never run `kubectl delete` on staging or production",
            "kubectl delete pod --context prod",
            "kubectl delete pod --context dev",
        ),
        (
            "Never run `kubectl delete` on staging or production",
            "kubectl delete pod --context staging",
            "kubectl get pod",
        ),
        ("Services must validate input and never run `npm publish`", "npm publish", "npm view x"),
        ("Don't try `npm publish`", "npm publish", "npm view x"),
    ],
)
def test_commands_are_stopped_with_all_that_a_sentence_says(
    text: str, stopped: str, left: str
) -> None:
    assert level_of(text, stopped) == "deny"
    assert level_of(text, left) == "allow"


def test_what_need_not_be_done_is_not_forbidden() -> None:
    assert level_of("Allowed, but not required: `npm publish`", "npm publish") == "allow"


@pytest.mark.parametrize("heading", ["", "Code style", "Style and tests", "Testing & style"])
def test_any_other_chapter_speaks_of_all_code(heading: str) -> None:
    known = Surroundings(heading=heading)
    assert level_of("No `Task.Delay`", ("src/a.cs", "await Task.Delay(1);"), known) == "deny"


@pytest.mark.parametrize("text", ["No generic button classes:", "No:", "No `eval` calls:", ":"])
def test_a_sentence_that_ends_in_a_colon_is_read_like_any_other(text: str) -> None:
    assert compile_sentence(text).why_not == compile_sentence(text.rstrip(":") or ".").why_not


@pytest.mark.parametrize(
    ("text", "call", "level"),
    [
        ("Forbidden, not optional: `npm publish`", "npm publish", "deny"),
        ("Commits must be signed and never pushed to main", "git push origin main", "deny"),
        ("Use pnpm (fast; never npm)", "npm install x", "deny"),
        ("Never use panicking calls (`.unwrap()`, `panic!`)", ("a.rs", "a.unwrap()"), "deny"),
        ("Use `git clean -n`, not `git clean`", "git clean -f src", "deny"),
        ("Use `git add path/to/file`, not `git add`", "git add .", "allow"),
        ("Never delete files directly", "rm a.txt", "ask"),
    ],
)
def test_sentences_that_a_narrower_reading_lost(text: str, call: Call, level: str) -> None:
    assert level_of(text, call) == level
