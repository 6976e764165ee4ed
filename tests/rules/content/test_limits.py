"""What can't be checked in time is asked about, with the reason, and lifts no other rule."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest

from dmm.rules.callrules import Action
from dmm.rules.content.limits import MAX_TEXT
from dmm.rules.content.pattern import ContentPattern
from dmm.rules.patterns import DependencyPattern, ToolPattern

if TYPE_CHECKING:
    from tests.rules.content.conftest import Judge

    from dmm.rules.callbook import Ruling

SLOW = ContentPattern(regex="(?:a|aa)+$")
SLOW_TEXT = "a" * 5_000 + "b\n"


def _write(text: str, path: str = "src/big.ts") -> tuple[str, dict[str, str]]:
    return "Write", {"file_path": path, "content": text}


def _stopped(ruling: Ruling) -> list[str]:
    return [one.stopped for one in ruling.findings]


def test_a_catastrophic_regex_is_stopped_and_asked_about(judge: Judge) -> None:
    ruling = judge(*_write(SLOW_TEXT), SLOW)

    assert ruling.level == "ask"
    assert _stopped(ruling) == ["its regex took too long"]
    assert "could not be checked on src/big.ts: its regex took too long" in ruling.reason
    assert ruling.describe()["violations"][0]["stopped"] == "its regex took too long"


@pytest.mark.parametrize(
    "regex",
    [
        "(((a{900}){900}){900}){900}",
        "(?x)((a{999}){999}){999}",
        "(?:(?:[a-z]{99}){99}){99}",
        "x" * 3_000,
        "(" * 500 + "a" + ")" * 500,
        "(unclosed",
    ],
)
def test_a_regex_that_is_too_large_or_none_is_never_compiled_in_force(
    regex: str, judge: Judge
) -> None:
    ruling = judge(*_write("x" * 3_000 + "a(unclosed"), ContentPattern(regex=regex))

    assert ruling.level == "ask"
    assert all(_stopped(ruling))


def test_other_rules_hold_beside_one_that_is_stopped(judge: Judge) -> None:
    todo = ContentPattern(regex="TODO")

    before = judge(*_write(SLOW_TEXT + "TODO"), todo, SLOW)
    after = judge(*_write(SLOW_TEXT + "TODO"), SLOW, todo)

    assert (before.level, after.level) == ("deny", "deny")
    assert sorted(_stopped(after)) == ["", "its regex took too long"]


def test_many_slow_rules_share_one_budget(judge: Judge) -> None:
    slow = [ContentPattern(regex=f"(?:a|aa|a{{{at}}})+$") for at in range(3, 23)]

    ruling = judge(*_write(SLOW_TEXT), *slow)

    assert ruling.level == "ask"
    assert len(ruling.findings) == len(slow)
    assert _stopped(ruling)[-1].endswith("used up by other rules")


def test_a_stopped_exception_lifts_nothing(judge: Judge) -> None:
    ruling = judge(*_write(SLOW_TEXT + "TODO"), ContentPattern(regex="TODO"), unless=(SLOW,))

    assert ruling.level == "deny"


def test_a_stopped_rule_that_only_warns_warns(judge: Judge) -> None:
    assert judge(*_write(SLOW_TEXT), SLOW, action=Action.WARN).level == "warn"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("foo(" * 2_000 + ")" * 2_000, "nests deeper"),
        ("foo(1)\n" * 60_000, "larger than 200 KB"),
        ("foo(1)\n" + "// a line\n" * 10_000 + "<b/>\n", "lines of comment in a row"),
        ("foo(1)\n" * (MAX_TEXT // 6), "larger than 4 MB"),
    ],
)
def test_code_too_large_or_too_deep_is_not_parsed(text: str, told: str, judge: Judge) -> None:
    ruling = judge(*_write(text), ContentPattern(pattern="foo($A)"))

    assert ruling.level == "ask"
    assert told in _stopped(ruling)[0]


def test_a_large_file_without_the_words_is_no_concern(judge: Judge) -> None:
    assert judge(*_write("bar(1)\n" * 60_000), ContentPattern(pattern="foo($A)")).level == "allow"


def test_what_is_not_code_is_not_parsed_at_length(judge: Judge) -> None:
    marks = random.Random(1)
    text = "foo(1)\n" + "".join(marks.choice("(){}[]abc\n") for _ in range(100_000))

    ruling = judge(*_write(text), ContentPattern(pattern="foo($A)"))

    assert ruling.level == "ask"
    assert _stopped(ruling) == ["the file does not read as typescript"]


def test_a_search_along_all_descendants_is_stopped(judge: Judge) -> None:
    deep: dict[str, object] = {"regex": "^never$"}
    for _ in range(3):
        deep = {"has": {"stopBy": "end", **deep}}
    text = "foo" + "((((((((1))))))))\nfoo" * 600

    ruling = judge(*_write(text), ContentPattern(rule=json.dumps(deep), language="ts"))

    assert ruling.level == "ask"
    assert _stopped(ruling) == ["its pattern took too long"]


def test_a_large_text_is_searched_by_regex_where_it_is_new(judge: Judge) -> None:
    old = "x = 1\n" * 300_000
    edit = {"file_path": "a.py", "old_string": "x = 1\ny", "new_string": "x = 1\n# TODO\ny"}

    ruling = judge("Edit", edit, ContentPattern(regex="TODO"), files={"a.py": old + "y = 2\n"})

    assert ruling.level == "deny"
    assert "a.py line 300001" in ruling.reason


def test_an_edit_of_a_text_that_takes_too_long_is_searched_where_it_is_new(judge: Judge) -> None:
    held = f"start\n{SLOW_TEXT * 20}"

    def edit(new: str) -> Ruling:
        values = {"file_path": "src/big.ts", "old_string": "start", "new_string": new}
        return judge("Edit", values, SLOW, files={"src/big.ts": held})

    assert edit("begin").level == "allow"
    assert edit("begin\naaa").level == "deny"
    assert edit(SLOW_TEXT).level == "ask"


def test_a_regex_on_arguments_is_stopped_in_the_same_way(judge: Judge) -> None:
    slow = ToolPattern("mcp__*", matches="^(?:a|aa)+$")

    ruling = judge("mcp__chat__send", {"text": "a" * 3_000 + "b"}, slow)

    assert ruling.level == "ask"
    assert _stopped(ruling) == ["its regex took too long"]


def test_what_a_call_writes_beyond_many_files_is_asked_about(judge: Judge) -> None:
    secret = ContentPattern(regex="SECRET")
    files = [f"*** Add File: a{number}.txt\n+x\n" for number in range(250)]
    patch = f"*** Begin Patch\n{''.join(files)}*** Add File: src/last.ts\n+SECRET\n*** End Patch\n"
    ruling = judge("apply_patch", {"input": patch}, secret)
    assert ruling.level == "ask"
    assert _stopped(ruling) == ["the call changes files more than 200 times"]
    first = patch.replace("+x", "+SECRET", 1)
    assert judge("apply_patch", {"input": first}, secret).denied


def test_what_a_shell_writes_behind_a_hundred_files_is_searched(judge: Judge) -> None:
    many = "".join(f"echo x > a{number}.txt\n" for number in range(150))
    secret = ContentPattern(regex="SECRET")
    assert judge("Bash", {"command": f"{many}echo SECRET > src/last.ts"}, secret).denied
    assert judge("Bash", {"command": f"{many}echo done > src/last.ts"}, secret).level == "allow"


def test_packages_are_found_beyond_many_files(judge: Judge) -> None:
    many = "".join(f"echo x > a{number}.txt\n" for number in range(250))
    package = """echo '{"dependencies": {"left-pad": "1.0.0"}}' > package.json"""
    assert judge("Bash", {"command": many + package}, DependencyPattern("left-pad")).denied


def test_files_that_no_structure_can_be_found_in_are_not_asked_about(judge: Judge) -> None:
    files = "".join(f"*** Add File: a{number}.txt\n+x\n" for number in range(250))
    patch = f"*** Begin Patch\n{files}*** End Patch\n"
    ruling = judge("apply_patch", {"input": patch}, ContentPattern(pattern="eval($$$)"))
    assert ruling.level == "allow"


def test_half_a_character_hides_no_code(judge: Judge) -> None:
    text = "name = '\ud800'\neval(name)\n"
    assert judge(*_write(text, "a.py"), ContentPattern(pattern="eval($$$)")).denied


def test_a_patch_of_very_many_hunks_is_searched_by_what_it_hands_over(judge: Judge) -> None:
    lines = [f"{at:0700}\n" for at in range(300)]
    hunks = "".join(f"@@\n-{line}+y\n" for line in lines)
    patch = f"*** Begin Patch\n*** Update File: a.py\n{hunks}@@\n-z\n+SECRET\n*** End Patch\n"
    files = {"a.py": "".join(lines) + "z\n"}
    ruling = judge("apply_patch", {"input": patch}, ContentPattern(regex="SECRET"), files=files)
    assert ruling.denied
