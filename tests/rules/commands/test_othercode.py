"""Code of languages that are not parsed: plain commands are read, computed ones are noted."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.rules.commands.inline import inline_runs
from dmm.rules.commands.shell import parse_shell

LANGUAGES = ("awk", "sed", "perl", "ruby", "node", "php", "lua", "tclsh", "julia")


def given_to(program: str, code: str) -> str:
    return f"{program} {shlex.quote(code)}"


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("awk", 'BEGIN { system("git push --force") }'),
        ("awk", 'BEGIN { system("git " "push" " --force") }'),
        ("awk", '/a|b/ { while (("git push " "--force" | getline x) > 0) print }'),
        ("gawk -F: -e", '{ print $1 |& "git push --force" }'),
        ("awk -F ':'", '{ system("git push --force") }'),
        ("awk -f -  <<<", 'BEGIN { system("git push --force") }'),
        ("perl -e", "exec qw(git push --force)"),
        ("perl -e", "system q{git push --force} or die"),
        ("perl -e", 'system "git" . " push --force" if 1'),
        ("perl -e", "print qx|git push --force|"),
        ("perl -e", 'system("git", "push", "--force") == 0 or die'),
        ("perl -e", 'open(P, "-|", "git", "push", "--force")'),
        ("perl -e", "eval q(system('git push --force'))"),
        ("ruby -e", "system(*%w[git push --force])"),
        ("ruby -e", 'open("|git push --force")'),
        ("ruby -e", 'exec "git", *%w(push --force)'),
        ("ruby -e", "puts %x{git push --force}"),
        ("ruby -e", 'send(:system, "git push --force")'),
        ("node -e", 'require("child_process").execSync("git pu" + "sh --force", {cwd: "."})'),
        ("node -e", "require('child_process').execSync(`git push --force`)"),
        ("node -e", 'require("child_process").spawn("git", ["push", "--force"], o)'),
        ("node -e", 'require("child_process").execSync("\\x67it push --force")'),
        ("php -r", 'system("git " . "push --force", $code);'),
        ("lua -e", 'os.execute("git" .. " push --force")'),
        ("tclsh <<<", "puts [exec -ignorestderr git push --force]"),
        ("sed", "1e git push --force"),
        ("sed -n", "/x/,$ { s/a/b/; e git push --force\n}"),
        ("sed -ne", "s|.*|git push --force|e"),
        ("sed", "/[/]/e git push --force"),
        ("sed", "1s(.*(git push --force(e"),
        ("sed -f - x <<<", "1!e git push --force"),
    ],
)
def test_a_plain_command_in_code_is_read(program: str, code: str) -> None:
    found = parse_shell(given_to(program, code)).invocations
    assert "git push --force" in [" ".join(one.argv) for one in found]


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("awk -v c=x", "BEGIN { system(c) }"),
        ("awk", '{ system("git " $1) }'),
        ("awk", 'BEGIN { c = "git push"; c | getline }'),
        ("awk", '{ print $0 | "/bin/sh" }'),
        ("awk", '{ x = "sh"; print "git push" |x }'),
        ("perl -e", '$c = "git push"; print `$c`'),
        ("perl -e", 'my @a = ("git", "push"); system @a'),
        ("perl -e", 'system join " ", "git", "push"'),
        ("perl -e", 'system "git $ARGV[0]"'),
        ("perl -e", 'system lc "GIT PUSH"'),
        ("perl -e", 'exec {"git"} "git", "push"'),
        ("perl -e", 'eval "sys" . lc "TEM"'),
        ("awk", '{ print $0 | "tee log | sh" }'),
        ("node -e", 'require("child_process").execSync(["git", "push"].join(" "))'),
        ("node -e", 'import {execSync as x} from "child_process"; x("git push")'),
        ("ruby -e", 'v = "push"; system("git #{v}")'),
        ("ruby -e", 'system("hsup tig".reverse)'),
        ("node -e", 'const v = "push"; require("child_process").execSync(`git ${v}`)'),
        ("node -e", 'require("child_process").execSync("git x".replace("x", "push"))'),
        ("node -e", 'require("child_process").spawn("git", args)'),
        ("php -r", '$c = "git push"; system($c);'),
        ("php -r", 'echo shell_exec("git {$argv[1]}");'),
        ("lua -e", 'local c = "git push" os.execute(c)'),
        ("tclsh <<<", "exec {*}$argv"),
        ("sed", "s/x/y/e"),
        ("sed", "/x/s,.*,& y,pe"),
        ("sed -e s/a/b/ -e", "1e"),
    ],
)
def test_a_computed_command_in_code_is_noted(program: str, code: str) -> None:
    assert parse_shell(given_to(program, code)).unresolved


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("awk", '$1 ~ /x|y/ || $2 == 3 { print "a|b", $3/2 }'),
        ("awk", 'BEGIN { FS="|" } { system_time += $3 } END { print system_time }'),
        ("awk", '{ print $2 | "sort -n" }'),
        ("perl -pe", "s/(\\d+)/$1+1/e"),
        ("perl -ne", "print if /system\\(/"),
        ("perl -e", 'print "the system time"; print $h{exec}'),
        ("perl -pe", "s/`(\\w+)`/<b>$1<\\/b>/g"),
        ("perl -e", 'system "git", "log", $n'),
        ("ruby -e", 'puts "file system", %w[exec].join, "#{Dir.pwd}"'),
        ("ruby -e", 'system("bundle", "exec", "rake", exception: true)'),
        ("node -e", "let m; while ((m = re.exec(s))) console.log(`${m[1]} ok`)"),
        ("node -e", 'require("child_process").exec("ls", (e, out) => console.log(out))'),
        ("lua -e", 'print("system")'),
        ("perl -e", 'eval { require JSON } or print "no"; my $from = "x"'),
        ("node -e", 'import {readFileSync} from "fs"; console.log(readFileSync("x"))'),
        ("sed -i", "s/one/else/g; s| e | f |; /^e/d"),
        ("sed -i.bak", "/^## Unreleased/a e is a letter"),
        ("sed", ":a;N;$!ba;s/\\n/ /g;y/abc/xye/"),
        ("sed -n", "/start/I,+3{s/e/E/g;p}"),
    ],
)
def test_code_that_runs_nothing_hidden_leaves_nothing_open(program: str, code: str) -> None:
    assert parse_shell(given_to(program, code)).unresolved == ()


@given(st.sampled_from(LANGUAGES), st.text("system(\"'`)|qw{%x}[]$#;,. +exec/s\\\n", max_size=80))
def test_no_code_breaks_its_reading(language: str, code: str) -> None:
    assert isinstance(inline_runs(language, code), list)


@pytest.mark.repeats
@pytest.mark.parametrize("piece", ["system(", 'exec "', "`", "qx(", "|", "s/", "{", '"+'])
def test_repeated_odd_code_ends_within_bounds(piece: str) -> None:
    for language in LANGUAGES:
        assert len(inline_runs(language, piece * 10_000)) <= 10_000
