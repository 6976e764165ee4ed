"""What counts as written: added lines, the file as it will be, and what is taken away."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from dmm.rules.callrules import Action
from dmm.rules.content.expressions import LINE
from dmm.rules.content.pattern import ContentPattern

if TYPE_CHECKING:
    from tests.rules.content.conftest import Judge


OLD = "function f() {\n  console.log(1);\n  return 1;\n}\n"
LOG = ContentPattern(pattern="console.log($$$)")


def _edit(old: str, new: str, **more: object) -> dict[str, object]:
    return {"file_path": "a.ts", "old_string": old, "new_string": new, **more}


def test_a_line_that_was_there_before_does_not_count(judge: Judge) -> None:
    elsewhere = _edit("  return 1;", "  return 2;")
    around = _edit(OLD, OLD.replace("return 1", "return 2"))

    assert judge("Edit", elsewhere, LOG, files={"a.ts": OLD}).level == "allow"
    assert judge("Edit", around, LOG, files={"a.ts": OLD}).level == "allow"
    assert judge("Edit", around, LOG).level == "allow"
    whole = {"file_path": "a.ts", "content": "// new\n" + OLD}
    assert judge("Write", whole, LOG, files={"a.ts": OLD}).level == "allow"
    assert judge("Write", whole, LOG).level == "deny"


def test_a_pattern_on_the_whole_file_counts_what_was_there(judge: Judge) -> None:
    anywhere = LOG.changed(only_added=False)

    ruling = judge("Edit", _edit("  return 1;", "  return 2;"), anywhere, files={"a.ts": OLD})

    assert ruling.level == "deny"
    assert "a.ts line 2" in ruling.reason


def test_code_that_is_only_partly_new_counts(judge: Judge) -> None:
    ruling = judge("Edit", _edit("log(1)", "log(2)"), LOG, files={"a.ts": OLD})

    assert ruling.level == "deny"
    assert "a.ts line 2" in ruling.reason


@pytest.mark.parametrize(
    ("old", "new", "level"),
    [
        ("  if user.any()", "  elif user.any()", "allow"),
        ("  if user.any()", "    x = 1\n    if user.any()", "allow"),
        ("  a = user.any()\nb = 1", "b = 1\na = user.any()", "allow"),
        ("  if user.any()", "  elif user.any()\n  b = user.any()", "deny"),
        ("a = 1", "a = user.any()", "deny"),
        ("# user.any()", "user.any()", "deny"),
    ],
)
def test_what_the_call_takes_away_as_well_is_not_new(
    old: str, new: str, level: str, judge: Judge
) -> None:
    use = ContentPattern(regex=r"^(?!\s*#).*?\buser\.any\b", only_new=True)
    edit = {"file_path": "a.py", "old_string": old, "new_string": new}

    assert judge("Edit", edit, use, files={"a.py": f"start\n{old}\nend\n"}).level == level
    assert judge("Edit", edit, use).level == level
    assert judge("Edit", edit, use.changed(only_new=False)).level == "deny"


def test_code_that_differs_from_what_is_taken_away_is_new(judge: Judge) -> None:
    new_log = LOG.changed(only_new=True)
    key = ContentPattern(regex=r"key = '\w+'", only_new=True)

    assert judge("Edit", _edit("log(1)", "log(2)"), new_log, files={"a.ts": OLD}).level == "deny"
    whole = _edit("  console.log(1);", "  if (a) console.log(1);")
    assert judge("Edit", whole, new_log, files={"a.ts": OLD}).level == "allow"
    twice = _edit("  console.log(1);", "  if (a) console.log(1), console.log(1);")
    assert judge("Edit", twice, new_log, files={"a.ts": OLD}).level == "deny"
    assert judge("Edit", _edit("key = 'one'", "key = 'two'"), key).level == "deny"


def test_a_line_that_has_one_gets_no_second(judge: Judge) -> None:
    use = ContentPattern(regex=rf"{LINE}\bprocess\.env\b", only_new=True)
    old, new = "const a = process.env.A;", "const a = [process.env.A, process.env.B];"
    assert judge("Edit", _edit(old, new), use, files={"a.ts": f"{old}\n"}).level == "deny"
    for comment in ("#process.env.A", "{/* process.env.A */}", "go(); // was process.env.A"):
        edit = _edit(comment, "process.env.A")
        assert judge("Edit", edit, use, files={"a.ts": f"{comment}\n"}).level == "deny"
    longer = "const all = process.env.A;"
    assert judge("Edit", _edit(old, longer), use, files={"a.ts": f"{old}\n"}).level == "allow"
    asserted = ContentPattern(pattern="$A!", language="typescript", only_new=True)
    old, new = "private a = this.b!;", "private a = this.b!; private c = this.b!;"
    files = {"a.ts": f"class A {{\n  {old}\n}}\n"}
    assert judge("Edit", _edit(old, new), asserted, files=files).level == "deny"
    assert judge("Edit", _edit(old, f"{old} // b"), asserted, files=files).level == "allow"


@pytest.mark.parametrize(
    ("old", "new", "level"),
    [
        ("// eslint-disable-next-line", "/* eslint-disable */", "deny"),
        ("// eslint-disable-line", "// eslint-disable-line  why: a cast", "allow"),
        ("f(); // eslint-disable-line", "g(1); // eslint-disable-line", "allow"),
    ],
)
def test_a_match_that_was_the_beginning_of_a_longer_word_is_new(
    old: str, new: str, level: str, judge: Judge
) -> None:
    use = ContentPattern(regex="eslint-disable", only_new=True)
    assert judge("Edit", _edit(old, new), use, files={"a.ts": f"{old}\n"}).level == level
    assert judge("Edit", _edit(old, new), use).level == level


def test_every_occurrence_is_replaced_where_the_call_says_so(judge: Judge) -> None:
    files = {"a.ts": "a();\nb();\na();\n"}
    twice = ContentPattern(regex=r"c\(\);\nb\(\);\nc\(\);")

    assert judge("Edit", _edit("a", "c", replace_all=True), twice, files=files).level == "deny"
    assert judge("Edit", _edit("a", "c"), twice, files=files).level == "allow"


def test_what_is_taken_away_is_found_by_a_pattern_on_removal(judge: Judge) -> None:
    strict = ContentPattern(regex="StrictMode", removed=True)
    files = {"a.ts": "<StrictMode>\n<App/>\n</StrictMode>\n"}

    gone = _edit("<StrictMode>\n<App/>\n</StrictMode>", "<App/>")
    assert judge("Edit", gone, strict, files=files).level == "deny"
    assert judge("Edit", gone, strict.changed(only_new=True), files=files).level == "deny"
    assert judge("Edit", gone, strict).level == "deny"
    kept = _edit("<App/>", "<Other/>")
    assert judge("Edit", kept, strict, files=files).level == "allow"
    write = {"file_path": "a.ts", "content": "<App/>\n"}
    assert judge("Write", write, strict, files=files).level == "deny"
    deleted = {"input": "*** Begin Patch\n*** Delete File: a.ts\n*** End Patch"}
    assert judge("apply_patch", deleted, strict, files=files).level == "deny"


def test_windows_line_ends_change_nothing(judge: Judge) -> None:
    files = {"a.ts": OLD.replace("\n", "\r\n")}

    edit = _edit("  return 1;\n}", "  return 2;\n}")

    assert judge("Edit", edit, LOG, files=files).level == "allow"


@pytest.mark.parametrize(
    ("path", "pattern", "hit", "miss"),
    [
        ("a.ts", "$A as any", "let x = y as any;", "let x = y as string; // as any"),
        ("a.tsx", "console.log($$$)", "f(<a>{console.log(1)}</a>)", "f(<a>console.log(1)</a>)"),
        ("a.js", "eval($A)", "eval(x)", "'eval(x)'"),
        ("a.py", "print($$$)", "def f():\n    print(1, 2)\n", "# print(1)\n"),
        ("a.py", "import $A", "import os\n", "from os import path\n"),
        ("a.rs", "$A.unwrap()", "fn f() { a().unwrap(); }", "fn f() { a()?; } // .unwrap()"),
        ("a.rs", "unsafe { $$$ }", "fn f() { unsafe { g() } }", 'fn f() { "unsafe { }"; }'),
        (
            "a.go",
            "fmt.Println($$$)",
            'package p\nfunc f() {\n\tfmt.Println("x")\n}\n',
            "package p\n// fmt.Println(1)\n",
        ),
        ("a.go", "panic($A)", "package p\nfunc f() { panic(err) }\n", "package p\nfunc panic() {}"),
        (
            "a.java",
            "System.out.println($$$)",
            "class A { void f() { System.out.println(1); } }",
            "",
        ),
        ("a.c", "strcpy($$$)", "int main() { strcpy(a, b); }", "int strcpy(char *a);"),
        ("a.css", "color: $A", "a { color: red; }", "a { margin: 0; }"),
    ],
)
def test_code_is_found_by_its_structure(
    path: str, pattern: str, hit: str, miss: str, judge: Judge
) -> None:
    wanted = ContentPattern(pattern=pattern)

    assert judge("Write", {"file_path": path, "content": hit}, wanted).level == "deny"
    assert judge("Write", {"file_path": path, "content": miss}, wanted).level == "allow"


def test_a_rule_on_syntax_looks_around(judge: Judge) -> None:
    rule = {
        "pattern": "await $A",
        "inside": {
            "any": [{"kind": "for_statement"}, {"kind": "for_in_statement"}],
            "stopBy": "end",
        },
    }
    wanted = ContentPattern(rule=json.dumps(rule), language="typescript")
    inside = "async function f() { for (const a of b) { await g(a); } }"

    assert judge("Write", {"file_path": "a.ts", "content": inside}, wanted).level == "deny"
    outside = inside.replace("for (const a of b)", "")
    assert judge("Write", {"file_path": "a.ts", "content": outside}, wanted).level == "allow"


def test_a_rule_sees_what_stands_around_an_edit(judge: Judge) -> None:
    rule = {"pattern": "print($$$)", "inside": {"kind": "function_definition", "stopBy": "end"}}
    wanted = ContentPattern(rule=json.dumps(rule), language="python")
    edit = {"file_path": "a.py", "old_string": "x = 1", "new_string": "print(1)"}

    assert judge("Edit", edit, wanted, files={"a.py": "def f():\n    x = 1\n"}).level == "deny"
    assert judge("Edit", edit, wanted, files={"a.py": "x = 1\n"}).level == "allow"


@pytest.mark.parametrize(
    ("path", "rule", "fragment"),
    [
        ("a.py", {"kind": "except_clause"}, "    except Exception:\n        logger.error('x')"),
        ("a.py", {"pattern": "return None"}, "        else:\n            return None"),
        ("a.py", {"pattern": "print($$$)"}, "            print(1)\n        y = 2"),
        ("a.ts", {"kind": "catch_clause"}, "} catch (error) {\n  swallow(error);\n}"),
        ("a.ts", {"kind": "public_field_definition"}, "  private readonly x: string = '1';"),
        (
            "a.java",
            {"kind": "method_declaration"},
            "    public int f() {\n        return 1;\n    }",
        ),
        ("a.rs", {"pattern": "$A.unwrap()"}, "    let x = y.unwrap();"),
        ("a.go", {"pattern": "panic($A)"}, "\tif err != nil {\n\t\tpanic(err)\n\t}"),
    ],
)
def test_a_piece_of_a_file_is_read_as_if_it_were_complete(
    path: str, rule: dict[str, object], fragment: str, judge: Judge
) -> None:
    wanted = ContentPattern(rule=json.dumps(rule))
    edit = {"file_path": path, "old_string": "x", "new_string": fragment}

    assert judge("Edit", edit, wanted).level == "deny"


def test_a_language_limits_a_pattern_to_its_files(judge: Judge) -> None:
    wanted = ContentPattern(regex="TODO", language="typescript")

    assert judge("Write", {"file_path": "a.ts", "content": "// TODO"}, wanted).level == "deny"
    assert judge("Write", {"file_path": "a.tsx", "content": "// TODO"}, wanted).level == "deny"
    assert judge("Write", {"file_path": "a.py", "content": "# TODO"}, wanted).level == "allow"


def test_code_of_another_language_is_not_meant(judge: Judge) -> None:
    wanted = ContentPattern(pattern="unsafe { $$$ }")

    assert judge("Write", {"file_path": "a.py", "content": "unsafe = {1}"}, wanted).level == "allow"
    assert judge("Write", {"file_path": "notes", "content": "unsafe { }"}, wanted).level == "allow"


def test_a_regex_beside_a_pattern_narrows_what_it_finds(judge: Judge) -> None:
    wanted = ContentPattern(pattern="fetch($$$)", regex="http://")
    plain = "fetch('http://a.b')"

    assert judge("Write", {"file_path": "a.ts", "content": plain}, wanted).level == "deny"
    other = "fetch('https://a.b'); // http://"
    assert judge("Write", {"file_path": "a.ts", "content": other}, wanted).level == "allow"


def test_a_regex_goes_by_line_and_by_case(judge: Judge) -> None:
    at_start = ContentPattern(regex="^todo$")

    def write(text: str) -> dict[str, str]:
        return {"file_path": "a.txt", "content": text}

    assert judge("Write", write("x\ntodo\ny"), at_start).level == "deny"
    assert judge("Write", write("x\nTODO\ny"), at_start).level == "allow"
    assert judge("Write", write("x\nTODO\ny"), at_start.changed(ignore_case=True)).level == "deny"


def test_the_level_of_the_rule_holds(judge: Judge) -> None:
    values = {"file_path": "a.ts", "content": "console.log(1)"}

    assert judge("Write", values, LOG, action=Action.ASK).level == "ask"
    assert judge("Write", values, LOG, action=Action.WARN).level == "warn"


def test_a_script_that_writes_text_is_asked_about(judge: Judge) -> None:
    files = {"make.sh": "cat > src/a.ts <<'EOF'\nconsole.log(1)\nEOF\n"}

    assert judge("Bash", {"command": "bash make.sh"}, LOG, files=files).level == "ask"
