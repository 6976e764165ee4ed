"""Every rule in docs/rules.md compiles, and does what its examples say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from dmm.files.rules import parse_rule
from dmm.rules.form import compile_fields
from dmm.rules.source import prove

PAGE = Path(__file__).parents[1] / "docs" / "rules.md"
MATCHERS = ("command", "path", "content", "message", "tool", "order: before and require")


def blocks(text: str, language: str) -> list[str]:
    """List the fenced blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def sections() -> dict[str, str]:
    """Split the page at its headings."""
    parts = re.split(r"^#{2,3} (.+)\n", PAGE.read_text(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


FILES = blocks(PAGE.read_text(), "markdown")
RECIPES = {
    title: fields
    for block in blocks(PAGE.read_text(), "yaml")
    for title, fields in yaml.safe_load(block).items()
}


@pytest.mark.parametrize("source", FILES, ids=lambda text: parse_rule("rule.md", text).title)
def test_a_rule_file_of_the_page_holds_its_examples(source: str) -> None:
    read = parse_rule("rule.md", source)
    rule = compile_fields(read.fields, read.title, read.body, "rule")
    assert rule.block
    assert rule.allow
    assert prove(rule) == ()


@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_of_the_page_holds_its_examples(title: str) -> None:
    rule = compile_fields(RECIPES[title], title, "", "rule")
    assert rule.block
    assert rule.allow
    assert prove(rule) == ()


@pytest.mark.parametrize("matcher", MATCHERS)
def test_every_matcher_has_three_rules(matcher: str) -> None:
    (block,) = blocks(sections()[matcher], "yaml")
    assert len(yaml.safe_load(block)) == 3


def test_the_page_stays_short() -> None:
    assert len(PAGE.read_text().splitlines()) <= 350
