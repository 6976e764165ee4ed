"""Dependencies: the packages that a command or an edit of a manifest would add."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from dmm.policy.commands.values import Invocation, Span, Word

_ADDING = {
    "npm": {"install", "i", "add"},
    "pnpm": {"add", "install", "i"},
    "yarn": {"add"},
    "bun": {"add", "install", "i"},
    "deno": {"add"},
    "pip": {"install"},
    "pip3": {"install"},
    "pipx": {"install"},
    "uv": {"add"},
    "poetry": {"add"},
    "pdm": {"add"},
    "pipenv": {"install"},
    "conda": {"install"},
    "cargo": {"add", "install"},
    "go": {"get", "install"},
    "gem": {"install"},
    "bundle": {"add"},
    "composer": {"require"},
    "dotnet": {"add"},
    "mix": {"deps.add"},
    "brew": {"install"},
    "apt": {"install"},
    "apt-get": {"install"},
}
_VALUED = frozenset({
    "-r", "--requirement", "-c", "--constraint", "-i", "--index-url", "--extra-index-url", "-t",
    "--target", "-e", "--editable", "--group", "-G", "--extras", "-E", "--prefix", "--registry",
    "--features", "-F", "--git", "--branch", "--path", "--dir", "--filter",
})  # fmt: skip
# Stands for a package whose name is not known.
ANY_PACKAGE = "*"
_PYTHON_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"
_QUOTED_REQUIREMENT = (
    r"""["']([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?\s*(?:[<>=!~][^"']*)?["']\s*,?\s*(?:#.*)?$"""
)
_JSON_ENTRY = (
    r'"((?:@[\w.-]+/)?[\w.-]+)"\s*:\s*"(?:[\^~<>=v]*\d|\*|latest|workspace:|npm:|git|file:|http)'
)
_TOML_ENTRY = r"""^\s*([A-Za-z0-9_-]+)\s*=\s*(?:["'][\^~<>=*\d]|\{)"""
_GO_ENTRY = r"^\s*(?:require\s+)?([\w.-]+\.[a-z]+/[\w./-]+)\s+v\d"
_GEM_ENTRY = r"""^\s*gem\s+["']([\w-]+)["']"""


class DependencyUse(NamedTuple):
    """One package that would be added, by which manager or manifest, and where that is said."""

    name: str
    source: str
    span: Span


def normal_name(name: str) -> str:
    """Write a package name the way it is compared: lower case, dashes for dots and underscores."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _bare_name(text: str, manager: str) -> str | None:
    """Take the version and the extras off a package argument; none for paths and addresses."""
    if text.startswith((".", "/", "~", "$", "git+")) or "://" in text:
        return None
    if text == ANY_PACKAGE:
        return text
    if manager in ("go", "brew", "apt", "apt-get"):
        return text.partition("@")[0].partition("=")[0]
    if text.startswith("@"):
        return "@" + text[1:].partition("@")[0]
    if manager in ("npm", "pnpm", "yarn", "bun", "deno", "cargo"):
        return text.partition("@")[0] or None
    name = re.match(_PYTHON_NAME, text)
    return name.group() if name else None


def installed(invocation: Invocation) -> list[DependencyUse]:
    """List the packages that an install or add command names."""
    words = invocation.words
    program = invocation.program
    if program == "uv" and len(words) > 1 and words[1].text == "pip":
        words, program = words[1:], "pip"
    if program not in _ADDING:
        return []
    listed = _operands(words[1:])
    if not listed or listed[0].text not in _ADDING[program]:
        return []
    found = []
    for word in listed[1:]:
        name = _bare_name(word.text, program)
        if name:
            found.append(DependencyUse(name, program, invocation.span))
    return found


def _operands(words: tuple[Word, ...]) -> list[Word]:
    found = []
    at = 0
    while at < len(words):
        text = words[at].text
        if text.startswith("-"):
            at += text in _VALUED
        else:
            found.append(words[at])
        at += 1
    return found


def _requirement_line(line: str) -> str | None:
    bare = line.strip()
    name = None if bare.startswith(("#", "-")) else re.match(_PYTHON_NAME, bare)
    return name.group() if name else None


def _entry(pattern: str, line: str) -> str | None:
    found = re.search(pattern, line)
    return found[1] if found else None


def _line_name(manifest: str, line: str) -> str | None:
    if manifest in ("package.json", "composer.json", "deno.json"):
        return _entry(_JSON_ENTRY, line)
    if manifest in ("pyproject.toml", "setup.py", "setup.cfg"):
        return _entry(_QUOTED_REQUIREMENT, line)
    if manifest in ("Cargo.toml", "Pipfile"):
        return _entry(_TOML_ENTRY, line)
    if manifest == "go.mod":
        return _entry(_GO_ENTRY, line)
    if manifest == "Gemfile":
        return _entry(_GEM_ENTRY, line)
    if manifest.startswith("requirements") and manifest.endswith((".txt", ".in")):
        return _requirement_line(line)
    return None


def declared(path: str, after: str, before: str = "") -> list[DependencyUse]:
    """List the packages that a new text of a manifest names and the old text did not."""
    manifest = path.rpartition("/")[2]
    known = {_line_name(manifest, line) for line in before.splitlines()}
    found = []
    at = 0
    for line in after.splitlines(keepends=True):
        name = _line_name(manifest, line.rstrip("\r\n"))
        if name and name not in known:
            found.append(DependencyUse(name, manifest, (at, at + len(line.rstrip("\r\n")))))
        at += len(line)
    return found
