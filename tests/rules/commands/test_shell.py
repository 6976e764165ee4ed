from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.rules.commands.opening import MAX_INVOCATIONS
from dmm.rules.commands.shell import MAX_TEXT, parse_shell


def argvs(text: str) -> list[tuple[str, ...]]:
    return [one.argv for one in parse_shell(text).invocations]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ls -l", [("ls", "-l")]),
        ("a 'b c' \"d e\" f\\ g", [("a", "b c", "d e", "f g")]),
        ('a "x\'y" \'p"q\' "\\$z\\n"', [("a", "x'y", 'p"q', "$z\\n")]),
        ("a $'x\\ty' $'\\x41\\u0042\\101' $'it\\'s'", [("a", "x\ty", "ABA", "it's")]),
        ("a '' \"\"", [("a", "", "")]),
        ("a\\\nb c", [("ab", "c")]),
        ("a && b || c; d & e\nf", [("a",), ("b",), ("c",), ("d",), ("e",), ("f",)]),
        ("a | b |& c", [("a",), ("b",), ("c",)]),
        ("a # b; c", [("a",)]),
        ("a b#c", [("a", "b#c")]),
        ("(a; b)", [("a",), ("b",)]),
        ("{ a; b; }", [("a",), ("b",)]),
        ("! a", [("a",)]),
        ("if a; then b; elif c; then d; else e; fi", [("a",), ("b",), ("c",), ("d",), ("e",)]),
        ("while a; do b; done", [("a",), ("b",)]),
        ("for x in 1 2; do a $x; done", [("a", "1"), ("a", "2")]),
        ("for ((i=0; i<3; i++)); do a; done", [("a",)]),
        ("case $x in a|b) c ;; (d) e ;; *) f; esac; g", [("c",), ("e",), ("f",), ("g",)]),
        ("f() { a; }", [("a",)]),
        ("function f { a; }", [("a",)]),
        ("function f() (a)", [("a",)]),
        ("[[ a && b || c > d ]] && e", [("e",)]),
        ("((x++)) && a", [("a",)]),
        ("a $((1 + 2)) $(( $x << 3 ))", [("a", "3", "$(( $x << 3 ))")]),
        ("a $(b $(c))", [("a", "$(b $(c))"), ("b", "$(c)"), ("c",)]),
        ("a `b \\`c\\``", [("a", "`b \\`c\\``"), ("b", "`c`"), ("c",)]),
        ('a "$(b "c d")"', [("a", '$(b "c d")'), ("b", "c d")]),
        ("a ${x:-$(b)}", [("a", "$(b)"), ("b",)]),
        ("a <(b) >(c)", [("a", "<(b)", ">(c)"), ("b",), ("c",)]),
        ("a {x,y}/*.[ch] ?", [("a", "x/*.[ch]", "y/*.[ch]", "?")]),
        ("x=(a b c); d", [("d",)]),
        ("ls !(a|b)", [("ls", "!(a|b)")]),
        ("cat <<E\na; b\nE\nc", [("cat",), ("c",)]),
        ("cat <<-E\n\ta\n\tE\nc", [("cat",), ("c",)]),
        ("cat <<'E'\n$(a)\nE", [("cat",)]),
        ("cat <<E\n$(a)\nE", [("cat",), ("a",)]),
        ("cat <<A <<B\n1\nA\n2\nB\nc", [("cat",), ("c",)]),
        ("bash <<E\na\nE", [("bash",), ("a",)]),
        ("bash <<< 'a b'", [("bash",), ("a", "b")]),
        ("cat <<< 'a b'", [("cat",)]),
        ("bash -c 'a; b' x", [("bash", "-c", "a; b", "x"), ("a",), ("b",)]),
        ("bash script.sh -c a", [("bash", "script.sh", "-c", "a")]),
        ("eval a 'b; c'", [("eval", "a", "b; c"), ("a", "b"), ("c",)]),
        ("sudo -u x a", [("sudo", "-u", "x", "a"), ("a",)]),
        ("env -i A=1 b", [("env", "-i", "A=1", "b"), ("b",)]),
        ("env -S 'a b'", [("env", "-S", "a b"), ("a", "b")]),
        ("command -v a", [("command", "-v", "a")]),
        ("timeout -k 5 10 a", [("timeout", "-k", "5", "10", "a"), ("a",)]),
        ("find . -exec a {} \\;", [("find", ".", "-exec", "a", "{}", ";"), ("a", ".")]),
        ("echo x | xargs -n 1 a", [("echo", "x"), ("xargs", "-n", "1", "a"), ("a", "x")]),
        ("x=1; a $x ${x}y '$x'", [("a", "1", "1y", "$x")]),
        ("python -c 'a; b'", [("python", "-c", "a; b")]),
        ("time -p { a; }; coproc X { b; }", [("a",), ("b",)]),
        ("time ( a | b )", [("a",), ("b",)]),
        ("time rm a if", [("time", "rm", "a", "if"), ("rm", "a", "if")]),
        ("time x=a; $x b", [("a", "b")]),
        ("uv run pytest -q", [("uv", "run", "pytest", "-q"), ("pytest", "-q")]),
    ],
)
def test_a_shell_text_is_read_into_its_invocations(
    text: str, expected: list[tuple[str, ...]]
) -> None:
    script = parse_shell(text)
    assert [one.argv for one in script.invocations] == expected
    assert not script.malformed


@pytest.mark.parametrize(
    "text",
    [
        "a 'b",
        'a "b',
        "a $(b",
        "a `b",
        "a ${b",
        "cat <<E\nx",
        "(a",
        "a )",
        "a >",
        "$'x",
        "[[ a",
        "x=(",
    ],
)
def test_malformed_text_is_flagged_and_read_as_far_as_it_goes(text: str) -> None:
    script = parse_shell(text)
    assert script.malformed
    assert len(script.invocations) <= 2


def test_a_program_is_named_without_directory_and_backslash() -> None:
    script = parse_shell("/usr/bin/git status; \\rm x; 'ls'")
    assert [one.program for one in script.invocations] == ["git", "rm", "ls"]


def test_prefixes_redirections_and_context_are_kept() -> None:
    script = parse_shell("A=1 B='x y' run 2>&1 > out.txt < in.txt &")
    (one,) = script.invocations
    assert one.env == (("A", "1"), ("B", "x y"))
    assert [(r.operator, r.target.text) for r in one.redirections] == [
        (">&", "1"),
        (">", "out.txt"),
        ("<", "in.txt"),
    ]
    assert [r.target.text for r in one.redirections if r.writes] == ["out.txt"]


def test_pipes_subshells_and_substitutions_are_told_apart() -> None:
    script = parse_shell("a | (b; c) | d $(e)")
    a, b, c, d, e = script.invocations
    assert [one.context.piped_from for one in (a, b, c, d)] == [False, True, True, True]
    assert [one.program for one in script.upstream(d)] == ["a", "b", "c"]
    assert e.context.in_substitution
    assert e.context.parent == d.id
    assert script.children(d) == (e,)


def test_nested_invocations_say_how_they_are_run() -> None:
    script = parse_shell("sudo bash -c 'cd /srv && ls'")
    assert [one.context.via for one in script.invocations] == [
        (),
        ("sudo",),
        ("sudo", "bash -c"),
        ("sudo", "bash -c"),
    ]
    last = script.invocations[-1]
    assert last.context.directory == "/srv"
    assert script.text[slice(*last.span)] == "ls"


def test_a_subshell_keeps_its_directory_to_itself() -> None:
    script = parse_shell("cd a; (cd b; x); y; cd -; z")
    found = {one.program: one.context.directory for one in script.invocations}
    assert (found["x"], found["y"], found["z"]) == ("a/b", "a", "$OLDPWD")


def test_what_is_too_long_or_too_deep_is_cut_and_flagged() -> None:
    assert parse_shell("x " * MAX_TEXT).truncated
    many = parse_shell("a;" * (MAX_INVOCATIONS + 10))
    assert many.truncated
    assert len(many.invocations) == MAX_INVOCATIONS
    assert parse_shell("$(" * 5000).malformed
    assert parse_shell("eval " * 500 + "x").truncated


@pytest.mark.repeats
@pytest.mark.parametrize(
    "piece",
    [
        "b\n", '"', "(", "$(", "cat <<A\n", "`", "{ ", "${", "sh|", "sudo ", 'bash -c "', "a=(",
        "f(", "case a in b) ", "\\", "for x in $x $x; do ", "a=$a$a;", '"$(', "&& ", "<",
        "find . -exec ", "`a;b`;", "cat <<A $(\n", "echo a|xargs ", "$'", "[[ ", ")", ";;", "x<(",
        "eval ", "{a,b}", "{", "{a..z}{a..z}", "${x//a/b}", "${x:-${x:-", "$($(echo a) ) ",
        "a=(b c);", "f(){ f;f; };", "alias a='a a';a ", "git -c alias.x='!git x' x;", "echo a|sh;",
        "tee >(", "echo a>f;sh f;", "cp a b;./b;", "a>>f;", "&>a ", "read x;$x;", 'set -- a;"$@";',
        "x+=a;", "parallel ::: a ", "xargs xargs ", "while read x; do $x; done <<< ",
        "env -S 'env -S ",
        "for a in 1 2; do for b in $a $a; do $b; ", "python -c 'import os;os.system(\"a\")';",
        "make -f - <<< 'a: b';", "tmux new a \\; ", "trap 'trap a' EXIT;", "coproc ", "time ", "[*",
        "npm run a;", "ssh a ", "git config alias.a '!git a';git a;", "X=a ",
    ],
)  # fmt: skip
def test_repeated_odd_pieces_end_within_bounds(piece: str) -> None:
    script = parse_shell(piece * (20_000 // len(piece)))
    assert len(script.invocations) <= MAX_INVOCATIONS


SHELLISH = st.lists(
    st.sampled_from([
        "a", "rm", "-rf", "/", " ", "\n", ";", "&&", "||", "|", "&", "(", ")", "{", "}", "'", '"',
        "`", "$(", "${", "$", "x", "\\", "<<E", "<<-E", "E", "<", ">", ">&", "<(", "if", "then",
        "fi", "for", "in", "do", "done", "case", "esac", "[[", "]]", "#", "=", "x=", "$'", "sudo",
        "bash", "-c", "eval", "xargs", "find", "-exec", "\t", "\r", "\x00", "é", "\u202e", "*",
        "((", "))", ";;", "!", "function", "python", "os.system('", "')", "$x",
    ]),
    max_size=60,
).map("".join)  # fmt: skip


@given(st.text(max_size=200) | SHELLISH)
def test_no_text_breaks_the_parser_and_spans_stay_inside(text: str) -> None:
    script = parse_shell(text)
    for one in script.invocations:
        start, end = one.span
        assert 0 <= start <= end <= len(text)
        assert one.context.parent is None or one.context.parent < one.id


@given(st.lists(st.text(max_size=20), min_size=1, max_size=6))
def test_quoted_arguments_come_back_as_they_were(argv: list[str]) -> None:
    first = parse_shell(shlex.join(["program", *argv])).invocations[0]
    assert first.argv == ("program", *argv)
