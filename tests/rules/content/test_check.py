"""A content pattern that can't be used is refused with one line that says why."""

from __future__ import annotations

import pytest

from dmm.rules.content.check import check_content
from dmm.rules.content.pattern import ContentPattern


@pytest.mark.parametrize(
    "pattern",
    [
        ContentPattern(regex=r"console\.log"),
        ContentPattern(pattern="console.log($$$)"),
        ContentPattern(pattern="$A.unwrap()", language="rust"),
        ContentPattern(pattern="color: $A", language="css"),
        ContentPattern(pattern="fmt.Println($$$)", language="golang"),
        ContentPattern(rule='{"kind": "except_clause"}', language="py"),
        ContentPattern(rule='{"pattern": {"context": "class A { $B = 1 }", '
                       '"selector": "public_field_definition"}}', language="ts"),
    ],
)  # fmt: skip
def test_a_pattern_that_can_be_used_passes(pattern: ContentPattern) -> None:
    assert check_content(pattern) is None


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        (ContentPattern(), "it needs a regex, a pattern or a rule"),
        (ContentPattern(regex="("), "its regex can't be used: missing )"),
        (ContentPattern(regex="(a{900}){900}"), "its regex becomes too large"),
        (
            ContentPattern(pattern="f($A", language="ts"),
            "its pattern is not valid typescript: f($A",
        ),
        (ContentPattern(pattern="a; b", language="ts"), "more than one piece of code"),
        (
            ContentPattern(pattern="except E: $$$", language="python"),
            "its pattern is not valid python",
        ),
        (ContentPattern(pattern="f($A"), "not valid in any known language; set the"),
        (ContentPattern(pattern="f()", language="klingon"), "unknown language 'klingon'"),
        (ContentPattern(rule='{"kind": "nonsense"}', language="go"), "Kind `nonsense` is invalid"),
        (ContentPattern(rule='{"kid": "call"}', language="go"), "unknown field `kid`"),
        (ContentPattern(rule="{"), "its rule is not JSON"),
        (ContentPattern(rule="{}"), "must have one positive matcher"),
        (ContentPattern(pattern="(" * 90 + "1" + ")" * 90, language="ts"), "nests deeper"),
        (ContentPattern(pattern="x" * 3_000, language="ts"), "longer than 2,000 characters"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_refused(pattern: ContentPattern, told: str) -> None:
    wrong = check_content(pattern)

    assert wrong is not None
    assert told in wrong
    assert "\n" not in wrong


def test_paths_beside_a_pattern_tell_its_language() -> None:
    pattern = ContentPattern(pattern="puts $A")

    assert check_content(pattern, ["**/*.rb"]) is None
    assert check_content(pattern, ["**/*.ts"]) == "its pattern is not valid typescript: puts $A"
