"""Python runs: the calls of the standard library that run commands or open and move files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.rules.commands.inlineruns import PLACEHOLDER, InlineRun
from dmm.rules.commands.pyvalues import UNKNOWN, Ref, add, as_text
from dmm.rules.commands.wordlists import names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_TEXT_RUNNERS = names(
    """os.system os.popen os.popen2 os.popen3 subprocess.getoutput subprocess.getstatusoutput
    commands.getoutput commands.getstatusoutput asyncio.create_subprocess_shell libc.system
    posix.system pexpect.spawn pexpect.run"""
)
_LIST_RUNNERS = names(
    """subprocess.run subprocess.call subprocess.check_call subprocess.check_output
    subprocess.Popen pty.spawn invoke.run"""
)
_READERS = frozenset({"io.open", "open", "codecs.open", "os.open", "linecache.getlines"})
# Calls that do what a command does.
_COMMANDS = {
    **dict.fromkeys(("os.remove", "os.unlink"), "rm"),
    **dict.fromkeys(("os.rmdir", "os.removedirs"), "rmdir"),
    **dict.fromkeys(("os.mkdir", "os.makedirs"), "mkdir"),
    **dict.fromkeys(("os.rename", "os.replace", "shutil.move", "os.renames"), "mv"),
    "os.truncate": "truncate",
    "os.symlink": "ln",
}
_PATH_COMMANDS = {
    "unlink": "rm", "touch": "touch", "rename": "mv", "replace": "mv", "rmdir": "rmdir",
    "mkdir": "mkdir",
}  # fmt: skip
_PAIRED = frozenset({"mv", "ln"})
_COPIERS = frozenset({"shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copytree"})
_PATH_READERS = frozenset({"read_text", "read_bytes"})
_PATH_WRITERS = frozenset({"write_text", "write_bytes"})
_DANGEROUS = ("os.", "subprocess.", "pty.", "builtins.", "posix.")


def runs_of_path(path: str, name: str, arguments: Sequence[object]) -> list[InlineRun]:
    """Return what a method of a path object does."""
    if name in _PATH_READERS:
        return [InlineRun(path=str(path), operator="<")]
    if name in _PATH_WRITERS:
        return [InlineRun(path=str(path), operator=">")]
    if name in _PATH_COMMANDS:
        return _command(_PATH_COMMANDS[name], [str(path), *map(as_text, arguments)])
    return _files("open", [str(path), *map(as_text, arguments)], {}) if name == "open" else []


def handed_runs(
    name: str, arguments: Sequence[object], named: Mapping[str | None, object]
) -> list[InlineRun]:
    """Return what a call runs through a function: `map(os.system, …)`, `Thread(target=…)`."""
    held = [*enumerate(arguments), *((len(arguments), value) for value in named.values())]
    for at, value in held:
        if not isinstance(value, Ref):
            continue
        given = named.get("args", arguments[at + 1 :])
        listed = list(given) if isinstance(given, (list, tuple)) else [UNKNOWN]
        if name in ("map", "filter") and listed and isinstance(listed[0], (list, tuple)):
            found = [run for one in listed[0] for run in runs_of_call(value.name, [one], {})]
        else:
            found = runs_of_call(value.name, listed, {})
        runs = [run for run in found if run.text or run.argv or run.made]
        if runs:
            return runs
    return []


def runs_of_call(
    name: str, arguments: Sequence[object], named: Mapping[str | None, object]
) -> list[InlineRun]:
    """Return what a call of the standard library runs, opens, moves or removes."""
    first = arguments[0] if arguments else named.get("args", named.get("path", UNKNOWN))
    if name in _TEXT_RUNNERS:
        return [InlineRun(text=as_text(first))]
    if name in _LIST_RUNNERS:
        return [_listed_run(first, named.get("shell"))]
    if name.startswith(("os.exec", "os.spawn", "os.posix_spawn")):
        return [_executed(name, arguments)]
    if name == "asyncio.create_subprocess_exec":
        return [_listed_run(list(arguments), None)]
    if name == "runpy.run_path":
        return [InlineRun(script=as_text(first))]
    if re.fullmatch(r"sh\.\w+", name):
        return [InlineRun(argv=(name.removeprefix("sh."), *map(as_text, arguments)))]
    if name.startswith(_DANGEROUS) and name.endswith(".?"):
        return [InlineRun(made="Python")]
    return _files(name, [as_text(one) for one in arguments], named)


def _files(name: str, texts: Sequence[str], named: Mapping[str | None, object]) -> list[InlineRun]:
    known = [text for text in texts[:2] if PLACEHOLDER not in text]
    if not known:
        return []
    if name == "shutil.rmtree":
        return [InlineRun(argv=("rm", "-rf", texts[0]))]
    if name in _READERS:
        mode = texts[1] if len(texts) > 1 else as_text(named.get("mode", "r"))
        writes = any(letter in mode for letter in "wax+")
        return [InlineRun(path=texts[0], operator=">" if writes else "<")]
    if name in _COMMANDS:
        return _command(_COMMANDS[name], texts)
    pairs = zip(texts, "<>", strict=False) if name in _COPIERS else ()
    return [InlineRun(path=path, operator=operator) for path, operator in pairs]


def _command(program: str, texts: Sequence[str]) -> list[InlineRun]:
    """Return a call on files as the equivalent command, without computed parts."""
    words = texts[:2] if program in _PAIRED else texts[:1]
    known = [text for text in words if PLACEHOLDER not in text]
    if len(known) < len(words) or not known:
        return [InlineRun(path=path, operator=">") for path in known]
    return [InlineRun(argv=(program, *known))]


def _listed_run(value: object, shell: object) -> InlineRun:
    if isinstance(value, (list, tuple)):
        texts = tuple(as_text(one) for one in value)
        return InlineRun(text=texts[0]) if shell and texts else InlineRun(argv=texts or ("",))
    return InlineRun(text=as_text(value))


def _executed(name: str, arguments: Sequence[object]) -> InlineRun:
    """Read `os.execv(path, argv)`, `os.execl(path, arg0, …)` and the spawning forms."""
    held = list(arguments[1:] if name.startswith("os.spawn") else arguments)
    if len(held) > 1 and isinstance(held[1], (list, tuple)):
        held = add([held[0]], list(held[1][1:]))  # type: ignore[assignment]
    elif len(held) > 1:
        held = [held[0], *held[2:]]
    return InlineRun(argv=tuple(as_text(one) for one in held) or (PLACEHOLDER,))
