"""Several keys in one item hold for the same file or the same command."""

from __future__ import annotations

import json

import pytest
from tests.rules.content.conftest import Judge, make_book

from dmm.rules.commands.calls import ToolCall, read_call
from dmm.rules.content.pattern import ContentPattern
from dmm.rules.english import compile_sentence
from dmm.rules.explain import describe_pattern
from dmm.rules.form import compile_fields
from dmm.rules.index import CallIndex
from dmm.rules.patterns import AllOf, CommandPattern, PathPattern, ToolPattern
from dmm.rules.stored import book_from_dict, book_to_dict

LOG = ContentPattern(pattern="console.log($$$)")
SRC = PathPattern("src/**", ("write",))
BOTH = AllOf((LOG, SRC))


def _write(path: str, text: str = "console.log(1)") -> tuple[str, dict[str, str]]:
    return "Write", {"file_path": path, "content": text}


def test_text_and_path_hold_for_one_file(judge: Judge) -> None:
    assert judge(*_write("src/a.ts"), BOTH).level == "deny"
    assert judge(*_write("lib/a.ts"), BOTH).level == "allow"
    assert judge(*_write("src/a.ts", "x"), BOTH).level == "allow"
    patch = "*** Add File: src/a.ts\n+x\n*** Add File: lib/b.ts\n+console.log(1)\n"
    assert judge("apply_patch", {"input": patch}, BOTH).level == "allow"
    swapped = patch.replace("src/a.ts", "b.ts").replace("lib/b.ts", "src/a.ts")
    assert judge("apply_patch", {"input": swapped}, BOTH).level == "deny"


def test_an_exception_lifts_the_same_file_alone(judge: Judge) -> None:
    debug = PathPattern("src/debug/**", ("write",))

    assert judge(*_write("src/debug/a.ts"), BOTH, unless=(debug,)).level == "allow"
    assert judge(*_write("src/debug/a.ts"), LOG, unless=(debug,)).level == "allow"
    patch = "*** Add File: src/debug/a.ts\n+x\n*** Add File: src/b.ts\n+console.log(1)\n"
    assert judge("apply_patch", {"input": patch}, BOTH, unless=(debug,)).level == "deny"


def test_text_in_a_file_can_be_the_exception(judge: Judge) -> None:
    waived = ContentPattern(regex="allow-console", only_added=False)

    assert judge(*_write("a.ts"), LOG, unless=(waived,)).level == "deny"
    text = "// allow-console\nconsole.log(1)"
    assert judge(*_write("a.ts", text), LOG, unless=(waived,)).level == "allow"


def test_command_and_path_hold_for_one_command(judge: Judge) -> None:
    wanted = AllOf((CommandPattern(("rm",)), PathPattern("src/**", ("write",))))

    assert judge("Bash", {"command": "rm src/a.ts"}, wanted).level == "deny"
    assert judge("Bash", {"command": "rm x; touch src/a.ts"}, wanted).level == "allow"


def test_a_tool_goes_with_everything_in_its_call(judge: Judge) -> None:
    wanted = AllOf((ToolPattern("Write"), LOG))

    assert judge(*_write("a.ts"), wanted).level == "deny"
    edit = {"file_path": "a.ts", "old_string": "x", "new_string": "console.log(1)"}
    assert judge("Edit", edit, wanted).level == "allow"


def test_a_search_given_up_counts_only_where_the_path_fits(judge: Judge) -> None:
    slow = AllOf((ContentPattern(regex="(?:a|aa)+$"), SRC))
    text = "a" * 5_000 + "b"

    assert judge(*_write("src/a.ts", text), slow).level == "ask"
    assert judge(*_write("lib/a.ts", text), slow).level == "allow"


def test_rules_on_content_are_written_as_json_and_read_back() -> None:
    full = ContentPattern(
        regex="x",
        pattern="f($A)",
        rule='{"kind": "identifier"}',
        language="python",
        only_added=False,
        removed=True,
        ignore_case=True,
    )
    book = make_book(AllOf((full, SRC)), LOG, unless=(AllOf((SRC, LOG)),))

    stored = json.loads(json.dumps(book_to_dict(book)))

    assert book_from_dict(stored).entries == book.entries


def test_the_choosiest_key_finds_a_rule() -> None:
    index = CallIndex([("both", [BOTH]), ("text", [LOG])])

    def found(path: str, tool: str = "Write") -> list[str]:
        return index.candidates(read_call(ToolCall(tool, {"file_path": path, "content": ""})))

    assert found("src/a.ts") == ["both", "text"]
    assert found("lib/a.ts") == ["text"]
    assert found("lib/a.ts", "Read") == []


def test_the_parts_are_told_in_words() -> None:
    assert describe_pattern(BOTH) == "writing code like `console.log($$$)` in src/**"


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("Never use any in TypeScript", "writing code like `let a: any` in *.ts, "),
        ("Never use `findUnique`", "writing `findUnique` in any file except documentation"),
        ("Never call `fetch()`", "writing `fetch()` in "),
        ("Never import from `lib/old`", "writing an import of `lib/old` in "),
        (
            "Never commit .env",
            "the command git add, stage or commit of .env or .env.* except .env.example, ",
        ),
        ("No `Co-Authored-By` in commit messages", "a commit message with `Co-Authored-By`"),
    ],
)
def test_a_rule_from_a_sentence_is_told_without_its_regex(sentence: str, told: str) -> None:
    rule = compile_fields(compile_sentence(sentence).fields or {}, sentence, stem="a-rule")
    assert rule.call is not None
    assert describe_pattern(rule.call.patterns[0]).startswith(told)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            {"rule": {"kind": "except_clause", "regex": r"^except\s*:"}},
            "code of the kind except clause with `except:`",
        ),
        (
            {"rule": {"any": [{"kind": "default_parameter"}, {"pattern": "f($A)"}]}},
            "code of the kind default parameter or code like `f($A)`",
        ),
        (
            {"rule": {"pattern": "f($A)", "inside": {"kind": "except_clause"}}},
            "code like `f($A)` under its conditions",
        ),
        (r"\bTODO\b(?!\(#\d+\))", "`TODO` (with exceptions)"),
        (r"\b(from|import)\W+lodash\b", "text that fits its regular expression"),
        (r"foo\|bar", "text that fits its regular expression"),
        (r"foo|", "text that fits its regular expression"),
        (r"foo(?=bar)", "text that fits its regular expression"),
    ],
)
def test_a_matcher_by_hand_is_told_as_far_as_it_names_something(content: object, told: str) -> None:
    fields = {"match": {"content": content, "path": "*.py"}}
    call = compile_fields(fields, "A rule", stem="a-rule").call
    assert call is not None
    assert describe_pattern(call.patterns[0]) == f"writing {told} in *.py"
