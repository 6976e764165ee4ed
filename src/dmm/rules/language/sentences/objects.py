"""Objects: what stands behind a verb, read as far as that verb tells what it can be."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.rules.language.sentences import words
from dmm.rules.language.sentences.code import (
    Item,
    command_item,
    command_words,
    is_command,
    is_flag,
    path_of,
    same_commands,
)
from dmm.rules.language.sentences.constructs import (
    CONSTRUCTS,
    LONGEST,
    SUPPRESSED,
    content_of,
    files_of,
    language_of,
    looks_like_code,
    regex_of,
    singular,
)
from dmm.rules.language.sentences.pieces import (
    DETERMINERS,
    LINKS,
    Pieces,
    find,
    skip,
    word_at,
    word_set,
)
from dmm.rules.language.sentences.things import (
    STOPS,
    Context,
    Found,
    Thing,
    commands,
    ends,
    all_but,
    read_branches,
    read_paths,
    read_remote,
)

if TYPE_CHECKING:
    from collections.abc import Callable

_COMMAND_WORDS = word_set("command commands")
_OPTION_WORDS = word_set("flag flags option options switch")
_COMMENT_WORDS = word_set("comment comments directive directives pragma pragmas annotation")
_CARRIERS = word_set("package library dependency module crate gem packages libraries dependencies")
_NEW = word_set("new additional extra more third-party external runtime other further npm pip any")
_CODE_WORDS = word_set(
    "code related to around involving using uses that references mentioning of lines for"
)
_FILLERS = word_set(
    """file files anything something code contents content changes edits things data repos folders
    directories tests modules"""
)
_INTO = word_set("in under inside within below to of from into at")
_CARRIED = word_set("code anything commits changes work commit your features things")
_BRANCH_INTO = word_set("to into on onto in")
_HOOKS = word_set("hook hooks pre-commit git commit checks pre-push")
_COMMIT_WORDS = word_set("commit commits last previous existing your own the a any")
_KNOWN_TOOLS = word_set(
    """WebFetch WebSearch NotebookEdit MultiEdit TodoWrite BashOutput KillShell apply_patch
    exec_command run_shell_command write_file read_file"""
)
# In prose these are commands only with a word behind them.
_RUNNABLE = word_set(
    """make go cargo poetry bundle rake rails python node just mix brew gem composer java perl ruby
    playwright"""
)
_ARGUMENT = re.compile(r"[a-z0-9@][\w:./@=+*-]*|[./~$][\w./*~${}-]*|\+\S+")
_PACKAGE = re.compile(r"@?[A-Za-z][\w.@/-]*")
_LIBRARY = re.compile(r"@?[a-z][a-z0-9-]+(?:/[a-z0-9-]+)?")
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
    at = skip(pieces, at, DETERMINERS)
    text = pieces[at].text if at < len(pieces) else ""
    following = word_at(pieces, at + 1)
    if not re.fullmatch(r"[A-Za-z][\w.*-]*", text):
        return None
    if text.startswith("mcp__"):
        return Thing(({"tool": text},)), at + 1
    if following == "mcp" and word_at(pieces, at + 2) in ("server", "servers", "tools"):
        return Thing(({"tool": f"mcp__{text}__*"}, {"tool": f"mcp__{text.lower()}__*"})), at + 3
    if following in ("tool", "tools") or text in _KNOWN_TOOLS:
        names = dict.fromkeys((text, text.lower(), text.capitalize()))
        items: list[Item] = [{"tool": one} for one in names] + [{"tool": f"mcp__*__{text}"}]
        items += [command_item([text.lower()])] if text.lower() in words.PROGRAMS else []
        return Thing(tuple(items)), at + (2 if following in ("tool", "tools") else 1)
    return None


def _option(pieces: Pieces, at: int, context: Context) -> Found | None:
    at = skip(pieces, at, DETERMINERS)
    if at >= len(pieces) or not is_flag(pieces[at].text):
        return None
    flag, end = pieces[at].text, skip(pieces, at + 1, _OPTION_WORDS)
    if word_at(pieces, end) in ("with", "on", "for", "to", "in"):
        inner = _command(pieces, end + 1, context._replace(verb="run"))
        if inner:
            return commands(inner[0], flags=[flag]), inner[1]
    if not flag.startswith("--"):
        return None
    return Thing((command_item(["*"], flags=[flag]),)), end


def _package(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read "the lodash package", "a dependency on lodash", "new dependencies"."""
    at = skip(pieces, at, DETERMINERS - {"any"}, frozenset(("on",)))
    new = skip(pieces, at, _NEW, DETERMINERS)
    if word_at(pieces, new) in _CARRIERS - {"module", "crate", "gem"}:
        on = word_at(pieces, new + 1) in ("on", "upon", "called", "named")
        if on:
            return _package(pieces, new + 2, context._replace(verb="install"))
        plural = word_at(pieces, new).endswith("s") or new > at
        adding = context.verb in ("add", "install", "")
        return (Thing(({"command": {"package": "*"}},)), new + 1) if plural and adding else None
    name = pieces[at].text if at < len(pieces) else ""
    if not _PACKAGE.fullmatch(name) or name.lower() in STOPS | _NEW | _CARRIERS or "mcp__" in name:
        return None
    role = skip(pieces, at + 2, DETERMINERS, _NEW)
    as_one = word_at(pieces, at + 1) in ("as", "to") and word_at(pieces, role) in _CARRIERS
    if as_one or word_at(pieces, at + 1) in _CARRIERS:
        return Thing(({"command": {"package": name}},)), role + 1 if as_one else at + 2
    sure = context.verb == "install" and (pieces[at].code or name == name.lower())
    return (Thing(({"command": {"package": name}},)), at + 1) if sure else None


def _marker(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read "eslint-disable comments", "`# noqa`", "@ts-ignore directives"."""
    del context
    at = skip(pieces, at, DETERMINERS)
    text = pieces[at].text if at < len(pieces) else ""
    named = word_at(pieces, at + 1) in _COMMENT_WORDS
    sign = re.match(r"(?:#|//|--)\s*[a-z]|@ts-|/\*", text)
    formed = re.search(r"[-@:]|^no[a-z]+$|^[A-Z]+$", text)
    if not (named and formed) and not (sign and pieces[at].code):
        return None
    bare = re.sub(r"^(?:#|//|/\*|--)\s*", "", text)
    item = content_of(rf"(?<![\w-]){re.escape(bare)}", comments=True) | {"path": files_of("")}
    return Thing((item,), sample=(f"// {bare}", "// fine")), at + (2 if named else 1)


def _construct(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read a construct by its name: "default exports", "bare `except:`", "secrets"."""
    start = at if word_at(pieces, at) == "any" else skip(pieces, at, DETERMINERS)
    for length in range(LONGEST, 0, -1):
        span = pieces[start : start + length]
        if len(span) < length or any(one.mark for one in span):
            continue
        parts = [one.text.strip(":()").lower() for one in span]
        phrase = " ".join((*parts[:-1], singular(parts[-1])))
        known = CONSTRUCTS.get(phrase) or CONSTRUCTS.get(" ".join(parts))
        if known and _fits(known[0], phrase, span, context):
            name, one = known
            item = {"content": {"regex": one.regex}, "path": files_of(one.language)}
            # A key in a file that holds keys, and is not committed, is in its place.
            lifted = ({"path": [".env", ".env.*"]},) if name == "secret" else ()
            return Thing((item,), lifted, (one.bad, one.good)), start + length
    return None


_EVERYDAY = word_set("any except enum var unsafe test print eval")


def _fits(name: str, phrase: str, span: Pieces, context: Context) -> bool:
    if (name in SUPPRESSED) != (context.verb == "skip"):
        return False
    if context.verb in ("commit", "edit") and name not in ("secret", "console log", "todo"):
        return False
    # A word of everyday language is a construct only as code, or where the language is named.
    everyday = " " not in phrase and phrase in _EVERYDAY
    coded = any(one.code for one in span)
    return coded or not everyday or context.verb == "skip" or bool(context.language)


def _code(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read what is written as code: a command, or text of a program."""
    at = skip(pieces, at, DETERMINERS, _COMMAND_WORDS)
    plain = skip(pieces, at, word_set("bare system plain global raw"))
    at, bare = plain, plain > at
    if at >= len(pieces) or not pieces[at].code:
        return None
    text = pieces[at].text
    end = skip(pieces, at + 1, _COMMAND_WORDS, _FILE_CALLS)
    if is_command(text, context.verb, context.known) and pieces[at].kind == "code":
        parts = command_words(text)
        thing = Thing(same_commands(parts), whole=len(parts) == 1)
        return (commands(thing, bare=True) if bare else thing), end
    if context.verb == "run":
        script = path_of(text, code=True) and "*" not in text
        return (Thing((command_item([text]),)), end) if script else None
    return _content(text, context, end)


_FILE_CALLS = word_set("call calls statement statements syntax keyword function functions method")


def _content(text: str, context: Context, end: int) -> Found | None:
    if path_of(text, code=True) and not looks_like_code(text):
        return None
    regex = regex_of(text)
    if regex is None:
        return None
    language = language_of(text) or context.language
    comments = text.startswith(("#", "//", "@ts"))
    item = content_of(regex, comments=comments) | {"path": files_of(language)}
    sample = f"{text})" if text.endswith("(") else text
    return Thing((item,), sample=(f"    {sample}", "    other_name")), end


def _name(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read a name of a program that stands in prose: setTimeout, console.log."""
    at = skip(pieces, at, DETERMINERS)
    text = pieces[at].text if at < len(pieces) and pieces[at].kind == "word" else ""
    formed = re.fullmatch(r"[a-z]{2,}(?:[A-Z][a-z0-9]+)+|[\w.:]+\(\)|[a-z]\w*(?:(?:\.|::)[a-z]\w*)+", text)
    if not formed or not looks_like_code(text) or path_of(text, code=False):
        return None
    return _content(text, context, skip(pieces, at + 1, _FILE_CALLS))


def _related(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read "any code related to `NAME`": the name may not be written."""
    start = skip(pieces, at, DETERMINERS, _CODE_WORDS)
    spoken = any(one.word in _CODE_WORDS for one in pieces[at:start])
    linked = at > 0 and pieces[at - 1].word in LINKS
    if start >= len(pieces) or pieces[start].kind != "code":
        return None
    sure = looks_like_code(pieces[start].text) and (spoken or linked or context.verb == "add")
    return _content(pieces[start].text, context, start + 1) if sure else None


def _library(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read a name in code that is given up for another: a package, and what imports it."""
    at = skip(pieces, at, DETERMINERS)
    text = pieces[at].text if at < len(pieces) and pieces[at].kind == "code" else ""
    formed = all(_LIBRARY.fullmatch(one) for one in (text, context.chosen))
    # A hyphen or a scope tells a package from a keyword, a unit or a branch.
    if not formed or not re.search(r"[-/]", text + context.chosen):
        return None
    thing = imported(text)
    return thing._replace(items=({"command": {"package": text}}, *thing.items)), at + 1


def _imported(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read "import `X`" and "import from `x/`"."""
    del context
    at = skip(pieces, at, DETERMINERS, word_set("from anything code modules directly"))
    text = pieces[at].text if at < len(pieces) and pieces[at].kind == "code" else ""
    formed = re.fullmatch(r"[\w@~./:-]*\w/?", text) and len(text) > 2
    return (imported(text), at + 1) if formed else None


def imported(name: str) -> Thing:
    """Write what finds the import of a module."""
    end = "" if name.endswith("/") else r"(?![\w-])"
    regex = rf"\b(?:import|from|require|use)\b[^\n]*?(?<![\w-]){re.escape(name)}{end}"
    item = content_of(regex) | {"path": files_of("")}
    sample = f"{name}x" if name.endswith("/") else name
    return Thing((item,), sample=(f"import a from '{sample}'", "import a from 'other-module'"))


def _command(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read a command in prose: a known program and the words that can be its arguments."""
    at = skip(pieces, at, DETERMINERS)
    plain = skip(pieces, at, word_set("bare system plain"))
    bare, at = plain > at, skip(pieces, plain, _COMMAND_WORDS)
    if at >= len(pieces) or pieces[at].mark:
        return None
    if pieces[at].code:
        return _code(pieces, plain - 1 if bare else at, context)
    several = pieces[at].word.split("/")
    sure = words.PROGRAMS - words.AMBIGUOUS
    if len(several) > 1 and all(part in sure for part in several):
        return Thing(tuple(command_item([part]) for part in several), whole=True), at + 1
    if context.verb == "run" and path_of(pieces[at].text, code=False):
        return Thing((command_item([pieces[at].text]),)), at + 1
    found = _program(pieces, at, context)
    if found is None:
        return None
    parts, end = found
    thing = Thing(same_commands(parts), whole=len(parts) == 1)
    return (commands(thing, bare=True) if bare else thing), end


def _program(pieces: Pieces, at: int, context: Context) -> tuple[list[str], int] | None:
    text, word = pieces[at].text, pieces[at].word
    listed = _in_list_of_commands(pieces, at)
    known = word in words.PROGRAMS or word in context.known.programs or listed
    if not known or text not in (word, word.capitalize()):
        return None
    parts, end = [word], at + 1
    while end < len(pieces) and len(parts) < _MOST_WORDS and _is_argument(pieces, end):
        parts.append(pieces[end].text)
        end += 1
    named = word_at(pieces, end) in _COMMAND_WORDS
    flagged = any(one.startswith("-") for one in parts[1:])
    plain = word not in words.AMBIGUOUS or any(word in one for one in words.MANAGERS.values())
    running = context.verb == "run" and word in _RUNNABLE and len(parts) > 1
    alone = context.verb == "run" and word in ("reboot", "shutdown", "halt", "make") and ends(
        pieces, end
    )
    if not (flagged or named or plain or running or alone or listed):
        return None
    return parts, end + 1 if named else end


def _in_list_of_commands(pieces: Pieces, at: int) -> bool:
    """Whether a word stands with a known program in "pytest, python, or airflow commands"."""
    start, end = at, at
    while start > 0 and _listed(pieces, start - 1):
        start -= 1
    while end < len(pieces) and _listed(pieces, end) and pieces[end].word not in _COMMAND_WORDS:
        end += 1
    members = [one.word for one in pieces[start:end] if one.word and one.word not in LINKS]
    sure = words.PROGRAMS - words.AMBIGUOUS
    return word_at(pieces, end) in _COMMAND_WORDS and any(one in sure for one in members)


def _listed(pieces: Pieces, at: int) -> bool:
    return pieces[at].mark == "," or pieces[at].word in LINKS or pieces[at].word not in STOPS


def _is_argument(pieces: Pieces, at: int) -> bool:
    piece = pieces[at]
    if piece.kind != "word" or piece.word in STOPS | _COMMAND_WORDS:
        return False
    if piece.text.startswith("-"):
        return len(piece.text) > 1
    adverb = piece.text.isalpha() and piece.text.endswith("ly") and piece.text != "apply"
    return bool(_ARGUMENT.fullmatch(piece.text)) and not adverb


_ACCESS: dict[str, list[str]] = {
    "read": ["read"], "delete": ["delete"], "rename": ["rename"], "create": ["create"],
    "add": ["create"], "access": ["read", "write", "create", "delete", "rename"],
}  # fmt: skip


def _touched(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read the files behind a verb such as edit, read, delete or commit."""
    start = skip(pieces, at, DETERMINERS, word_set("for new existing"))
    inner = start
    while inner < len(pieces) and inner < start + 4 and pieces[inner].word not in _INTO | STOPS:
        inner += 1
    outside = word_at(pieces, inner) == "outside"
    filled = inner > start and word_at(pieces, inner - 1) in _FILLERS
    if filled and word_at(pieces, inner) in _INTO | {"outside"}:
        start = skip(pieces, inner + 1, word_set("of the"))
    elif word_at(pieces, start) in _INTO | {"file", "files"}:
        start = skip(pieces, start + 1, word_set("of the"))
    found = read_paths(pieces, start, context.known, named=filled)
    if found is None:
        return None
    globs, end = found
    if outside:
        return Thing(({"path": all_but(globs)},)), end
    return _on_files(globs, context.verb), end


def _on_files(globs: list[str], verb: str) -> Thing:
    lifted = words.ENV_EXAMPLES if ".env.*" in globs else []
    if verb == "commit":
        operands = [_operand(glob) for glob in globs]
        git = {"program": "git", "subcommand": ["add", "stage"]}
        name = globs[0].removeprefix("**/").removesuffix("/**").replace("*", "a")
        item: Item = {"command": git | {"matches": "|".join(operands)}}
        return Thing((item,), sample=(f"git add {name}", "git add src"))
    secret = any(mark in glob for glob in globs for mark in words.SECRET_FILES)
    access = _ACCESS["access"] if verb == "touch" and secret else _ACCESS.get(verb)
    touched: Item = {"path": {"glob": globs, "access": access} if access else globs}
    unless: Item = {"path": {"glob": lifted, "access": access} if access else lifted}
    return Thing((touched,), (unless,) if lifted else ())


def _operand(glob: str) -> str:
    """Write a glob as the regex of an operand of a command."""
    plain = glob.removeprefix("**/").removesuffix("/**")
    body = re.escape(plain).replace(r"\*", r"[^ /]*")
    if glob == ".env.*":
        examples = "|".join(one.removeprefix(".env.") for one in words.ENV_EXAMPLES)
        body = rf"\.env\.(?!(?:{examples})\b)[^ /]*"
    inside = r"(?:/[^ ]*)?" if glob.endswith("/**") else ""
    return rf"(?<=[ /]){body}{inside}(?= |$)"


def _all_files(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read "files" alone; that much needs somebody's leave."""
    at = skip(pieces, at, DETERMINERS)
    if word_at(pieces, at) not in ("file", "files") or not ends(pieces, at + 1):
        return None
    thing = Thing(({"path": {"glob": ["**"], "access": _ACCESS[context.verb]}},), vague=True)
    return thing, at + 1


def _on_branch(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read what is done to a branch or a remote: push, force-push, commit, merge, delete."""
    verb = context.verb
    start = skip(pieces, at, words.IDLE, _CARRIED, DETERMINERS)
    led = word_at(pieces, start) in _BRANCH_INTO
    start = start + 1 if led else start
    bare = verb in ("delete", "rebase", "force-push")
    if led and verb in ("push", "force-push") and (remote := read_remote(pieces, start)):
        return commands(_GIT[verb], remote=remote[0]), remote[1]
    found = read_branches(pieces, start) if led or bare else None
    if found and not led and not ends(pieces, found[1]):
        found = None
    if found is None:
        thing = _GIT.get(verb)
        end = skip(pieces, at, words.IDLE, _CARRIED)
        return (thing, end) if thing and ends(pieces, end) else None
    if verb == "delete":
        return Thing(tuple(item for name in found[0] for item in _deletions(name))), found[1]
    return commands(_GIT[verb], branch=found[0]), found[1]


def _deletions(branch: str) -> list[Item]:
    return [
        command_item(["git", "branch"], flags=["-d|-D|--delete"], args=[branch]),
        command_item(["git", "push"], flags=["-d|--delete"], args=[branch]),
        command_item(["git", "push"], args=[f":{branch}"]),
    ]


_GIT = {
    "push": Thing(({"command": "git push"},), vague=True),
    "commit": Thing(({"command": "git commit"},), vague=True),
    "merge": Thing((command_item(["git", "merge"], without=["--abort"]),), vague=True),
    "rebase": Thing((command_item(["git", "rebase"], without=["--abort"]),), vague=True),
    "force-push": Thing(same_commands(["git", "push", "--force"])),
}


def _hooks(pieces: Pieces, at: int, context: Context) -> Found | None:
    """ "Skip hooks" is done by an option of Git."""
    del context
    end = skip(pieces, at, _HOOKS, DETERMINERS)
    if end == at or word_at(pieces, end - 1) not in ("hook", "hooks", "checks"):
        return None
    git = {"program": "git", "subcommand": ["commit", "push", "merge"], "flags": ["--no-verify"]}
    return Thing(({"command": git},)), end


def _suppressed(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read "disable lint rules with eslint-disable comments": the comment is what is written."""
    turn = find(pieces, "with", "using", "via", "by", start=at)
    marker = _marker(pieces, turn + 1, context) if turn is not None else None
    return marker or _construct(pieces, at, context)


def _amend(pieces: Pieces, at: int, context: Context) -> Found | None:
    del context
    end = skip(pieces, at, _COMMIT_WORDS)
    return Thing(({"command": "git commit --amend"},)), end


def _hard_reset(pieces: Pieces, at: int, context: Context) -> Found | None:
    del context
    at = skip(pieces, at, word_set("the branch repository"))
    return Thing(({"command": "git reset --hard"},)), at


def _suite(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read "the full test suite": the tests without a choice of them."""
    del context
    at = skip(pieces, at, DETERMINERS)
    end = skip(pieces, at, word_set("full complete entire whole"))
    last = skip(pieces, end, word_set("test suite tests"))
    if end == at or last == end:
        return None
    whole = {"run": "tests", "no_args": True, "without": ["-k", "-p", "--package", "-t", "--filter"]}
    return Thing(({"command": whole},)), last


_USED = (_tool, _option, _marker, _construct, _package, _command, _name, _library)
_FILES = (_touched, _related)
_READERS: dict[str, tuple[Callable[[Pieces, int, Context], Found | None], ...]] = {
    "run": (_tool, _suite, _option, _command),
    "commit": (_construct, _touched, _on_branch),
    "push": (_on_branch,),
    "force-push": (_on_branch,),
    "merge": (_on_branch,),
    "rebase": (_on_branch,),
    "delete": (_touched, _on_branch, _all_files),
    "rename": (_touched, _all_files),
    "install": (_package,),
    "import": (_imported,),
    "add": (_package, _marker, _construct, _related, _name, _code, _touched),
    "hardcode": (_construct,),
    "skip": (_hooks, _suppressed),
    "amend": (_amend,),
    "hard-reset": (_hard_reset,),
    "bump": (),
    **dict.fromkeys(("edit", "touch", "access", "create"), _FILES),
    "read": (_touched,),
}
