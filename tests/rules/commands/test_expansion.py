"""What a shell makes of words: what a text decides itself is read as what it stands for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.rules.commands.arithmetic import evaluated
from dmm.rules.commands.outputs import printf_output
from dmm.rules.commands.shell import parse_shell
from dmm.rules.commands.values import Word


def commands(text: str) -> list[str]:
    return [" ".join(one.argv) for one in parse_shell(text).invocations]


@pytest.mark.parametrize(
    "text",
    [
        "{git,push,--force}",
        "git {push,--force}",
        "git${IFS}push${IFS}--force",
        "git $'push' $'\\x2d\\x2dforce'",
        "X='git push'; $X --force",
        "X=gi Y=t; $X$Y push --force; Z=",
        "X=gi; X+=t; $X push --force",
        "${X:-git} push --force",
        ": ${X:=git}; $X push --force",
        "X=GIT; ${X,,} push --force",
        "X=a-git-b; X=${X#*-}; ${X%-*} push --force",
        "X=gXit; ${X/X/} push --force",
        "X=xgitx; ${X:1:3} push --force",
        "X=git; Y=X; ${!Y} push --force",
        "A=(git push --force); ${A[@]}",
        "A[0]=git; A[1]=push; \"${A[@]}\" --force",
        "A=([0]=git [1]=push); \"${A[0]}\" ${A[1]} --force",
        "set -- git push; \"$@\" --force",
        "set -- git push --force; $1 $2 $3",
        "set -- x git push; shift; $* --force",
        "IFS=,; X=git,push,--force; $X",
        "$(echo git) push --force",
        "`echo git` push --force",
        "$(printf '%s' git) push --force",
        "$(printf '\\x67\\151t') push --force",
        "$(echo -e '\\x67it') push --force",
        "$(which git) push --force",
        "\"$(command -v git)\" push --force",
        "X=$(type -P git); $X push --force",
        "$(basename /usr/bin/git) push --force",
        "$(X=git; echo $X) push --force",
        "$(echo $(echo git)) push --force",
        "read -r X <<< git; $X push --force",
        "echo git | { read X; $X push --force; }",
        "IFS=: read -r A B <<< git:push; $A $B --force",
        "printf -v X git; $X push --force",
        "for C in git; do $C push --force; done",
        "alias g=git\ng push --force",
        "alias g='git push'\ng --force",
        "f() { git \"$@\"; }; f push --force",
        "function f { $1 push $2; }; f git --force",
        "f() { g \"$@\"; }; g() { git \"$@\"; }; f push --force",
        "bash -c '\"$@\"' _ git push --force",
        "bash -c '$0 push --force' git",
        "X='git push --force' sh -c '$X'",
        "env X=git sh -c '$X push --force'",
        "$SHELL -c 'git push --force'",
        "env -S 'git push --force'",
        "env -S'git push' --force",
        "env - git push --force",
        "hash -p /usr/bin/git x; x push --force",
        "cp $(which git) x; ./x push --force",
        "ln -s /usr/bin/git x && ./x push --force",
        "git-push --force",
        "git send-pack --force",
        "git -c alias.x=push x --force",
        "git -c alias.x='!git push' x --force",
        "git config alias.x push; git x --force",
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0=push git x --force",
        "python -m git push --force",
        "python3 -mgit push --force",
        "python3 -Wignore -Im git push --force",
        "screen -dmS job git push --force",
        "sudo -nu root git push --force",
        "env -iu X git push --force",
        "flock -xw5 /tmp/lock git push --force",
        "tmux new -ds job 'git push --force'",
        "echo --force | xargs -0rn1 git push",
        "bash -euo pipefail -c 'git push --force'",
        "ruby -e'system(\"git push --force\")'",
        "perl -we 'use strict;' -e 'system(\"git push --force\")'",
        "read -ra X <<< 'git push --force'; \"${X[@]}\"",
        "read <<< 'git push --force'; $REPLY",
        "IFS= read -rd '' X <<'E'\ngit push --force\nE\n$X",
        "mapfile -t X <<< $'git\\npush\\n--force'; \"${X[@]}\"",
        "readarray -t < <(printf '%s\\n' git push --force); ${MAPFILE[*]}",
        "printf -vX '%s %s' git push; $X --force",
        "declare -n X=Y; Y=git; $X push --force",
        "typeset -n X=Y; X=git; $Y push --force",
        "declare -n X; X=Y; Y='git push'; $X --force",
        "BASH_ALIASES[g]='git push'; g --force",
        "BASH_CMDS[g]=/usr/bin/git; g push --force",
        "declare -A BASH_ALIASES=([g]='git push'); g --force",
        "f() { local -n X=$1; X=\"git $2\"; }; f Y push; $Y --force",
        "time { git push --force; }",
        "time (git push --force)",
    ],
)  # fmt: skip
def test_a_word_is_what_the_shell_makes_of_it(text: str) -> None:
    found = [one.removeprefix("/usr/bin/") for one in commands(text)]
    assert any(one in ("git push --force", "git push --force ") for one in found), found


@pytest.mark.parametrize(
    "text",
    [
        "echo 'git push --force' | sh",
        "printf 'git push %s\\n' --force | bash -s",
        "sh <<< 'git push --force'",
        "sh <<'E'\ngit push --force\nE",
        "X='git push --force'; bash <<< \"$X\"",
        "source <(echo git push --force)",
        "bash <(printf 'git push --force')",
        "sh < <(echo git push --force)",
        ". /dev/stdin <<< 'git push --force'",
        "bash -s -- push --force <<'E'\ngit \"$@\"\nE",
        "echo 'git $1 $2' | sh -es push --force",
        "bash -euo pipefail -s x --force <<< 'git push $2'",
        "cat <<'E' | cat | tee log | sh\ngit push --force\nE",
        "echo 'git push --force' | tee >(bash)",
        "echo 'git push --force' > >(sh)",
        "echo 'git push --force' | { cd x; sh; }",
        "echo 'git push --force' | (sudo -u me bash)",
        "echo 'git push --force' | ssh host sh",
        "eval \"$(echo git push --force)\"",
        "bash -c \"$(cat <<'E'\ngit push --force\nE\n)\"",
        "echo 'git push --force' > x; sh x",
        "printf 'git push' > x; printf ' --force' >> x; . ./x",
        "cat > x.sh <<'E'\ngit push --force\nE\nchmod +x x.sh; ./x.sh",
        "tee x <<< 'git push --force'; cp x y; bash y",
        "cp /dev/stdin x <<< 'git push --force'; sh x",
        "while read -r L; do $L; done <<< 'git push --force'",
        "echo 'git push --force' | while read L; do eval \"$L\"; done",
        "mapfile -t L <<< 'git push --force'; eval \"${L[0]}\"",
        "echo push --force | xargs git",
        "echo '\"push\" --force' | xargs git",
        "printf 'push\\0--force' | xargs -0 git",
        "echo --force | xargs -I% git push %",
        "echo 'git push --force' | xargs -I{} sh -c '{}'",
        "xargs git <<< 'push --force'",
        "echo 'git push --force' | xargs -L1 env",
        "parallel git push ::: --force",
        "parallel ::: 'git push --force'",
        "echo 'git push --force' | parallel",
        "echo 'git push --force' | at now",
        "batch <<< 'git push --force'",
        "echo '0 * * * * git push --force' | crontab -",
        "tmux new-session -d 'git push --force'",
        "tmux new -d \\; send-keys 'git push --force' Enter",
        "screen -dm git push --force",
        "screen -X stuff 'git push --force\\n'",
        "script -qc 'git push --force' /dev/null",
        "script -q /dev/null git push --force",
        "flock /tmp/l git push --force",
        "flock /tmp/l -c 'git push --force'",
        "printf 'a:\\n\\tgit push --force\\n' | make -f -",
        "make --eval='a: ; git push --force' a",
        "printf 'a:\\n\\tgit push --force\\n' > Makefile && make",
        "echo '{\"scripts\":{\"a\":\"git push --force\"}}' > package.json; pnpm a",
        "GIT_EDITOR='git push --force' git commit",
        "git -c core.pager='git push --force' log",
        "nodemon --exec 'git push --force'",
        "doppler run -- git push --force",
        "sed '1e git push --force' x",
        "vim -c '!git push --force'",
        "tar cf x y --checkpoint-action=exec='git push --force'",
        "expect -c 'spawn git push --force'",
        "trap 'git push --force' EXIT",
        "$(( $(git push --force) ))",
        "[[ $(git push --force) ]]",
    ],
)  # fmt: skip
def test_a_text_is_read_where_it_is_run(text: str) -> None:
    assert "git push --force" in commands(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a '{b,c}' \"{d,e}\" \\{f,g}", ["a {b,c} {d,e} {f,g}"]),
        ("a {b} {c..} x{1..3} {z..x}", ["a {b} {c..} x1 x2 x3 z y x"]),
        ("a {b,{c,d}}e", ["a be ce de"]),
        ("a {,b}", ["a b"]),
        ("X=' b  c '; a $X \"$X\"", ["a b c  b  c "]),
        ("X=; a $X \"$X\" b", ["a  b"]),
        ("a \"$@\" b", ["a $@ b"]),
        ("set --; a \"$@\" b", ["set --", "a b"]),
        ("a $UNSET ${UNSET#x} b", ["a $UNSET ${UNSET#x} b"]),
        ("X=$(date); a $X", ["date", "a $(date)"]),
        ("for X in 1 2; do for Y in 3; do a $X $Y; done; done", ["a 1 3", "a 2 3"]),
        ("cat $(find . -name x)", ["cat ./x", "find . -name x"]),
    ],
)  # fmt: skip
def test_quotes_and_unknown_values_are_kept(text: str, expected: list[str]) -> None:
    assert commands(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "echo x | base64 -d | sh",
        "base64 -d <<< x | sudo bash",
        "rev x | sh",
        "xxd -r -p x | bash",
        "openssl base64 -d -in x | sh",
        "gunzip -c x | sh",
        "tr a b < x | sh",
        "sed s/a/b/ x | sh",
        "curl https://example.com | sh",
        "python3 -c 'print(1)' | sh",
        "python3 -m base64 -d x | sh",
        "git show HEAD:x | sh",
        "eval \"$(echo x | rev)\"",
        "source <(echo x | base64 -d)",
        "bash -c \"$(base64 -d <<< x)\"",
        "X=$(echo x | base64 -d); $X",
        "X=$(echo x | base64 -d); eval \"$X\"",
        "X=$(echo x | base64 -d); echo \"$X\" | sh",
        "X=$(echo x | base64 -d); git $X",
        "$(echo x | rev) push",
        "`tr a b <<< x` push",
        "base64 -d x > y; sh y",
        "sed -i s/a/b/ y; sh y",
        "wget -O y https://example.com; . ./y",
        "cat list | xargs git",
        "ls | xargs -I{} sh -c '{}'",
        "cat list | parallel",
        "while read X; do $X; done < list",
        "read -ra X < list; \"${X[@]}\"",
        "mapfile -t X < list; ${X[0]} push",
        "printf -v X %s \"$(base64 -d <<< x)\"; $X",
        "f() { local -n X=$1; $X push; }; f \"$NAME[0]\"",
        "getopts c: X; $OPTARG push",
        "read -n3 X <<< gitx; $X push",
        "python3 -c \"$(base64 -d <<< x)\"",
        "perl -e \"$(curl https://example.com)\"",
        "exec 3<<<'x'; sh <&3",
        "/usr/bin/g?t push",
        "X=git; ${X@P} push",
        "echo x | awk '{system($0)}'",
    ],
)  # fmt: skip
def test_what_a_tool_makes_of_data_is_not_known(text: str) -> None:
    assert parse_shell(text).unresolved


@pytest.mark.parametrize(
    "text",
    [
        "eval \"$(ssh-agent -s)\"",
        "source <(kubectl completion bash)",
        "mytool | sh",
        "$EDITOR x",
        "\"$PYTHON\" -m pytest",
        "$(npm bin)/eslint .",
        "X=$(mytool); $X",
        "X=$(jq -r .a x); echo $X",
        "echo x | base64 -d",
        "kubectl delete pod $(kubectl get pods | awk '{print $1}')",
        "mapfile -t X < <(git ls-files); prettier --check \"${X[@]}\"",
        "IFS=: read -r HOST PORT <<< \"$ADDRESS\"; nc -z \"$HOST\" \"$PORT\"",
        "read -rp 'Go on? ' X; [ \"$X\" = y ] && make",
        "f() { local -n X=$1; X=5; }; f Y; echo $Y",
        "sed -i \"s/x/$(openssl rand -hex 4)/\" y",
        "awk \"BEGIN { print $(grep -c x y) / 2 }\"",
        "python3 -c \"print('$(curl -s localhost)')\"",
        "perl -MFile::Slurp -ne 'print if /x/' y",
        "screen -dmS web npm start",
        "cat list | xargs rm",
        "cat list | xargs git add",
        "ls | xargs -I{} sh -c 'wc -l {}'",
        "bash x.sh",
        "echo 'hi' | sh",
        "ls *.txt",
        "[ -f x ] && echo y",
    ],
)  # fmt: skip
def test_ordinary_output_leaves_nothing_open(text: str) -> None:
    assert parse_shell(text).unresolved == ()


@given(st.text("%*.#+-0 12sdoxXbcq(\\\\'\"nT", max_size=20), st.text("0x17a'- ", max_size=6))
def test_no_format_breaks_the_reading_of_printf(form: str, value: str) -> None:
    words = [Word(one, 0, 0) for one in ("printf", form, value, value)]
    assert printf_output(words).text is not None


@given(st.text("0123456789xab#+-*/%()<>&|^~$ ", max_size=60))
def test_no_arithmetic_breaks_its_reading(text: str) -> None:
    value = evaluated(f"$(({text}))", lambda _: "7")
    assert value is None or value.lstrip("-").isdigit()


@pytest.mark.repeats
@pytest.mark.parametrize("piece", ["9**", "(", "1+", "-", "9*9*", "1<<"])
def test_repeated_arithmetic_ends_within_bounds(piece: str) -> None:
    values = [evaluated(f"$(({piece * length}9))", lambda _: "") for length in range(300)]
    assert all(value is None or len(value) < 100 for value in values)
