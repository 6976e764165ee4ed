"""Paths: the files that a command would read or write.

An operand of any program counts as read, unless the program is known not to show or pass on what a
file holds. What an option names (a key, a configuration) is used, not shown.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from dmm.rules.commands.facts import PathUse, located
from dmm.rules.commands.ignoring import holds_selected, may_select, selects
from dmm.rules.commands.options import SUBCOMMANDED
from dmm.rules.commands.procedures import PROGRAMS
from dmm.rules.commands.runs import SHELLS, language_of
from dmm.rules.commands.scripts import is_readable
from dmm.rules.commands.searches import found_by
from dmm.rules.commands.wordlists import names
from dmm.rules.commands.wrappers import CARRIERS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.rules.commands.facts import Access, CommandUse, ToolCall
    from dmm.rules.commands.options import Options
    from dmm.rules.commands.scripts import TextOf
    from dmm.rules.commands.values import Word

Found = list[tuple["Word", "Access"]]

_PATTERN_FIRST = names("""grep egrep fgrep zgrep rg ag ack awk gawk mawk nawk sed gsed jq yq""")
_SHOWING = _PATTERN_FIRST | names(
    """cat less more head tail cut sort uniq strings xxd od hexdump base64 base32 bat batcat nl
    tac diff vim vi nvim nano emacs code view open paste column fold fmt rev pr comm join
    expand cmp sdiff ed ex vimdiff colordiff delta look split iconv gpg age sops zcat tr"""
)
_COPYING = frozenset({"cp", "mv", "scp", "rsync", "install", "ln", "ditto"})
_TAKING: dict[str, Access] = {
    **dict.fromkeys(("rm", "unlink", "shred", "trash"), "delete"),
    **dict.fromkeys(("truncate", "tee", "sponge", "patch"), "write"),
    **dict.fromkeys(("touch", "mkdir"), "create"),
}
# They look at names, sizes and modes, or take a file for what they do and show nothing of it.
_QUIET = (
    CARRIERS
    | SHELLS
    | PROGRAMS
    | names(
        """ls stat test [ [[ file du df wc rmdir chmod chown chgrp chattr realpath readlink dirname
    basename pwd cd pushd popd tree which type whereis man echo printf true false : exit export
    set unset alias local declare typeset readonly read sleep kill pkill killall ps
    date md5sum sha1sum sha256sum sha512sum shasum cksum sum b2sum lsof fuser getfacl setfacl
    xattr ssh-add ssh-keygen ssh-copy-id ssh-agent cmake ninja meson gcc cc clang g++ c++ ld
    rustc javac java kotlinc swiftc tsc esbuild vite webpack rollup swc babel prettier black
    isort gofmt rustfmt mysqld postgres nginx caddy ansible ansible-playbook mkcert certbot dmm
    direnv just task next nuxt storybook mktemp unzip gunzip apply_patch"""
    )
)
_UPLOADS = frozenset({"cp", "copy", "put", "upload", "scp", "mv", "move", "sync", "gist"})
_SENDERS = frozenset({"curl", "wget", "http", "https", "xh"})
_SENDING = frozenset({"-T", "--upload-file", "--post-file", "--body-file"})
_LOADERS = frozenset({"export", "env", "declare", "typeset", "local", "readonly", "eval"})


def path_uses(use: CommandUse, call: ToolCall) -> list[PathUse]:
    """List the files that an invocation would read or change."""
    found = _redirected(use)
    if use.invocation.words:
        named = _by_program(use)
        # What only sets variables is loaded, not shown; what is changed stays a change.
        found += (
            [(word, "load" if one == "read" else one) for word, one in named]
            if _loads(use)
            else named
        )
    return [one for word, access in found if word.text for one in _uses(use, word, access, call)]


def _uses(use: CommandUse, word: Word, access: Access, call: ToolCall) -> list[PathUse]:
    wild = not word.quoted and _is_wild(word)
    path = _seen_from(use, word, call)
    span = use.invocation.span
    found = [PathUse(path, access, span, wild)]
    if wild and access != "read" and path.endswith("/*"):
        # Whoever writes over all that a folder holds, writes over the folder.
        found.append(PathUse(path.removesuffix("/*"), access, span))
    return found


def _is_wild(word: Word) -> bool:
    text = (
        re.sub(r"\$\{[^}]*\}|\$\([^)]*\)|\$[*?@#!]", "", word.text) if word.expands else word.text
    )
    return any(mark in text for mark in "*?[")


def _redirected(use: CommandUse) -> Found:
    invocation = use.invocation
    inner = invocation.context.parent is not None
    if inner and invocation.context.via[-1:] == ("sudo",):
        return []
    found: Found = [(one.target, "write") for one in invocation.redirections if one.writes]
    return found + [(one.target, "read") for one in invocation.redirections if one.reads]


def _loads(use: CommandUse) -> bool:
    """Whether what a command shows only sets variables, as `source` would."""
    parent = use.invocation.context.parent
    if parent is None or use.invocation.context.via[-1:] != ("substitution",):
        return False
    return use.script.invocations[parent].program in _LOADERS


def _by_program(use: CommandUse) -> Found:
    program = use.invocation.program
    if program in _SPECIAL:
        return _SPECIAL[program](use)
    for known, read in _GROUPS:
        if program in known:
            return read(use)
    if language_of(program):
        return [] if use.options.has_exactly("-m") else _of_code(use)
    return _attached(use) + _plain(use)


def _shown(use: CommandUse) -> Found:
    program, options = use.invocation.program, use.options
    explicit = options.has_exactly("-e|-f|--regexp|--file|--expression")
    skipped = 1 if program in _PATTERN_FIRST and not explicit else 0
    if program.endswith(("grep", "rg")) and options.has_exactly("-q|-c|-l|-L|--quiet|--count"):
        return []
    access: Access = "write" if program in ("sed", "gsed") and _in_place(options) else "read"
    return [(word, access) for word in options.operands[skipped:]]


def _in_place(options: Options) -> bool:
    return any(flag.startswith(("-i", "--in-place")) for flag in options.flags)


def _of_code(use: CommandUse) -> Found:
    access: Access = "write" if _in_place(use.options) else "read"
    return [(word, access) for word in use.options.operands[1:]]


def _copied(use: CommandUse) -> Found:
    named = (*use.options.operands, *use.options.values_of("-t|--target-directory"))
    if not named:
        return []
    *sources, target = named
    found: Found = [(word, "read") for word in sources]
    if use.invocation.program == "mv":
        # What is moved is gone from where it was.
        found += _renamed(sources, target)
    return [*found, *((word, "write") for word in _arriving(sources, target))]


def _renamed(sources: Sequence[Word], target: Word) -> Found:
    return [(word, "rename") for word in (*sources, *_arriving(sources, target))]


def _arriving(sources: Sequence[Word], target: Word) -> list[Word]:
    """Name the files that a copy makes: where the target is plainly a folder, those in it."""
    if len(sources) < 2 and not target.text.endswith("/"):
        return [target]
    folder = target.text.rstrip("/")
    names = [word.text.rstrip("/").rpartition("/")[2] for word in sources]
    return [target, *(target._replace(text=f"{folder}/{name}") for name in names)]


def _taken(use: CommandUse) -> Found:
    return [(word, _TAKING[use.invocation.program]) for word in use.options.operands]


def _loaded(use: CommandUse) -> Found:
    return [(word, "load") for word in use.options.operands[:1]]


def _uploaded(use: CommandUse) -> Found:
    operands = use.options.operands
    at = next((at for at, word in enumerate(operands) if word.text in _UPLOADS), None)
    return [] if at is None else [(word, "read") for word in operands[at + 1 :]]


def _attached(use: CommandUse) -> Found:
    """Find files that arguments hand over: `@file`, `name=@file`, `file://…`, `-T file`."""
    found: Found = []
    words = use.invocation.words
    for at, word in enumerate(words[1:], 1):
        attached = re.search(r"(?:^|=)[@<](?!\()([^;,]+)|\bfile://([^\s;,]+)", word.text)
        if attached:
            text = attached[1] or attached[2].removeprefix("localhost")
            found.append((word._replace(text=text), "read"))
        elif words[at - 1].text in _SENDING or (
            word.text[:2] == "-T" and word.text[2:] and use.invocation.program == "curl"
        ):
            found.append((word._replace(text=word.text.removeprefix("-T")), "read"))
        elif word.text.startswith(("--upload-file=", "--post-file=", "--body-file=")):
            found.append((word._replace(text=word.text.partition("=")[2]), "read"))
    return found


def _plain(use: CommandUse) -> Found:
    """Take the operands of a program that nothing is known of, not the values of its options."""
    words = use.invocation.words
    found: Found = []
    for before, word in pairwise(words):
        text = word.text
        valued = before is not words[0] and before.text.startswith("-") and before.text != "--"
        path = not text.startswith("-") and "://" not in text and not re.search(r"\s", text)
        if path and not valued:
            found.append((word, "read"))
    return found


def _dd(use: CommandUse) -> Found:
    found: Found = []
    for word in use.invocation.words[1:]:
        name, _, value = word.text.partition("=")
        if name in ("if", "of"):
            found.append((word._replace(text=value), "read" if name == "if" else "write"))
    return found


def _tar(use: CommandUse) -> Found:
    """Read what goes into an archive; what comes out of one is not known."""
    words = use.invocation.words[1:]
    mode = words[0].text if words else ""
    created = re.match(r"-?[a-zA-Z]*[cru]", mode) if not mode.startswith("--") else None
    if not created and not use.options.has_exactly("-c|-r|-u|--create|--append|--update"):
        return []
    held = words if mode.startswith("-") else words[1:]
    found: Found = []
    for before, word in zip((None, *held), held, strict=False):
        flag = before.text if before else mode
        archive = re.fullmatch(r"-?[a-zA-Z]*f|--file", flag) and not found
        valued = flag in ("-C", "-X", "--exclude", "-T", "--exclude-from", "-I")
        if archive:
            found.append((word, "write"))
        elif not word.text.startswith("-") and not valued:
            found.append((word, "read"))
    return found


def _zip(use: CommandUse) -> Found:
    texts = [word.text for word in use.invocation.words]
    stop = texts.index("-x") if "-x" in texts else len(texts)
    words = use.invocation.words[1:stop]
    held = [word for word in words if not word.text.startswith("-") or word.text == "-"]
    held = held[1:] if held and held[0].text in ("a", "u") else held
    return [(word, "write" if at == 0 else "read") for at, word in enumerate(held)]


def _xargs(use: CommandUse) -> Found:
    pairs = pairwise(use.invocation.words)
    return [(word, "read") for flag, word in pairs if flag.text in ("-a", "--arg-file")]


def _find(use: CommandUse) -> Found:
    """Take the roots of a search that deletes what it finds."""
    if not use.options.has_exactly("-delete"):
        return []
    return [(word, "delete") for word in found_by(use.invocation.words)]


def _openssl(use: CommandUse) -> Found:
    words = use.invocation.words
    ciphers = len(words) > 1 and re.match(r"enc$|base64$|aes|des|dgst$|smime$|cms$", words[1].text)
    return [(word, "read") for flag, word in pairwise(words) if ciphers and flag.text == "-in"]


_NO_CONTENT = "--stat|--name-only|--name-status|--quiet|--numstat|--shortstat|--dry-run"
_GIT_READS = frozenset(
    {"add", "stage", "commit", "diff", "blame", "annotate", "archive", "difftool"}
)
_GIT_CHANGES: dict[str, Access] = {
    "rm": "delete",
    "clean": "delete",
    "restore": "write",
    "checkout": "write",
}
_GIT_BY_REVISION = frozenset({"show", "cat-file"})


def _git(use: CommandUse) -> Found:
    options = use.options
    name = options.operands[0].text if options.operands else ""
    rest = options.operands[1:]
    if options.has_exactly(_NO_CONTENT):
        return []
    if name in _GIT_READS or (name == "log" and options.has_exactly("-p|-u|--patch")):
        return [(word, "read") for word in rest]
    if name in _GIT_BY_REVISION:
        named = [word for word in rest if ":" in word.text]
        return [(_after_colon(word), "read") for word in (*named, *options.separated)]
    if name in ("grep", "hash-object"):
        return [(word, "read") for word in (rest if name != "grep" else rest[1:])]
    if name == "mv" and len(rest) > 1:
        return _renamed(rest[:-1], rest[-1])
    access = _GIT_CHANGES.get(name)
    if access is None or options.has_exactly("--cached|--staged|-S"):
        return []
    return [(word, access) for word in (options.separated if name == "checkout" else rest)]


def _after_colon(word: Word) -> Word:
    return word._replace(text=word.text.partition(":")[2]) if ":" in word.text else word


_GROUPS: tuple[tuple[frozenset[str], Callable[[CommandUse], Found]], ...] = (
    (_SHOWING, _shown),
    (_COPYING, _copied),
    (frozenset(_TAKING), _taken),
    (SUBCOMMANDED, _uploaded),
    (_SENDERS, _attached),
    (_QUIET, lambda _: []),
)
_SPECIAL: dict[str, Callable[[CommandUse], Found]] = {
    "dd": _dd,
    "tar": _tar,
    "bsdtar": _tar,
    "gtar": _tar,
    "zip": _zip,
    "7z": _zip,
    "openssl": _openssl,
    "find": _find,
    "xargs": _xargs,
    "source": _loaded,
    ".": _loaded,
    "git": _git,
}


def with_created(
    uses: Sequence[PathUse], call: ToolCall, files: TextOf | None, *, edits: bool = False
) -> tuple[PathUse, ...]:
    """Tell a file that is created from one that is written over, where it is known what exists.

    What `edits` replaces text that is there: it writes over a file even if that can't be found.
    """
    if files is None:
        return tuple(uses)
    open_to_doubt = ("create",) if edits else ("write", "create")
    return tuple(
        use._replace(access="create" if files(_looked_up(use.path, call)) is None else "write")
        if use.access in open_to_doubt and not use.glob and is_readable(use.path)
        else use
        for use in uses
    )


def _looked_up(path: str, call: ToolCall) -> str:
    """Write a path as the files are asked for it: seen from the directory of the call."""
    elsewhere = call.root is not None and call.root != call.cwd
    inside = not path.startswith(("/", "~", "$"))
    return f"{call.root}/{path}" if elsewhere and inside else path


def covers(use: PathUse, globs: str, folder: str | None = None) -> bool:
    """Whether the globs of a rule cover a file, or what wildcards of the call are aimed at.

    A folder that is deleted or renamed takes along what it holds.
    """
    if selects(use.path, globs, folder):
        return True
    if use.access in ("delete", "rename") and holds_selected(use.path, globs, folder):
        return True
    return use.glob and may_select(use.path, globs, folder, written=use.changes)


def script_of(use: CommandUse) -> str | None:
    """Give the path of the script that an invocation runs, by itself or by an interpreter."""
    program = use.invocation.program
    if program in SHELLS or program in ("source", ".") or language_of(program):
        named = [word for word in use.options.operands if not use.options.has_exactly("-c")]
        text = named[0].text if named else ""
    else:
        text = use.invocation.words[0].text if use.invocation.words else ""
    directory = use.invocation.context.directory
    joins = text and directory and not text.startswith(("/", "~", "$"))
    return f"{directory}/{text}" if joins else text or None


def _seen_from(use: CommandUse, word: Word, call: ToolCall) -> str:
    directory = use.invocation.context.directory
    text = word.text.partition(":")[2] if ":" in word.text[1:] else word.text
    joined = directory and not text.startswith(("/", "~", "$"))
    return located(call, f"{directory}/{text}" if joined else text)
