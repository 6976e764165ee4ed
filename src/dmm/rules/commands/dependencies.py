"""Dependencies: the packages that a command or an edit of a manifest would add."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from dmm.rules.commands.wordlists import LISTS, names

if TYPE_CHECKING:
    from dmm.rules.commands.values import Invocation, Span, Word

_ADDING = {
    program: names(words) for program, _, words in (row.partition(" ") for row in LISTS["adding"])
}
_VALUED = frozenset({
    "-r", "--requirement", "-c", "--constraint", "-i", "--index-url", "--extra-index-url", "-t",
    "--target", "-e", "--editable", "--group", "-G", "--extras", "-E", "--prefix", "--registry",
    "--features", "-F", "--git", "--branch", "--path", "--dir", "--filter",
})  # fmt: skip
_JAVASCRIPT = frozenset({"npm", "pnpm", "yarn", "bun", "deno"})
# Stands for a package whose name is not known.
ANY_PACKAGE = "*"
_PYTHON_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"
_QUOTED_REQUIREMENT = (
    r"""(?:^|[\[(,])\s*["']([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?\s*"""
    r"""(?:[<>=!~][^"']*)?["']\s*,?\s*(?:#.*)?$"""
)
# A script may begin with `git` or `http-server`, too.
_JSON_ENTRY = (
    r'"((?:@[\w.-]+/)?[\w.-]+)"\s*:\s*"(?:[\^~<>=v]*\d|\*|latest"|git[+@]|https?://'
    r"|(?:workspace|catalog|npm|jsr|git|github|gitlab|bitbucket|gist|file|link|portal|patch):)"
)
_JSON_ALIAS = r'"npm:((?:@[\w.-]+/)?[\w.-]+)'
_TOML_ENTRY = r"""^\s*([A-Za-z0-9_-]+)\s*=\s*(?:["'][\^~<>=*\d]|\{)"""
# What others need is written there by `go mod tidy`.
_GO_ENTRY = (
    r"^\s*(?:require\s+)?([\w.-]+\.[a-z]+/[\w./-]+)\s+v\d\S*"
    r"(?!\S|\s*//\s*indirect\s*(?:;|$))"
)
_GEM_ENTRY = r"""^\s*gem\s+["']([\w-]+)["']"""
_ENTRIES = {
    **dict.fromkeys(("package.json", "composer.json", "deno.json"), (_JSON_ENTRY, _JSON_ALIAS)),
    **dict.fromkeys(("pyproject.toml", "setup.py", "setup.cfg"), (_QUOTED_REQUIREMENT,)),
    **dict.fromkeys(("Cargo.toml", "Pipfile"), (_TOML_ENTRY,)),
    "go.mod": (_GO_ENTRY,),
    "Gemfile": (_GEM_ENTRY,),
}


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
    if manager in _JAVASCRIPT:
        # An alias is named first, the package behind it: `name@npm:package`.
        text = re.sub(r"^(?:@?[^@:]+@)?(?:npm|jsr):", "", text)
    if text.startswith("@"):
        return "@" + text[1:].partition("@")[0]
    if manager in _JAVASCRIPT or manager == "cargo":
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


def _requirement_line(line: str) -> list[str]:
    bare = line.strip()
    name = None if bare.startswith(("#", "-")) else re.match(_PYTHON_NAME, bare)
    return [name.group()] if name else []


def is_manifest(path: str) -> bool:
    """Whether a file names the packages of a project."""
    manifest = path.rpartition("/")[2]
    return manifest in _ENTRIES or manifest.startswith("requirements")


def _line_names(manifest: str, line: str) -> list[str]:
    if manifest.startswith("requirements") and manifest.endswith((".txt", ".in")):
        return _requirement_line(line)
    found = [name for form in _ENTRIES.get(manifest, ()) for name in re.findall(form, line)]
    return list(dict.fromkeys(found))


def declared(path: str, after: str, before: str = "") -> list[DependencyUse]:
    """List the packages that a new text of a manifest names and the old text did not."""
    manifest = path.rpartition("/")[2]
    if not is_manifest(path):
        return []
    known = {name for line in before.splitlines() for name in _line_names(manifest, line)}
    found = []
    at = 0
    for line in after.splitlines(keepends=True):
        bare = line.rstrip("\r\n")
        names = [name for name in _line_names(manifest, bare) if name not in known]
        found += [DependencyUse(name, manifest, (at, at + len(bare))) for name in names]
        at += len(line)
    return found
