"""What stands harmlessly around a forbidden command never lifts its deny."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.examples import many

from dmm.rules.callbook import CallBook, CallEntry
from dmm.rules.commands.calls import ToolCall
from dmm.rules.english import call_rules
from dmm.rules.on_file import RulesOnFile, read_rules, rule_by_file, write_rules
from dmm.rules.starter import starter_rules

HERE = Path(__file__).parent
SENTENCES = ("never push to main", "never use npm", "do not run terraform destroy")
DISGUISED = [
    row["command"]
    for line in (HERE / "disguises.jsonl").read_text("utf-8").splitlines()
    if "files" not in (row := json.loads(line))
]
AROUND = st.sampled_from([
    ("true; ", ""), ("echo ok\n", ""), ("cd . && ", ""), ("set -e; ", ""), ("# note\n", ""),
    ("export A=1; ", ""), ("trap 'echo' EXIT; ", ""), ("f() { echo; }; ", ""), ("x=(a b); ", ""),
    ("cat <<E\nhi\nE\n", ""), ("[[ -n $x ]] && ", ""), ("(( 1 )) && ", ""), ("time ", ""),
    ("", "\ntrue"), ("", "\n# done\n"), ("", "\necho ok && true"), ("", "\n"), ("{ ", "\n}"),
    ("( ", "\n)"), ("if true; then ", "\nfi"), ("for i in 1; do ", "\ndone"), ("\\\n", ""),
])  # fmt: skip


@cache
def book() -> CallBook:
    rules = [*starter_rules(), *(one for text in SENTENCES for one in call_rules(text))]
    return CallBook(CallEntry(at, one.id, one) for at, one in enumerate(rules, 1))


@cache
def on_file() -> RulesOnFile:
    return read_rules(write_rules(RulesOnFile(book())))


def bash(command: str) -> ToolCall:
    return ToolCall("Bash", {"command": command}, branch="topic")


@settings(max_examples=many(200))
@given(st.sampled_from(DISGUISED), st.lists(AROUND, min_size=1, max_size=4))
def test_harmless_words_around_a_command_lift_no_deny(
    command: str, around: list[tuple[str, str]]
) -> None:
    plain = book().rule(bash(command), None)
    assume(plain.denied and not plain.findings[0].stopped)
    for before, behind in around:
        command = f"{before}{command}{behind}"
    assert book().rule(bash(command), None).denied, command


@settings(max_examples=many(200))
@given(st.lists(st.sampled_from(DISGUISED), min_size=1, max_size=3), st.data())
def test_any_cut_of_commands_is_read_without_a_fault_and_the_same_by_the_file(
    commands: list[str], data: st.DataObject
) -> None:
    text = "; ".join(commands)
    start, stop = sorted(data.draw(st.integers(0, len(text))) for _ in range(2))
    call = bash(text[:start] + text[stop:])
    ruling = book().rule(call, None)
    assert not any("not read: " in step or "not be applied" in step for step in ruling.trace)
    assert rule_by_file(on_file(), call) == ruling
