"""The examples that a compiled sentence carries, as `dmm rules show` prints them."""

from __future__ import annotations

import pytest

from dmm.rules.authorship import Wish, compose
from dmm.rules.english import Surroundings, compile_sentence
from dmm.rules.form import compile_fields


@pytest.mark.parametrize(
    ("text", "blocked", "allowed"),
    [
        ("Use pnpm, not npm", "npm install", "pnpm install"),
        ("Never run `prettier` - use `yarn format` instead", "prettier", "yarn format"),
        (
            "Never use `any` - use proper types",
            "write src/example.ts: let a: any",
            "write src/example.ts: let a: unknown",
        ),
        ("Never use `pip install` - use `uv` for all packages", "pip install", "uv sync"),
        ("Never run rm -rf", "rm -rf build", "rm build"),
        ("Never use curl", "curl https://example.com", "which curl"),
        ("Never push to main", "git push origin main", "git push origin topic"),
        ("Never commit to main", "git commit -m x (on main)", "git commit -m x (on topic)"),
        ("Never force-push", "git push --force", "git push"),
        (
            "No console.log in src",
            "write src/example.ts: console.log(a)",
            "write src/example.ts: log(a)",
        ),
        (
            "Use logging, never print, in Python code under api/",
            "write api/example.py: print(a)",
            "write api/example.py: log.info(a)",
        ),
    ],
)
def test_a_rule_shows_a_telling_call_and_a_near_one(text: str, blocked: str, allowed: str) -> None:
    rule = compile_fields(compile_sentence(text).fields or {}, text, stem="a-rule")
    assert [one.text for one in rule.block] == [blocked]
    assert [one.text for one in rule.allow] == [allowed]


def test_an_example_shows_what_was_done_before() -> None:
    text = "Run the tests before committing"
    rule = compile_fields(compile_sentence(text).fields or {}, text, stem="a-rule")
    assert rule.allow[-1].text == "git commit after: npm test"


@pytest.mark.parametrize(
    "text", ["Never commit secrets", "Never commit API keys", "Do not hardcode credentials"]
)
def test_a_rule_on_secrets_keeps_its_example_in_the_file(text: str) -> None:
    made = compose(Wish(text), ())
    assert "redacted" not in made.source
    assert [one.text for one in made.rule.block] == [
        "write src/example.ts: -----BEGIN PRIVATE KEY-----"
    ]


def test_a_move_is_shown_in_the_folder_that_its_rule_is_about() -> None:
    text, known = "Never rename files outside tests/", Surroundings(folder="packages/api")
    rule = compile_fields(compile_sentence(text, known).fields or {}, text, stem="a-rule")
    assert [one.text for one in rule.block] == [
        "cd packages/api && mv elsewhere/file.txt elsewhere/file.txt.old"
    ]
