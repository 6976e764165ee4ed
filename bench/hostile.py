"""Rules and texts made to hold a call up; each must be ruled on within a fifth of a second.

Every case stands beside a plain rule that denies the same call, which must still be seen.
"""

from __future__ import annotations

import json
from functools import partial
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, Any, NamedTuple

from dmm.reading import read_changed, read_script
from dmm.rules.callbook import CallBook, CallEntry, Ruling
from dmm.rules.commands.calls import ToolCall
from dmm.rules.form import compile_fields
from dmm.rules.needs import Done, done_by_call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

LIMIT_MS = 200
SLOW = r"(?:a|aa)+$"
Fields = dict[str, Any]
Values = dict[str, Any]


class Case(NamedTuple):
    """A call under some rules, beside files that exist and calls that were made before."""

    rules: list[Fields]
    tool: str
    values: Values
    files: tuple[tuple[str, str], ...] = ()
    past: tuple[str, ...] = ()


def _write(text: str, path: str = "src/a.ts") -> tuple[str, Values]:
    return "Write", {"file_path": path, "content": text}


def _content(**value: Any) -> Fields:
    return {"match": {"content": value}}


def _nested(levels: int, key: str = "has", **more: Any) -> Fields:
    held: Fields = {"regex": "^never$"}
    for _ in range(levels):
        held = {key: {**more, **held}}
    return held


def _regexes() -> Iterator[tuple[str, Case]]:
    """Make expressions that never end, wherever a rule takes one."""
    line = "a" * 5_000 + "b"
    yield "regex on content", Case([_content(regex=SLOW)], *_write(line))
    many = [_content(regex=rf"(?:a|aa|a{{{at}}})+$") for at in range(3, 103)]
    yield "100 regexes on content", Case(many, *_write(line))
    bash = "Bash", {"command": f"git commit -m {line}"}
    yield "regex on a message", Case([{"match": {"message": SLOW}}], *bash)
    program = {"program": "git", "matches": SLOW}
    yield "regex on a command", Case([{"match": {"command": program}}], *bash)
    tool: Fields = {"match": {"tool": {"name": "mcp__*", "matches": SLOW}}}
    yield "regex on a tool", Case([tool], "mcp__chat__send", {"text": line})
    each = [tool, {"match": {"message": SLOW}}, {"match": {"command": program}}] * 20
    yield "60 regexes on a call", Case(each, *bash)
    order = {"before": {"command": "git push"}, "require": {"command": program}}
    past = tuple(f"git commit -m {line}{at}" for at in range(1_000))
    yield "regex on 1,000 past calls", Case([order], "Bash", {"command": "git push"}, past=past)
    lines = "x = 1\n" * 100_000
    yield (
        "regex that matches everywhere",
        Case(
            [_content(regex="x*", only_added=True)],
            "Edit",
            {"file_path": "b.py", "old_string": "end", "new_string": ""},
            (("b.py", lines + "end"),),
        ),
    )
    yield "regex over regex", Case([_content(regex=r"(.*)(.*)(.*)(.*)(.*)[^a]{5}$")], *_write(line))
    yield "fuzzy regex", Case([_content(regex=r"(?:abcdefghij){e<=5}z")], *_write(line * 20))
    yield "large regex", Case([_content(regex=r"(?i)(?:\w{140}){140}b")], *_write(line * 20))
    sets = "".join(rf"[\p{{L}}--{chr(97 + at % 26)}]?" for at in range(140))
    yield "regex of many sets", Case([_content(regex=f"(?V1){sets}!")], *_write(line * 20 + "!"))
    classes = "|".join(rf"\p{{L}}{{1,9}}[^\W{at}]+" for at in range(90))
    yield "regex of many classes", Case([_content(regex=f"(?i)({classes})!")], *_write(line * 20))


def _texts() -> Iterator[tuple[str, Case]]:
    """Make texts that are large, deep or no code at all."""
    call = _content(pattern="foo($A)")
    word = _content(regex=r"fo+\(", ignore_case=True)
    rules = [call, word]
    yield "5 MB file", Case(rules, *_write("foo(1)\n" * 750_000))
    edit = "Edit", {"file_path": "b.ts", "old_string": "bar", "new_string": "foo(1)"}
    yield "edit of a 5 MB file", Case(rules, *edit, (("b.ts", "foo(1)\n" * 750_000 + "bar"),))
    yield "edit of a 4 MB file", Case(rules, *edit, (("b.ts", "foo(1)\n" * 590_000 + "bar"),))
    yield "100,000 parentheses", Case(rules, *_write("foo" + "(" * 100_000 + ")" * 100_000))
    yield "100,000 opened parentheses", Case(rules, *_write("foo(1)\n" + "(" * 100_000))
    bash = "Bash", {"command": "echo " + "$(" * 50_000 + "foo" + ")" * 50_000}
    yield "100,000 parentheses in a shell", Case([{"match": {"command": "foo"}}], *bash)
    yield "minified line of 1 MB", Case(rules, *_write("a=foo(1),b=[2,{c:3}];" * 50_000))
    yield "minified line of 190 KB", Case(rules, *_write("a=foo(1),b=[2,{c:3}];" * 9_000))
    runs = ("// one\n" * 999 + "foo(1)\n") * 28
    yield "long runs of comments", Case(rules, *_write(runs))
    short = ("#\n" * 999 + "foo(1)\n") * 90
    yield "longer runs of comments", Case(rules, *_write(short, "a.py"))
    yield "comments in a row", Case(rules, *_write("foo(1)\n" + "// one\n" * 20_000))
    many = [_content(regex=rf"word{at}\b", ignore_case=True) for at in range(500)]
    yield "500 rules on 4 MB", Case(many, *_write("some other words\n" * 240_000))
    code = [_content(pattern=f"word{at}($$$)") for at in range(500)]
    yield "500 patterns on 4 MB", Case(code, *_write("some other words\n" * 240_000))


def _structures() -> Iterator[tuple[str, Case]]:
    """Make rules on syntax that go through a tree many times."""
    text = "foo" + "((((((((1))))))))\nfoo" * 3_000
    deep = _nested(3, stopBy="end")
    yield "3 searches in one another", Case([_content(rule=deep, language="ts")], *_write(text))
    yield (
        "60 relations in one another",
        Case([_content(rule=_nested(60), language="ts")], *_write(text)),
    )
    yield "150 negations", Case([_content(rule=_nested(150, "not"), language="ts")], *_write(text))
    rows = "[" * 390 + "'" + "f" * 180_000 + "'" + "]" * 390
    yield (
        "regex over 390 levels",
        Case([_content(rule={"regex": r"(?:f|o|fo|oo)+x"}, language="ts")], *_write(rows)),
    )
    angles = _content(rule={"kind": "identifier", "regex": "^foo$"}, language="cpp")
    yield "15 KB of templates", Case([angles], *_write("a<b<c<d<e>(foo<g)\n" * 850, "a.cpp"))
    yield "190 KB of templates", Case([angles], *_write("a<b<c<d<e>(foo<g)\n" * 10_800, "a.cpp"))
    sound, torn = "const a = foo(1);\n" * 300, "const const = => ( ; ) [ , , ] { : } else\n" * 1_000
    yield (
        "code with torn parts",
        Case([_content(pattern="foo($A)")], *_write((sound + torn[:40_000]) * 4)),
    )
    slow = {"kind": "call_expression", "regex": r"(?:f|o|fo|oo)+x"}
    yield "regex in a rule", Case([_content(rule=slow, language="ts")], *_write(text))


def cases() -> dict[str, Case]:
    """Make all cases, by name."""
    return {**dict(_regexes()), **dict(_texts()), **dict(_structures())}


def _book(rules: list[Fields], call: ToolCall) -> CallBook:
    entries = []
    plain: Fields = {"match": {"tool": call.tool}}
    for number, fields in enumerate([*rules, plain], start=1):
        rule = compile_fields(json.loads(json.dumps(fields)), "Not here", stem=f"rule-{number}")
        if rule.call is not None:
            entries.append(CallEntry(number, rule.title, rule.call, id=rule.id))
    return CallBook(entries)


def _judge(case: Case, folder: Path) -> Callable[[], Ruling]:
    for name, text in case.files:
        (folder / name).write_text(text, "utf-8")
    cwd = str(folder)
    call = ToolCall(case.tool, case.values, cwd)
    past = [ToolCall("Bash", {"command": one}, cwd) for one in case.past]
    done: list[Done] = [done_by_call(at, one, "", 0) for at, one in enumerate(past, start=1)]
    book = _book(case.rules, call)
    files, texts = partial(read_script, cwd), partial(read_changed, cwd)
    return lambda: book.rule(call, lambda *_: done, files, texts)


def measure(case: Case, folder: Path, rounds: int) -> dict[str, Any]:
    """Time rulings as the daemon makes them, on real files; the first one counts too."""
    judge = _judge(case, folder)
    spent, waited = [], []
    for _ in range(rounds):
        start, began = thread_time(), perf_counter()
        ruling = judge()
        spent.append((thread_time() - start) * 1_000)
        waited.append((perf_counter() - began) * 1_000)
    reasons = [one.stopped for one in ruling.findings if one.stopped]
    return {
        "ruling": ruling.level,
        "first_ms": spent[0],
        "most_ms": max(spent),
        "most_waited_ms": max(waited),
        "stopped": len(reasons),
        "reason": reasons[0] if reasons else "",
    }
