"""Things a rule names as matchers, and the reading of code, paths and branches."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from dmm.rules.commands.options import SUBCOMMANDED
from dmm.rules.content.constructs import looks_like_code
from dmm.rules.language.sentences import words
from dmm.rules.syntax import flags_of
from dmm.text.lexicon import DETERMINERS
from dmm.text.pieces import LINKS, Pieces, read_list, skip, word_at
from dmm.text.words import english, word_set

Item = dict[str, Any]
STOPS = DETERMINERS | words.IDLE | LINKS | english("name_ends")
_PLACEHOLDER = re.compile(r"<.*>|\[.*\]|\{.*\}|\.\.\.|…|[A-Z][A-Z_]{2,}|\*+")
_PROGRAM = re.compile(r"(?:[\w.~-]*/)*[a-z][a-z0-9._+-]*")
_ARGUMENT = re.compile(r"[\w@./:=+~^*%,$#{}-]+")
_PATH = re.compile(r"[\w./*?~@${}\[\]-]+")
_FOLDER_WORDS = word_set("folder folders directory directories dir dirs")
_FILE_WORDS = word_set("file files itself contents")
_NO_FOLDER = english("no_folders")
# "The Markdown file" is one that was named before.
_DEFINITE = word_set("the this that its")
_MANY = tuple((kind, "file") for kind in ("markdown", "snapshot", "workflow"))


class Surroundings(NamedTuple):
    """What a caller knows of a sentence: packages the repository declares, and where it stood."""

    packages: frozenset[str] = frozenset()
    folder: str = ""
    heading: str = ""


NOWHERE = Surroundings()


class Thing(NamedTuple):
    """What a rule names: matchers, exceptions, and a text with and without it.

    A `whole` thing, such as any use of a program, is no ground for a mere hint. A `vague` one, such
    as any commit, asks at most.
    """

    items: tuple[Item, ...]
    unless: tuple[Item, ...] = ()
    sample: tuple[str, str] = ("", "")
    whole: bool = False
    vague: bool = False

    @property
    def wide(self) -> bool:
        """Whether it can't be told for which folder it is done: a program, a package."""
        return self.whole or any("package" in one.get("command", "") for one in self.items)


Found = tuple[Thing, int]


class Context(NamedTuple):
    """How an object is read: the verb before it, the language of the rule, the repository.

    Where a call is to be used `instead`, a name with a full stop is one in a program, and what is
    to be used is not found as a part of itself. What is `replaced` by a package is one, too.
    """

    verb: str = ""
    language: str = ""
    known: Surroundings = NOWHERE
    instead: str = ""
    replaced: bool = False


def ends(pieces: Pieces, at: int) -> bool:
    """Whether a name can end here: no noun follows that would make it a mere modifier."""
    return at >= len(pieces) or bool(pieces[at].mark) or pieces[at].code or pieces[at].word in STOPS


def command_words(text: str) -> list[str]:
    """Split a command as written, without prompt and placeholders."""
    return [one for one in text.removeprefix("$ ").split() if not _PLACEHOLDER.fullmatch(one)]


def is_flag(text: str) -> bool:
    """Whether a span is one option."""
    return bool(re.fullmatch(r"--?[A-Za-z0-9][\w:.-]*(?:=\S*)?", text))


def is_command(text: str, verb: str) -> bool:
    """Whether a span is a command, given the verb that stands before it."""
    parts = command_words(text)
    if not parts or not _PROGRAM.fullmatch(parts[0]) or parts[0] in words.KEYWORDS:
        return False
    name, rest = parts[0].rpartition("/")[2], parts[1:]
    if not all(_ARGUMENT.fullmatch(one) for one in rest):
        return False
    sure = name in words.PROGRAMS
    if any(is_flag(one) for one in rest):
        return sure or verb in ("run", "use", "")
    if rest:
        plain = all(re.fullmatch(r"[a-z][\w:.-]*", one) for one in rest)
        return sure or (verb in ("run", "use") and plain)
    if verb == "run":
        return sure or ("." not in name and not looks_like_code(name))
    return sure and name not in words.AMBIGUOUS


def command_item(parts: list[str], **more: object) -> Item:
    """Write a command as a matcher: the short form, or a mapping where more is asked of it."""
    names = words.BOTH_NAMES.get(parts[0])
    if not more and names is None and "/" not in parts[0]:
        return {"command": " ".join(parts)}
    operands = [one for one in parts[1:] if not one.startswith("-")]
    count = 2 if parts[0] in SUBCOMMANDED else 0
    fields: dict[str, object] = {
        "program": names or parts[0].removeprefix("./"),
        "subcommand": " ".join(operands[:count]),
        "flags": [
            flag
            for one in parts[1:]
            if one.startswith("-")
            # `-fdx` is three flags.
            for flag in ([one] if one.startswith("--") else flags_of(parts[0], one))
        ],
        "args": operands[count:],
    }
    return {"command": {key: value for key, value in fields.items() if value} | more}


def same_commands(parts: list[str]) -> tuple[Item, ...]:
    """Write a command with its other names as matchers."""
    found = [command_item(parts)]
    if parts[:2] == ["docker", "compose"]:
        found.append(command_item(["docker-compose", *parts[2:]]))
    elif parts in (["git", "push", "--force"], ["git", "push", "-f"]):
        found.append(command_item(parts[:2], args=["+*"]))
    elif parts[:2] in (["terraform", "destroy"], ["tofu", "destroy"]):
        found.append(command_item([parts[0], "apply", "-destroy", *parts[2:]]))
    return tuple(found)


def commands(thing: Thing, **more: object) -> Thing:
    """Ask more of every command of a thing."""
    items: list[Item] = []
    for item in thing.items:
        value = item.get("command")
        if isinstance(value, str):
            items.append(command_item(command_words(value), **more))
        else:
            items.append({"command": value | more} if isinstance(value, dict) else item)
    return thing._replace(items=tuple(items), whole=False, vague=False)


def but_dry(item: Item) -> Item:
    """Spare a dry run of a command that is known to have one."""
    value: Any = item.get("command")
    if isinstance(value, str):
        parts = command_words(value)
        named = parts[:2]
    elif isinstance(value, dict) and isinstance(value.get("program"), str):
        parts, subcommand = [], value.get("subcommand", "")
        first = subcommand[0] if isinstance(subcommand, list) else subcommand
        named = [value["program"], *first.split()[:1]]
    else:
        return item
    known = len(named) > 1 and named[1] in words.DRY_RUNS.get(named[0], ())
    if not known or "--dry-run" in str(value):
        return item
    if parts:
        return command_item(parts, without=["--dry-run"])
    return item | {"command": value | {"without": [*value.get("without", ()), "--dry-run"]}}


def is_path(text: str, *, code: bool) -> bool:
    """Whether a word or span is a path or a glob."""
    if not _PATH.fullmatch(text) or "//" in text or text.startswith(("-", "@")):
        return False
    name = text.rstrip("/").rpartition("/")[2]
    ending = re.fullmatch(r"[\w@*-][\w.@*-]*\.(\w+)", name)
    if name in words.FILE_NAMES or re.fullmatch(r"\.[a-z][\w.*]+", text):
        return True
    if ending is not None and ending[1].lower() in words.FILE_ENDINGS:
        return True
    if "/" not in text.strip("/"):
        return (len(text) > 1 and text[-1] == "/") or text[0] in "/~"
    first = text.removeprefix("./").partition("/")[0]
    shaped = text[-1] == "/" or text[0] in "./~" or "*" in text
    return shaped or code or first in words.FOLDERS


def globs_of(text: str) -> list[str]:
    """Write a path as gitignore globs; a folder means all that lies in it."""
    plain = re.sub(r"^\*/", "**/*/", text.removeprefix("./"))
    bare = plain.rstrip("/")
    name = bare.rpartition("/")[2]
    if plain in (".env", ".env*"):
        return [".env", ".env.*"]
    if re.fullmatch(r"\.\w+", bare) and bare[1:].lower() in words.FILE_ENDINGS - {"env"}:
        return [f"*{bare}"]
    if plain == bare and ("." in name[1:] or name in words.FILE_NAMES or "*" in name):
        return [bare]
    if plain.startswith("/"):
        # A glob that begins with a slash also means the folder of that name in the repository.
        return [f"{bare}/**", f"!{bare[1:]}/**"]
    return [f"{bare}/**" if "/" in bare or bare[0] in "~*" else f"**/{bare}/**"]


def _globs_from(text: str, folder: str) -> list[str]:
    """Write a path as globs that count from the folder of its instruction file if it names it."""
    parts = folder.split("/") if folder else []
    leads = ("/".join(parts[at:]) + "/" for at in range(len(parts)))
    lead = next((one for one in leads if text.removeprefix("./").startswith(one)), None)
    if lead is None:
        return globs_of(text)
    # What stands right in that folder is no other of the same name deeper down.
    globs = globs_of(text.removeprefix("./").removeprefix(lead) or "**")
    return [one.removeprefix("**/") for one in globs]


def all_but(globs: list[str]) -> list[str]:
    """Write what lies outside; a folder is spared where it stands, not wherever it is named."""
    return ["**", *(f"!{one.removeprefix('**/')}" for one in globs)]


def read_paths(
    pieces: Pieces,
    at: int,
    known: Surroundings = NOWHERE,
    *,
    named: bool = False,
    touched: bool = False,
) -> tuple[list[str], int] | None:
    """Read paths, globs, kinds of files and named folders as globs.

    Behind "files in" (`named`) any name in code or with a slash is a folder, and what is `touched`
    is a file if it is code with a full stop, whatever its ending: `project.pbxproj`.
    """

    def read(ones: Pieces, place: int) -> tuple[list[str], int] | None:
        place = skip(ones, place, words.DETERMINERS)
        if place >= len(ones) or ones[place].mark:
            return None
        piece, following = ones[place], word_at(ones, place + 1)
        end = skip(ones, place + 1, _FILE_WORDS, _FOLDER_WORDS)
        kind = words.FILE_KINDS.get(piece.word.rstrip("s"))
        if word_at(ones, place - 1) in _DEFINITE and (piece.word, following) in _MANY:
            return None
        if kind and (following in _FILE_WORDS or piece.word.startswith("lockfile")):
            return list(kind), end
        dotted = touched and piece.code and re.fullmatch(r"[\w.-]+\.[a-z]\w{1,9}", piece.text)
        if dotted or is_path(piece.text, code=piece.code or named):
            return _globs_from(piece.text, known.folder), end
        # "Fake directories" are a kind of them, "the fixtures directories" are some that are known.
        known_ones = piece.code or word_at(ones, place - 1) in _DEFINITE
        several = following.endswith("s") and not known_ones
        called = following in _FOLDER_WORDS and piece.text.lower() not in _NO_FOLDER | STOPS
        called = called and not several
        if (called or (named and piece.code)) and re.fullmatch(r"[\w.-]+", piece.text):
            return globs_of(f"{piece.text}/"), end
        return None

    found, end = read_list(pieces, at, read)
    globs = list(dict.fromkeys(glob for one in found for glob in one))
    return (globs, end) if globs else None


def read_branches(pieces: Pieces, at: int) -> tuple[list[str], int] | None:
    """Read the names of branches: known ones, those in code, or those called a branch."""
    found, end = read_list(pieces, at, _branch)
    named = list(dict.fromkeys(name for one in found for name in one))
    return (named, end) if named else None


def _branch(pieces: Pieces, at: int) -> tuple[list[str], int] | None:
    at = skip(pieces, at, words.DETERMINERS)
    if at >= len(pieces) or not re.fullmatch(r"[\w./*-]+", pieces[at].text):
        return None
    text, end = pieces[at].text, skip(pieces, at + 1, word_set("branch branches"))
    lower = text.lower()
    if end > at + 1 and lower in words.BRANCH_GROUPS:
        return words.BRANCH_GROUPS[lower], end
    parts = re.sub(r"^(?:origin|upstream)/", "", lower).split("/")
    if all(part in words.BRANCHES for part in parts):
        return parts, end
    # "Feature branches" are a kind of branches, not one with that name.
    called = word_at(pieces, at + 1) == "branch" and lower not in STOPS
    return ([text], end) if (called or pieces[at].code) and lower not in words.REMOTES else None
