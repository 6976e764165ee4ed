"""A hook that judges alone comes to the same ruling as the daemon, on real files."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING

import pytest
from tests.rules.content.conftest import make_book

from dmm.reading import MAX_CHANGED, read_changed, read_script
from dmm.rules.commands.calls import ToolCall
from dmm.rules.content.pattern import ContentPattern
from dmm.rules.on_file import RulesOnFile, read_rules, rule_by_file, write_rules
from dmm.rules.patterns import AllOf, PathPattern

if TYPE_CHECKING:
    from pathlib import Path

BOOK = make_book(
    AllOf((ContentPattern(pattern="console.log($$$)"), PathPattern("src/**", ("write",)))),
    ContentPattern(regex="(?:a|aa)+$"),
    ContentPattern(regex="StrictMode", removed=True),
)


@pytest.mark.parametrize(
    ("old", "new", "level"),
    [
        ("start()", "console.log(1)", "deny"),
        ("start()", "begin()", "allow"),
        ("StrictMode();", "", "deny"),
        ("start()", "a" * 5_000 + "b", "ask"),
    ],
)
def test_both_rule_alike(old: str, new: str, level: str, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    long = "run(1);\n" * 1_000
    (tmp_path / "src" / "a.ts").write_text(f"console.log(0)\n{long}StrictMode();\nstart()\n")
    call = ToolCall(
        "Edit",
        {"file_path": str(tmp_path / "src/a.ts"), "old_string": old, "new_string": new},
        str(tmp_path),
    )

    readers = partial(read_script, call.cwd), partial(read_changed, call.cwd)
    by_daemon = BOOK.rule(call, files=readers[0], texts=readers[1])
    alone = rule_by_file(read_rules(write_rules(RulesOnFile(BOOK))), call)

    assert alone.level == level
    assert alone == by_daemon


def test_a_file_too_long_to_be_read_whole_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "long").write_text("x" * (MAX_CHANGED + 1))
    (tmp_path / "short").write_text("x" * MAX_CHANGED)

    assert read_changed(str(tmp_path), "long") is None
    assert read_changed(str(tmp_path), "short") == "x" * MAX_CHANGED
    assert read_changed(str(tmp_path), "none") is None
    assert read_changed(str(tmp_path), ".") is None
    assert read_changed(str(tmp_path), "/dev/zero") is None


def test_nothing_that_searches_text_is_loaded_for_a_call_that_writes_none() -> None:
    program = """
import sys
from dmm.rules.callbook import CallBook, CallEntry
from dmm.rules.commands.calls import ToolCall
from dmm.rules.content.pattern import ContentPattern
from dmm.rules.callrules import ToolRule
no = ToolCall("", {})
rule = ToolRule("r", (ContentPattern(pattern="wanted()", regex="wanted"),), "", "", no, no)
book = CallBook([CallEntry(1, "r", rule)])
book.rule(ToolCall("Bash", {"command": "ls -la > /dev/null"}, "/"))
book.rule(ToolCall("Write", {"file_path": "a.ts", "content": "nothing of that kind"}, "/"))
print(sorted({"regex", "ast_grep_py"} & set(sys.modules)))
"""
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert told.stdout.strip() == "[]"
