"""Wrappers: programs that run another program, a shell text or inline code given to them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.policy.commands.values import Redirection, Span, Word

SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh", "mksh", "ash", "fish", "rbash"})
_CODE_FLAGS = {
    "python": ("-c",), "pypy": ("-c",), "node": ("-e", "--eval", "-p", "--print"),
    "nodejs": ("-e", "--eval", "-p", "--print"), "bun": ("-e", "--eval"), "ruby": ("-e",),
    "perl": ("-e", "-E"), "php": ("-r",), "lua": ("-e",), "osascript": ("-e",),
    "deno": ("eval",), "Rscript": ("-e",), "pwsh": ("-c", "-Command"),
}  # fmt: skip
_VERSION = re.compile(r"[\d.]+$")
_ENV_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=", re.ASCII)

Kind = Literal["argv", "shell", "code"]


@dataclass(frozen=True, slots=True)
class Run:
    """What a program runs: an argument list, a shell text, or code of another language."""

    kind: Kind
    via: str
    words: tuple[Word, ...] = ()
    text: str = ""
    span: Span = (0, 0)


@dataclass(frozen=True, slots=True)
class _Wrapper:
    """How to find the wrapped command: options with values, operands to pass, options that stop."""

    valued: frozenset[str] = frozenset()
    operands: int = 0
    inert: frozenset[str] = frozenset()
    assignments: bool = False


def _wrapper(
    valued: str = "", operands: int = 0, inert: str = "", *, assignments: bool = False
) -> _Wrapper:
    return _Wrapper(frozenset(valued.split()), operands, frozenset(inert.split()), assignments)


_WRAPPERS = {
    "sudo": _wrapper(
        "-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --role --type",
        inert="-l -v -k -K -V --list --validate --version -e --edit",
        assignments=True,
    ),
    "doas": _wrapper("-u -C", inert="-L"),
    "env": _wrapper("-u -C --unset --chdir", inert="--version", assignments=True),
    "nohup": _wrapper(),
    "setsid": _wrapper(),
    "time": _wrapper("-f -o --format --output"),
    "gtime": _wrapper("-f -o"),
    "nice": _wrapper("-n --adjustment"),
    "ionice": _wrapper("-c -n -t", inert="-p"),
    "chrt": _wrapper("-T -P -D", operands=1, inert="-p -m"),
    "taskset": _wrapper(operands=1, inert="-p"),
    "stdbuf": _wrapper("-i -o -e --input --output --error"),
    "timeout": _wrapper("-k -s --kill-after --signal", operands=1),
    "gtimeout": _wrapper("-k -s", operands=1),
    "exec": _wrapper("-a"),
    "command": _wrapper(inert="-v -V"),
    "builtin": _wrapper(),
    "coproc": _wrapper(),
    "noglob": _wrapper(),
    "nocorrect": _wrapper(),
    "busybox": _wrapper(inert="--list --install"),
    "toybox": _wrapper(),
    "chroot": _wrapper("--userspec --groups", operands=1),
    "unbuffer": _wrapper(),
    "caffeinate": _wrapper("-t -w"),
    "strace": _wrapper("-o -e -p -s -u"),
    "ltrace": _wrapper("-o -e -p -s -u"),
    "systemd-run": _wrapper("-p -u --unit --property --uid --gid --working-directory"),
    "unshare": _wrapper(),
    "faketime": _wrapper(operands=1),
    "xvfb-run": _wrapper("-n -s -e -f"),
    "dotenv": _wrapper("-f -e"),
    "parallel": _wrapper("-j -N -n --jobs --delay --timeout -a -S --colsep"),
    "gosu": _wrapper(operands=1),
}
_RUNNERS = {
    ("uv", "run"), ("poetry", "run"), ("pipenv", "run"), ("pdm", "run"), ("hatch", "run"),
    ("bundle", "exec"), ("npm", "exec"), ("pnpm", "exec"), ("yarn", "exec"), ("mise", "exec"),
    ("bunx", ""), ("npx", ""),
}  # fmt: skip
_RUNNER_VALUED = frozenset({"--with", "--python", "-p", "--package", "--project", "--directory"})


def program_of(word: Word) -> str:
    """Name a program without its directory."""
    return word.text.rpartition("/")[2]


def language_of(program: str) -> str | None:
    """Name the language whose code a program runs, ignoring a version (`python3.12`)."""
    plain = _VERSION.sub("", program)
    return plain if plain in _CODE_FLAGS else None


def _after_options(words: Sequence[Word], wrapper: _Wrapper) -> int | None:
    """Give the index of the wrapped command; none when the wrapper runs nothing."""
    at = 1
    left = wrapper.operands
    while at < len(words):
        text = words[at].text
        if text == "--":
            return at + 1 + left
        if text in wrapper.inert:
            return None
        if text.startswith("-") and len(text) > 1:
            at += 2 if text in wrapper.valued else 1
        elif wrapper.assignments and _ENV_ASSIGNMENT.match(text):
            at += 1
        elif left:
            left -= 1
            at += 1
        else:
            return at
    return None


def _joined(words: Sequence[Word], via: str) -> list[Run]:
    if not words:
        return []
    text = " ".join(word.text for word in words)
    return [Run("shell", via, text=text, span=(words[0].start, words[-1].end))]


def _argv(words: Sequence[Word], via: str) -> list[Run]:
    return [Run("argv", via, words=tuple(words))] if words else []


def _option_text(words: Sequence[Word], flags: Sequence[str], via: str) -> list[Run]:
    """Take the values of options that hold a shell text (`-c TEXT`, `--exec=TEXT`)."""
    found: list[Run] = []
    for at, word in enumerate(words[1:], 1):
        name, equals, value = word.text.partition("=")
        if word.text in flags and at + 1 < len(words):
            found += _joined(words[at + 1 : at + 2], via)
        elif equals and name in flags and name.startswith("--"):
            found.append(Run("shell", via, text=value, span=(word.start, word.end)))
    return found


def _shell(words: Sequence[Word], redirections: Sequence[Redirection]) -> list[Run]:
    program = program_of(words[0])
    at = 1
    while at < len(words) and words[at].text[:1] in ("-", "+") and len(words[at].text) > 1:
        flag = words[at].text
        if not flag.startswith("--") and "c" in flag:
            at += 1
            while at < len(words) - 1 and words[at].text.startswith("-"):
                at += 1
            return _joined(words[at : at + 1], f"{program} -c")
        at += 2 if flag in ("-o", "+o", "-O", "+O", "--rcfile", "--init-file") else 1
    reads_input = at >= len(words) or words[at - 1].text == "-s"
    return _bodies("shell", f"{program} input", redirections) if reads_input else []


def _bodies(kind: Kind, via: str, redirections: Sequence[Redirection]) -> list[Run]:
    return [
        Run(kind, via, text=redirection.body, span=redirection.body_span)
        for redirection in redirections
        if redirection.body is not None
    ]


def _code(language: str, words: Sequence[Word], redirections: Sequence[Redirection]) -> list[Run]:
    for at, word in enumerate(words[1:], 1):
        flag = word.text
        bundled = flag[:1] == "-" and flag[:2] != "--" and f"-{flag[-1:]}" in _CODE_FLAGS[language]
        if (flag in _CODE_FLAGS[language] or bundled) and at + 1 < len(words):
            code = words[at + 1]
            return [Run("code", language, text=code.text, span=(code.start, code.end))]
        if not flag.startswith("-"):
            return []
    return _bodies("code", language, redirections)


def _find(words: Sequence[Word]) -> list[Run]:
    found: list[Run] = []
    at = 1
    while at < len(words):
        if words[at].text in ("-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec"):
            stop = at + 1
            while stop < len(words) and words[stop].text not in (";", "+"):
                stop += 1
            found += _argv(words[at + 1 : stop], "find -exec")
            at = stop
        at += 1
    return found


def _xargs(words: Sequence[Word]) -> list[Run]:
    valued = _wrapper("-I -n -P -L -d -a -E -s --max-args --max-procs --delimiter --replace")
    at = _after_options(words, valued)
    return [] if at is None else _argv(words[at:], "xargs")


def _ssh(words: Sequence[Word]) -> list[Run]:
    valued = "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w"
    at = _after_options(words, _wrapper(valued, operands=1))
    return [] if at is None else _joined(words[at:], "ssh")


def _container(words: Sequence[Word]) -> list[Run]:
    """Open `docker exec`, `docker compose exec` and `kubectl exec … --`."""
    texts = [word.text for word in words]
    if "exec" not in texts:
        return []
    at = texts.index("exec")
    if "--" in texts[at:]:
        return _argv(words[texts.index("--", at) + 1 :], "exec")
    if program_of(words[0]) == "kubectl":
        return []
    inner = _wrapper("-e -u -w --env --user --workdir --index --env-file", operands=1)
    start = _after_options(words[at:], inner)
    return [] if start is None else _argv(words[at + start :], "exec")


def _git(words: Sequence[Word]) -> list[Run]:
    texts = [word.text for word in words]
    runs = _option_text(words, ("--exec", "-x"), "git --exec") if "rebase" in texts else []
    if "filter-branch" in texts:
        flags = ("--tree-filter", "--index-filter", "--msg-filter", "--env-filter")
        runs += _option_text(words, flags, "git filter")
    if "submodule" in texts and "foreach" in texts:
        rest = [word for word in words[texts.index("foreach") + 1 :] if word.text[:1] != "-"]
        runs += _joined(rest, "git submodule foreach")
    if "bisect" in texts and "run" in texts:
        runs += _argv(words[texts.index("run") + 1 :], "git bisect run")
    return runs


def _trap(words: Sequence[Word]) -> list[Run]:
    return _joined(words[1:2], "trap") if len(words) > 2 else []


def _env_split(words: Sequence[Word]) -> list[Run]:
    return _option_text(words, ("-S", "--split-string"), "env -S")


_SPECIAL: dict[str, Callable[[Sequence[Word]], list[Run]]] = {
    "eval": lambda words: _joined(words[1:], "eval"),
    "trap": _trap,
    "su": lambda words: _option_text(words, ("-c", "--command"), "su -c"),
    "runuser": lambda words: _option_text(words, ("-c", "--command"), "runuser -c"),
    "script": lambda words: _option_text(words, ("-c", "--command"), "script -c"),
    "flock": lambda words: _option_text(words, ("-c", "--command"), "flock -c"),
    "nix-shell": lambda words: _option_text(words, ("--run", "--command"), "nix-shell"),
    "watch": lambda words: _joined(
        words[_after_options(words, _wrapper("-n -q")) or 9999 :], "watch"
    ),
    "find": _find,
    "fd": _find,
    "xargs": _xargs,
    "gxargs": _xargs,
    "ssh": _ssh,
    "docker": _container,
    "podman": _container,
    "docker-compose": _container,
    "kubectl": _container,
    "git": _git,
}


def _awk(words: Sequence[Word]) -> list[Run]:
    for word in words[1:]:
        if "system(" in word.text or "| getline" in word.text:
            return [Run("code", "awk", text=word.text, span=(word.start, word.end))]
    return []


def runs_of(words: Sequence[Word], redirections: Sequence[Redirection]) -> list[Run]:
    """Say what a program runs beyond itself; an empty list for an ordinary program."""
    program = program_of(words[0])
    if program in SHELLS:
        return _shell(words, redirections)
    if program in _SPECIAL:
        return _SPECIAL[program](words)
    if program in ("awk", "gawk", "mawk", "nawk"):
        return _awk(words)
    language = language_of(program)
    if language:
        return _code(language, words, redirections)
    return _wrapped(program, words)


def _wrapped(program: str, words: Sequence[Word]) -> list[Run]:
    wrapper = _WRAPPERS.get(program)
    if wrapper:
        at = _after_options(words, wrapper)
        runs = [] if at is None else _argv(words[at:], program)
        return runs + (_env_split(words) if program == "env" else [])
    second = words[1].text if len(words) > 1 else ""
    if (program, second) in _RUNNERS or (program, "") in _RUNNERS:
        skip = 1 if (program, second) in _RUNNERS else 0
        at = _after_options(words[skip:], _Wrapper(valued=_RUNNER_VALUED))
        return [] if at is None else _argv(words[skip + at :], program)
    return []
