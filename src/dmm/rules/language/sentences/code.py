"""Code spans: a command, a flag, a path, or text of a program, by how they look."""

from __future__ import annotations

import re
from typing import NamedTuple

from dmm.rules.language.sentences import words
from dmm.rules.language.sentences.constructs import looks_like_code

Item = dict[str, object]
_PLACEHOLDER = re.compile(r"<.*>|\[.*\]|\{.*\}|\.\.\.|…|[A-Z][A-Z_]{2,}|\*+")
_PROGRAM = re.compile(r"(?:[\w.~-]*/)*[a-z][a-z0-9._+-]*")
_ARGUMENT = re.compile(r"[\w@./:=+~^*%,$#{}-]+")
_FLAG = re.compile(r"--?[A-Za-z][\w:.-]*(?:=\S*)?")
_PATH = re.compile(r"[\w./*?~@${}\[\]-]+")
_FILE = re.compile(r"[\w@*-][\w.@*-]*\.(\w+)")
# A command never begins with these; a program in a language does.
_KEYWORDS = words.word_set(
    """export import from as any let const var type interface class def function fn pub async await
    return new if else for while try catch except raise throw public private static use enum struct
    impl match package with global del not in is and or null none true false void"""
)
_NO_PATH = words.word_set("and/or read/write client/server input/output ci/cd i/o n/a true/false")


class Surroundings(NamedTuple):
    """What a caller knows of the repository: its folders, its programs, where a sentence stood."""

    folders: frozenset[str] = frozenset()
    programs: frozenset[str] = frozenset()
    file: str = ""
    folder: str = ""


NOWHERE = Surroundings()


def command_words(text: str) -> list[str]:
    """Split a command as written, without prompt and placeholders."""
    written = text.removeprefix("$ ").split()
    return [one for one in written if not _PLACEHOLDER.fullmatch(one)]


def is_flag(text: str) -> bool:
    """Whether a span is one option."""
    return bool(_FLAG.fullmatch(text))


def is_command(text: str, verb: str, known: Surroundings = NOWHERE) -> bool:
    """Whether a span is a command, given the verb that stands before it."""
    parts = command_words(text)
    if not parts or not _PROGRAM.fullmatch(parts[0]) or parts[0] in _KEYWORDS:
        return False
    rest = parts[1:]
    if not all(_ARGUMENT.fullmatch(one) for one in rest):
        return False
    name = parts[0].rpartition("/")[2]
    known_name = name in words.PROGRAMS or name in known.programs
    if any(is_flag(one) for one in rest):
        return known_name or verb in ("run", "use", "")
    if not rest:
        sure = known_name and (name not in words.AMBIGUOUS or verb == "run")
        return sure or (verb == "run" and "." not in name and not looks_like_code(name))
    if known_name:
        return True
    return verb in ("run", "use") and all(re.fullmatch(r"[a-z][\w:.-]*", one) for one in rest)


def path_of(text: str, *, code: bool, known: Surroundings = NOWHERE) -> bool:
    """Whether a word or span is a path or a glob."""
    if not _PATH.fullmatch(text) or "//" in text or text.startswith(("-", "@")):
        return False
    if text.lower() in _NO_PATH or text in ("*", "**", ".", "/", "..."):
        return False
    name = text.rstrip("/").rpartition("/")[2]
    ending = _FILE.fullmatch(name)
    if name in words.FILE_NAMES or text.startswith(".env") or re.fullmatch(r"\.[a-z]\w+", text):
        return not looks_like_code(text) or text.startswith(".")
    if ending is not None and ending[1].lower() in words.FILE_ENDINGS:
        return True
    first = text.removeprefix("./").partition("/")[0]
    if "/" not in text:
        return text in known.folders or (code and "*" in text and "." in text)
    if text.endswith("/") or text.startswith(("./", "~/", "/")) or "*" in text:
        return True
    return code or first in words.FOLDERS or first in known.folders or first.startswith(".")


def globs_of(text: str) -> list[str]:
    """Write a path as gitignore globs; a folder means all that lies in it."""
    plain = text.removeprefix("./")
    if plain in (".env", ".env*"):
        return [".env", ".env.*"]
    bare = plain.rstrip("/")
    name = bare.rpartition("/")[2]
    if re.fullmatch(r"\.\w+", name) and name[1:].lower() in words.FILE_ENDINGS - {"env"}:
        return [f"*{bare}"]
    is_file = "." in name[1:] or name in words.FILE_NAMES or "*" in name
    if is_file and not plain.endswith("/"):
        return [bare]
    if plain.startswith("/"):
        # A glob that begins with a slash also means the folder of that name in the repository.
        return [f"{bare}/**", f"!{bare[1:]}/**"]
    if plain.startswith(("~", "*")):
        return [f"{bare}/**"]
    return [f"**/{bare}/**"] if "/" not in bare else [f"{bare}/**"]


def command_item(parts: list[str], **more: object) -> Item:
    """Write a command as a matcher: the short form, or a mapping where more is asked of it."""
    names = words.BOTH_NAMES.get(parts[0])
    if not more and names is None:
        return {"command": " ".join(parts)}
    operands = [one for one in parts[1:] if not one.startswith("-")]
    flags = [one for one in parts[1:] if one.startswith("-")]
    subs = operands if parts[0] in words.SUBCOMMANDED else []
    fields: dict[str, object] = {"program": names or parts[0]}
    if subs:
        fields["subcommand"] = " ".join(subs[:2])
    rest = operands[2:] if subs else operands
    if flags:
        fields["flags"] = flags
    if rest:
        fields["args"] = rest
    return {"command": fields | more}


def same_commands(parts: list[str]) -> tuple[Item, ...]:
    """Write a command with its other names as matchers."""
    found = [command_item(parts)]
    if parts[:2] == ["docker", "compose"]:
        found.append(command_item(["docker-compose", *parts[2:]]))
    elif parts[0] == "docker-compose":
        found.append(command_item(["docker", "compose", *parts[1:]]))
    elif parts in (["git", "push", "--force"], ["git", "push", "-f"]):
        found.append(command_item(parts[:2], args=["+*"]))
    elif parts[:2] in (["terraform", "destroy"], ["tofu", "destroy"]):
        found.append(command_item([parts[0], "apply", "-destroy", *parts[2:]]))
    return tuple(found)
