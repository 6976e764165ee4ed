"""Hosts: programs that run a text or a command for somebody, at a time or in a place of theirs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.rules.commands.runs import (
    MAX_CODE,
    SHELL,
    STANDARD_INPUT,
    Run,
    after_options,
    argv,
    joined,
    option_texts,
    program_of,
    text_of,
    wrapper,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.rules.commands.values import Word

_PLACES_OF_TMUX = frozenset({
    "new", "new-session", "neww", "new-window", "splitw", "split-window", "respawnp",
    "respawn-pane", "respawn-window", "popup", "display-popup", "run", "run-shell", "if-shell",
    "pipe-pane", "pipep",
})  # fmt: skip
_KEYS = r"(?i)Enter|C-\w|M-\w|Escape|Space|Tab|BSpace|Up|Down|KPEnter"
_SPAWNS = r"(?:^|[;{\n])[ \t]*(?:spawn|exec|system)[ \t]+([^;}\n]+)"
_ESCAPE = r"(?m)(?:\\!|^\s?\.(?:shell|system)\b|^(?:system|shell|!)\s)[ \t]*([^\n]+)"
_CRON = r"(?m)^[ \t]*(?:@\w+|(?:[\d*,/A-Za-z-]+[ \t]+){4}[\d*,/A-Za-z-]+)[ \t]+(.+)$"
_GIT_COMMAND = (
    r"(?i)(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy)|sequence\.editor"
    r"|diff\.external|pager\.\w+|credential\.(?:.+\.)?helper|(?:gpg|gpg\.\w+)\.program"
    r"|.+\.(?:textconv|clean|smudge|process|driver|cmd|command))"
)


_SHELL_INPUT = Run("input", "login", language=SHELL)


def _find(words: Sequence[Word]) -> list[Run]:
    found: list[Run] = []
    at = 1
    while at < len(words):
        if words[at].text in ("-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec"):
            stop = at + 1
            while stop < len(words) and words[stop].text not in (";", "+"):
                stop += 1
            found += argv(words[at + 1 : stop], "find -exec")
            at = stop
        at += 1
    return found


_OF_XARGS = wrapper(
    "-I -n -P -L -d -a -E -s -R -S -J --max-args --max-procs --delimiter --arg-file"
)
_OF_PARALLEL = wrapper("-j -N -n --jobs --delay --timeout -a -S --colsep -I --arg-file -P -d")


def _xargs(words: Sequence[Word]) -> list[Run]:
    at = after_options(words, _OF_XARGS)
    stop = len(words) if at is None else at
    return [Run("xargs", "xargs", tuple(words[stop:]), span=(1, stop))]


def _parallel(words: Sequence[Word]) -> list[Run]:
    at = after_options(words, _OF_PARALLEL)
    stop = len(words) if at is None else at
    return [Run("xargs", "parallel", tuple(words[stop:]), span=(1, stop))]


def _ssh(words: Sequence[Word]) -> list[Run]:
    valued = "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w"
    at = after_options(words, wrapper(valued, operands=1))
    runs = [_SHELL_INPUT] if at is None else joined(words[at:], "ssh")
    found = [re.fullmatch(r"(?i)-?o?(?:Proxy|Local)Command[= ](.+)", one.text) for one in words]
    return runs + [
        text_of(word, "ssh", match[1]) for word, match in zip(words, found, strict=True) if match
    ]


def _container(words: Sequence[Word]) -> list[Run]:
    """Open `docker exec`, `docker compose exec` and `kubectl exec … --`."""
    texts = [word.text for word in words]
    if "exec" not in texts:
        return []
    at = texts.index("exec")
    if "--" in texts[at:]:
        return argv(words[texts.index("--", at) + 1 :], "exec")
    if program_of(words[0]) == "kubectl":
        return []
    inner = wrapper("-e -u -w --env --user --workdir --index --env-file", operands=1)
    start = after_options(words[at:], inner)
    return [] if start is None else argv(words[at + start :], "exec")


def _git(words: Sequence[Word]) -> list[Run]:
    texts = [word.text for word in words]
    runs = option_texts(words, ("--exec", "-x"), "git --exec") if "rebase" in texts else []
    if "filter-branch" in texts:
        flags = ("--tree-filter", "--index-filter", "--msg-filter", "--env-filter")
        runs += option_texts(words, flags, "git filter")
    if "difftool" in texts:
        runs += option_texts(words, ("-x", "--extcmd"), "git difftool")
    if "submodule" in texts and "foreach" in texts:
        rest = [word for word in words[texts.index("foreach") + 1 :] if word.text[:1] != "-"]
        runs += joined(rest, "git submodule foreach")
    if "bisect" in texts and "run" in texts:
        runs += argv(words[texts.index("run") + 1 :], "git bisect run")
    if texts[1:2] == ["send-pack"]:
        runs += argv([words[0], words[1]._replace(text="push"), *words[2:]], "git")
    return runs + _git_settings(words)


def _git_settings(words: Sequence[Word]) -> list[Run]:
    """Read the settings that Git runs as commands: `-c core.pager=…`, `git config core.editor …`.

    An alias is read where it is known what follows it.
    """
    found: list[Run] = []
    for at, word in enumerate(words[1:-1], 1):
        following = words[at + 1]
        name, equals, value = following.text.partition("=")
        if word.text == "-c" and equals and re.fullmatch(_GIT_COMMAND, name):
            found.append(text_of(following, "git -c", value.removeprefix("!"), guess=True))
        elif re.fullmatch(_GIT_COMMAND, word.text) and words[1].text == "config":
            found.append(
                text_of(following, "git config", following.text.removeprefix("!"), guess=True)
            )
    return found


def _trap(words: Sequence[Word]) -> list[Run]:
    return joined(words[1:2], "trap") if len(words) > 2 else []


def _typescript(words: Sequence[Word]) -> list[Run]:
    """Open `script -c TEXT` and the form of BSD, `script FILE COMMAND…`."""
    texts = option_texts(words, ("-c", "--command"), "script -c")
    at = after_options(words, wrapper("-t -T -E -O -B -I -m -o", operands=1))
    return texts or ([_SHELL_INPUT] if at is None else argv(words[at:], "script"))


def _flock(words: Sequence[Word]) -> list[Run]:
    """Open `flock FILE COMMAND…` and `flock FILE -c TEXT`."""
    held = wrapper("-w -E --timeout --conflict-exit-code")
    file = after_options(words, held)
    if file is None:
        return []
    if [word.text for word in words[file + 1 : file + 2]] in (["-c"], ["--command"]):
        return joined(words[file + 2 : file + 3], "flock -c")
    return argv(words[file + 1 :], "flock")


def _user(words: Sequence[Word]) -> list[Run]:
    """Open `su -c TEXT`, `runuser -u USER -- COMMAND…`, `sg GROUP -c TEXT`."""
    program = program_of(words[0])
    texts = option_texts(words, ("-c", "--command"), f"{program} -c")
    at = next((at for at, word in enumerate(words) if word.text == "--"), None)
    return texts or ([_SHELL_INPUT] if at is None else argv(words[at + 1 :], program))


def _at(words: Sequence[Word]) -> list[Run]:
    """Open `at TIME`: the job comes in, or stands in the file of `-f`."""
    texts = [word.text for word in words]
    if "-f" in texts[:-1]:
        return [Run("file", "at", (words[texts.index("-f") + 1],), language=SHELL)]
    looks = {"-l", "-r", "-d", "-c", "-V"} & set(texts)
    return [] if looks else [Run("input", "at", language=SHELL)]


def _crontab(words: Sequence[Word]) -> list[Run]:
    named = [word for word in words[1:] if not word.text.startswith("-") or word.text == "-"]
    looks = {"-l", "-r", "-e"} & {word.text for word in words}
    if looks or not named:
        return []
    if named[-1].text in STANDARD_INPUT:
        return [Run("input", "crontab", language="crontab")]
    return [Run("file", "crontab", (named[-1],), language="crontab")]


def cron_commands(text: str) -> str:
    """Take the commands out of a table of cron, one a line."""
    return "\n".join(re.findall(_CRON, text))


def _tmux(words: Sequence[Word]) -> list[Run]:
    found: list[Run] = []
    at = 1
    while at < len(words):
        stop = at
        while stop < len(words) and words[stop].text not in (";", "\\;"):
            stop += 1
        found += _tmux_command(words[at:stop])
        at = stop + 1
    return found


def _tmux_command(words: Sequence[Word]) -> list[Run]:
    texts = [word.text for word in words]
    for at, text in enumerate(texts):
        if text in ("send", "send-keys"):
            keys = words[after_options(words[at:], wrapper("-t -N")) or 1 :][at:]
            typed = [word for word in keys if not re.fullmatch(_KEYS, word.text)]
            return joined([one for one in typed if one.text not in ("-l", "-t")], "tmux")
        if text in _PLACES_OF_TMUX:
            start = after_options(words[at:], wrapper("-s -n -t -c -x -y -e -F -f -l -p -w -h -T"))
            return [] if start is None else joined(words[at + start :], "tmux")
    return []


def _screen(words: Sequence[Word]) -> list[Run]:
    texts = [word.text for word in words]
    if "stuff" in texts:
        return [
            text_of(one, "screen", one.text.replace("\\n", "\n").replace("^M", "\n"))
            for one in words[texts.index("stuff") + 1 :]
        ]
    at = after_options(words, wrapper("-S -c -e -h -p -s -t -T", inert="-ls -list -r -x -wipe"))
    return [] if at is None else argv(words[at:], "screen")


def _make(words: Sequence[Word]) -> list[Run]:
    """Open the text of `--eval` and a makefile; its recipes are read where its text is known."""
    found: list[Run] = []
    texts = [word.text for word in words]
    for at, text in enumerate(texts[1:], 1):
        name, equals, value = text.partition("=")
        if name == "--eval":
            held = value if equals else "".join(texts[at + 1 : at + 2])
            found.append(Run("code", "make", tuple(words), held, words[at][1:3]))
        elif text in ("-f", "--file", "--makefile") and at + 1 < len(texts):
            found += _makefile(words, words[at + 1])
        elif text.startswith("-f") or (equals and name in ("--file", "--makefile")):
            held = value if equals else text[2:]
            found += _makefile(words, words[at]._replace(text=held, parts=()))
    return found or [Run("file", "make", tuple(words), language="make")]


def _makefile(words: Sequence[Word], named: Word) -> list[Run]:
    if named.text in STANDARD_INPUT:
        return [Run("input", "make", tuple(words), language="make")]
    return [Run("file", "make", tuple(words), named.text, language="make")]


def _just(words: Sequence[Word]) -> list[Run]:
    """Open the recipes of a justfile, or the command of `just -c COMMAND…`."""
    texts = [word.text for word in words]
    for at, text in enumerate(texts[1:], 1):
        if text in ("-c", "--command"):
            return argv(words[at + 1 :], "just")
        if text in ("-f", "--justfile") and at + 1 < len(texts):
            return [Run("file", "just", tuple(words), texts[at + 1], language="just")]
    return [Run("file", "just", tuple(words), language="just")]


def _expect(words: Sequence[Word]) -> list[Run]:
    """Open what a script of `expect` starts: `spawn COMMAND`."""
    return [
        text_of(word, "expect", text)
        for word in words[1:]
        for text in re.findall(_SPAWNS, word.text[:MAX_CODE])
    ]


def _editor(words: Sequence[Word]) -> list[Run]:
    """Open the `!` commands that an editor is started with: `vim -c '!make'`."""
    found: list[Run] = []
    for word in words[1:]:
        inner = re.match(r"\+?:?(?:sil(?:ent)?!?\s+)?!(.+)", word.text, re.S)
        if inner:
            found.append(text_of(word, program_of(words[0]), inner[1], guess=True))
    return found


def _escaped(words: Sequence[Word]) -> list[Run]:
    """Open what database shells and debuggers run by their escapes: `\\!`, `.shell`, `shell`."""
    return [
        text_of(word, program_of(words[0]), text, guess=True)
        for word in words[1:]
        for text in re.findall(_ESCAPE, word.text[:MAX_CODE])
    ]


def _entr(words: Sequence[Word]) -> list[Run]:
    at = after_options(words, wrapper())
    return option_texts(words, ("-s",), "entr") or ([] if at is None else argv(words[at:], "entr"))


def _each(words: Sequence[Word]) -> list[Run]:
    """Open programs whose operands are commands each: `concurrently`, `hyperfine`."""
    return [
        text_of(word, program_of(words[0]), guess=True)
        for word in words[1:]
        if not word.text.startswith("-")
    ]


def _watch(words: Sequence[Word]) -> list[Run]:
    at = after_options(words, wrapper("-n -q --interval"))
    return [] if at is None else joined(words[at:], "watch")


HOSTS: dict[str, Callable[[Sequence[Word]], list[Run]]] = {
    "eval": lambda words: joined(words[1:], "eval"),
    "trap": _trap,
    "su": _user,
    "runuser": _user,
    "sg": _user,
    "script": _typescript,
    "flock": _flock,
    "nix-shell": lambda words: option_texts(words, ("--run", "--command"), "nix-shell"),
    "watch": _watch,
    "find": _find,
    "gfind": _find,
    "fd": _find,
    "xargs": _xargs,
    "gxargs": _xargs,
    "parallel": _parallel,
    "ssh": _ssh,
    "docker": _container,
    "podman": _container,
    "docker-compose": _container,
    "kubectl": _container,
    "git": _git,
    "at": _at,
    "batch": _at,
    "crontab": _crontab,
    "expect": _expect,
    "tmux": _tmux,
    "screen": _screen,
    "make": _make,
    "gmake": _make,
    "just": _just,
    **dict.fromkeys(("vim", "vi", "nvim", "ex", "view"), _editor),
    **dict.fromkeys(("psql", "mysql", "mariadb", "sqlite3", "gdb", "lldb", "dc"), _escaped),
    "entr": _entr,
    **dict.fromkeys(("concurrently", "hyperfine"), _each),
}
