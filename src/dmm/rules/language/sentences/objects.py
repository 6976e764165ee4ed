"""Objects: what stands behind a verb, read as far as that verb tells what it can be."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.rules.language.sentences import words
from dmm.rules.language.sentences.libraries import read_library
from dmm.rules.language.sentences.texts import TEXT_READERS, read_text
from dmm.rules.language.sentences.things import (
    STOPS,
    Context,
    Found,
    Item,
    Thing,
    all_but,
    command_item,
    command_words,
    commands,
    ends,
    is_command,
    is_flag,
    is_path,
    read_branches,
    read_paths,
    same_commands,
)
from dmm.text.pieces import LINKS, Pieces, find, skip, word_at
from dmm.text.words import english, word_set

if TYPE_CHECKING:
    from collections.abc import Callable


_CARRIED = word_set("code anything commits changes work commit your features things")
_ONTO = word_set("to into on onto in")
_GIT = {
    "push": Thing(({"command": "git push"},), vague=True),
    "commit": Thing(({"command": "git commit"},), vague=True),
    "merge": Thing((command_item(["git", "merge"], without=["--abort"]),), vague=True),
    "rebase": Thing((command_item(["git", "rebase"], without=["--abort"]),), vague=True),
    "force-push": Thing(same_commands(["git", "push", "--force"])),
}
# What may follow an act that stands alone.
_BEYOND = STOPS - words.DETERMINERS - LINKS | word_set("- : ( )")
_FIXED = {
    "amend": ("git commit --amend", "commit commits last previous existing your own the a any"),
    "hard-reset": ("git reset --hard", "the branch repository"),
}


def _on_branch(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read what is done to a branch or a remote."""
    verb = context.verb
    start = skip(pieces, at, words.IDLE, _CARRIED, words.DETERMINERS)
    led = word_at(pieces, start) in _ONTO
    start = skip(pieces, start + 1, words.DETERMINERS) if led else start
    if led and verb.endswith("push") and start < len(pieces):
        remote, end = pieces[start].text.lower(), skip(pieces, start + 1, word_set("remote repo"))
        if remote in words.REMOTES and ends(pieces, end):
            return commands(_GIT[verb], remote=[remote]), end
    bare = verb in ("delete", "rebase", "force-push")
    found = read_branches(pieces, start) if led or bare else None
    if found and (led or ends(pieces, found[1])):
        if verb == "delete":
            return Thing(tuple(one for name in found[0] for one in _deletions(name))), found[1]
        return commands(_GIT[verb], branch=found[0]), found[1]
    thing, end = _GIT.get(verb), skip(pieces, at, words.IDLE, _CARRIED)
    if verb != "force-push" and not _is_alone(pieces, end):
        return None
    return (thing, end) if thing else None


def _is_alone(pieces: Pieces, at: int) -> bool:
    """Whether nothing else is named, as in "commit this value" or "commit, print or paste it"."""
    rest = (one.text.lower() for one in pieces[at : at + 2] if one.mark != ",")
    return next(rest, "in") in _BEYOND


def _deletions(branch: str) -> list[dict[str, object]]:
    return [
        command_item(["git", "branch"], flags=["-d|-D|--delete"], args=[branch]),
        command_item(["git", "push"], flags=["-d|--delete"], args=[branch]),
        command_item(["git", "push"], args=[f":{branch}"]),
    ]


def _fixed(pieces: Pieces, at: int, context: Context) -> Found | None:
    command, objects = _FIXED[context.verb]
    return Thing(({"command": command},)), skip(pieces, at, word_set(objects))


def _hooks(pieces: Pieces, at: int, context: Context) -> Found | None:
    """ "Skip hooks" is done by an option of Git."""
    del context
    end = skip(
        pieces, at, word_set("hook hooks pre-commit git commit checks pre-push"), words.DETERMINERS
    )
    if end == at or word_at(pieces, end - 1) not in ("hook", "hooks", "checks"):
        return None
    git = {"program": "git", "subcommand": ["commit", "push", "merge"], "flags": ["--no-verify"]}
    return Thing(({"command": git},)), end


GIT_READERS: dict[str, Callable[[Pieces, int, Context], Found | None]] = {
    **dict.fromkeys((*_GIT, "delete"), _on_branch),
    **dict.fromkeys(_FIXED, _fixed),
    "skip": _hooks,
}


_COMMAND_WORDS = word_set("command commands")
_PLAIN = word_set("bare system plain global raw")
_CARRIERS = word_set("package library dependency packages libraries dependencies")
_CARRIER = word_set("package library dependency")
_NEW = word_set("new additional extra more third-party external runtime other further npm pip any")
_FILLERS = english("file_fillers")
_INTO = word_set("in under inside within below to of from into at")
_KNOWN_TOOLS = english("client_tools")
_RUNNABLE = english("runnable")
_ALONE = word_set("reboot shutdown halt make")
_ARGUMENT = re.compile(r"[a-z0-9@][\w:./@=+*-]*|[./~$][\w./*~${}-]*|\+\S+")
_MOST_WORDS = 5


def read_object(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read one thing at a place, or nothing when that isn't certain."""
    for read in _READERS.get(context.verb, _USED):
        found = read(pieces, skip(pieces, at, words.IDLE - {"any"}), context)
        if found and ends(pieces, found[1]):
            return found
    return None


def _tool(pieces: Pieces, at: int, context: Context) -> Found | None:
    del context
    at = skip(pieces, at, words.DETERMINERS)
    text = pieces[at].text if at < len(pieces) else ""
    following = word_at(pieces, at + 1)
    if not re.fullmatch(r"[A-Za-z][\w.*-]*", text):
        return None
    if text.startswith("mcp__"):
        return Thing(({"tool": text},)), at + 1
    if following == "mcp" and word_at(pieces, at + 2) in ("server", "servers", "tools"):
        return Thing(({"tool": f"mcp__{text}__*"}, {"tool": f"mcp__{text.lower()}__*"})), at + 3
    # "Invoking tools" and "external tools" are a kind, "the browser tools" some that are known.
    kind = following == "tools" and text.islower() and word_at(pieces, at - 1) != "the"
    if (following not in ("tool", "tools") or kind) and text not in _KNOWN_TOOLS:
        return None
    names = dict.fromkeys((text, text.lower(), text.capitalize(), f"mcp__*__{text}"))
    items: list[Item] = [{"tool": one} for one in names]
    items += [command_item([text.lower()])] if text.lower() in words.PROGRAMS else []
    return Thing(tuple(items)), at + (2 if following in ("tool", "tools") else 1)


def _option(pieces: Pieces, at: int, context: Context) -> Found | None:
    at = skip(pieces, at, words.DETERMINERS)
    if at >= len(pieces) or not is_flag(pieces[at].text):
        return None
    flag, end = pieces[at].text, skip(pieces, at + 1, word_set("flag flags option options switch"))
    if word_at(pieces, end) in ("with", "on", "for", "to", "in"):
        inner = _command(pieces, end + 1, context._replace(verb="run"))
        if inner:
            return commands(inner[0], flags=[flag]), inner[1]
    return (Thing((command_item(["*"], flags=[flag]),)), end) if flag.startswith("--") else None


def _means(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read "bypass the check with `git commit --no-verify`": what is named is how it is done."""
    turn = find(pieces, "with", "using", "via", "by", start=at)
    if turn is None:
        return None
    running = context._replace(verb="run")
    return _option(pieces, turn + 1, running) or _command(pieces, turn + 1, running)


def _package(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read "the lodash package", "a dependency on lodash", "new dependencies"."""
    at = skip(pieces, at, words.DETERMINERS - {"any"}, word_set("on"))
    new = skip(pieces, at, _NEW, words.DETERMINERS)
    if word_at(pieces, new) in _CARRIERS:
        if word_at(pieces, new + 1) in ("on", "upon", "called", "named"):
            return _package(pieces, new + 2, context._replace(verb="install"))
        several = word_at(pieces, new).endswith("s") or new > at
        adding = several and context.verb in ("add", "install", "")
        return (Thing(({"command": {"package": "*"}},)), new + 1) if adding else None
    name = pieces[at].text if at < len(pieces) else ""
    # Without a scope or a host, "native/FFI" names kinds of packages.
    form = r"@?[A-Za-z][\w.@/-]*" if re.match(r"@|[^/]+\.", name) else r"[A-Za-z][\w.@-]*"
    if not re.fullmatch(form, name) or name.lower() in STOPS | _NEW:
        return None
    role = skip(pieces, at + 2, words.DETERMINERS, _NEW)
    as_one = word_at(pieces, at + 1) in ("as", "to") and word_at(pieces, role) in _CARRIERS
    # "Unpopular libraries" are a kind.
    called = word_at(pieces, at + 1) in (_CARRIERS if pieces[at].code else _CARRIER)
    sure = context.verb == "install" and (pieces[at].code or name == name.lower())
    if not (as_one or called or sure):
        return None
    end = role + 1 if as_one else at + 2 if called else at + 1
    return Thing(({"command": {"package": name}},)), end


def _command(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read a command: a span of code, or a known program and words that can be its arguments."""
    at = skip(pieces, at, words.DETERMINERS, _COMMAND_WORDS)
    plain = skip(pieces, at, _PLAIN)
    bare, at = plain > at, skip(pieces, plain, _COMMAND_WORDS)
    if at >= len(pieces) or pieces[at].mark:
        return None
    text = pieces[at].text
    # A shell finds `./.check`, but not `.skip`.
    named = "*" not in text and ("/" in text or not text.startswith("."))
    script = context.verb == "run" and named and is_path(text, code=pieces[at].code)
    several = pieces[at].word.split("/")
    if pieces[at].kind == "code" and is_command(text, context.verb):
        found: tuple[list[str], int] | None = command_words(text), at + 1
    elif script:
        found = [text], at + 1
    elif pieces[at].code:
        # "Bare `ValueError`" is no ban of the name.
        is_text = {context.verb, word_at(pieces, at - 1)}.isdisjoint(("run", "bare"))
        return read_text(pieces, at, context) if is_text else None
    elif len(several) > 1 and all(part in words.PROGRAMS - words.AMBIGUOUS for part in several):
        return Thing(tuple(command_item([part]) for part in several), whole=True), at + 1
    else:
        found = _program(pieces, at, context)
    if found is None:
        return None
    thing = Thing(same_commands(found[0]), whole=len(found[0]) == 1)
    return (commands(thing, bare=True) if bare else thing), skip(pieces, found[1], _COMMAND_WORDS)


def _program(pieces: Pieces, at: int, context: Context) -> tuple[list[str], int] | None:
    text, word = pieces[at].text, pieces[at].word
    if word not in words.PROGRAMS or text not in (word, word.capitalize()):
        return None
    parts, end = [word], at + 1
    while end < len(pieces) and len(parts) < _MOST_WORDS and _is_argument(pieces, end):
        parts.append(pieces[end].text)
        end += 1
    if word == "git" and parts[1:] and parts[1].isalpha() and parts[1] not in words.GIT:
        return None
    named = word_at(pieces, end) in _COMMAND_WORDS
    flagged = any(one.startswith("-") for one in parts[1:])
    plain = word not in words.AMBIGUOUS or any(word in one for one in words.MANAGERS.values())
    run = context.verb == "run" and word in (_RUNNABLE if len(parts) > 1 else _ALONE)
    return (parts, end) if flagged or named or plain or run else None


def _is_argument(pieces: Pieces, at: int) -> bool:
    piece = pieces[at]
    if piece.kind != "word" or piece.word in STOPS | _COMMAND_WORDS:
        return False
    adverb = piece.text.isalpha() and piece.text.endswith("ly") and piece.text != "apply"
    return is_flag(piece.text) or (bool(_ARGUMENT.fullmatch(piece.text)) and not adverb)


_ACCESS = {
    "read": ["read"], "delete": ["delete"], "rename": ["rename"], "create": ["create"],
    "add": ["create"], "access": ["read", "write", "create", "delete", "rename"],
}  # fmt: skip


def _touched(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read the files behind a verb such as edit, read, delete or commit."""
    start = skip(pieces, at, words.DETERMINERS, word_set("for new existing"))
    inner = start
    while inner < len(pieces) and inner < start + 4 and pieces[inner].word not in _INTO | STOPS:
        inner += 1
    outside = word_at(pieces, inner) == "outside"
    filled = inner > start and word_at(pieces, inner - 1) in _FILLERS
    if filled and (outside or word_at(pieces, inner) in _INTO):
        start = skip(pieces, inner + 1, word_set("of the"))
    elif word_at(pieces, start) in _INTO | {"file", "files"}:
        start = skip(pieces, start + 1, word_set("of the"))
    known = context.known
    touched = not context.instead.endswith(")")
    first = read_paths(pieces, skip(pieces, at, words.DETERMINERS), known, touched=touched)
    found = first or read_paths(pieces, start, known, named=filled, touched=touched)
    if found is None:
        return None
    if outside and not first:
        left = None if context.verb == "commit" else _on_files(all_but(found[0]), context.verb)
        return (left, found[1]) if left else None
    return _on_files(found[0], context.verb), found[1]


def _on_files(globs: list[str], verb: str) -> Thing:
    if verb == "commit":
        name = globs[0].removeprefix("**/").removesuffix("/**").replace("*", "a")
        staged = {"program": "git", "subcommand": ["add", "stage", "commit"]}
        kept = [f"!{one}" for one in words.ENV_EXAMPLES if ".env.*" in globs]
        item: Item = {"command": staged, "path": {"glob": [*globs, *kept], "access": "read"}}
        return Thing((item,), sample=(f"git add {name}", "git add src"))
    secret = any(mark in glob for glob in globs for mark in words.SECRET_FILES)
    access = _ACCESS["access"] if verb == "touch" and secret else _ACCESS.get(verb)

    def touched(ones: list[str]) -> Item:
        return {"path": {"glob": ones, "access": access} if access else ones}

    lifted = (touched(words.ENV_EXAMPLES),) if ".env.*" in globs else ()
    return Thing((touched(globs),), lifted)


def _all_files(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read "files" alone; that much needs somebody's leave."""
    at = skip(pieces, at, words.DETERMINERS)
    if word_at(pieces, at) not in ("file", "files"):
        return None
    item: Item = {"path": {"glob": ["**"], "access": _ACCESS[context.verb]}}
    return Thing((item,), vague=True), at + 1


_TEXTS = TEXT_READERS
_USED = (
    _tool, _option, _TEXTS["marker"], _TEXTS["construct"], read_library, _package, _command,
    _TEXTS["name"],
)  # fmt: skip
_READERS: dict[str, tuple[Callable[[Pieces, int, Context], Found | None], ...]] = {
    **{verb: (read,) for verb, read in GIT_READERS.items()},
    "run": (_tool, _option, _command),
    "commit": (_TEXTS["construct"], _touched, GIT_READERS["commit"]),
    "delete": (_touched, GIT_READERS["delete"], _all_files),
    "rename": (_touched, _all_files),
    "install": (_package,),
    "import": (_TEXTS["import"],),
    "add": (
        _package,
        read_library,
        _TEXTS["marker"],
        _TEXTS["construct"],
        _TEXTS["code"],
        _touched,
    ),
    "hardcode": (_TEXTS["construct"],),
    "skip": (GIT_READERS["skip"], _means, _TEXTS["suppressed"]),
    **dict.fromkeys(("edit", "touch", "access", "create"), (_touched, _TEXTS["code"])),
    "read": (_touched,),
    "bump": (),
}
