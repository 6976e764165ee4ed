"""The imports of a file, as candidate paths."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_TARGETS = 400
MAX_NAMES = 40

_PYTHON = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]*)[ \t]+import[ \t]+(\([^)]{0,4000}\)|[^\n#]{0,500})"
    r"|import[ \t]+([^\n#]{0,500}))",
    re.MULTILINE,
)
_SCRIPT = re.compile(r"""(?:from|import|require\()[ \t(]*["']([^"'\n]{1,300})["']""")
_QUOTED = re.compile(
    r'^[ \t]*(?:import[ \t]+)?(?:\w+[ \t]+)?"([\w./@-]{1,300})"[ \t]*$', re.MULTILINE
)
_DOTTED = re.compile(r"^[ \t]*(?:import|using)[ \t]+(?:static[ \t]+)?([\w.]+)", re.MULTILINE)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]{1,300})[">]', re.MULTILINE)
_RUBY = re.compile(
    r"""^[ \t]*(require|require_relative)[ \t(]*["']([^"'\n]{1,300})["']""", re.MULTILINE
)
_RUST = re.compile(r"^[ \t]*(?:pub(?:\([a-z]+\))?[ \t]+)?(use|mod)[ \t]+([\w:]+)", re.MULTILINE)
_PHP = re.compile(r"^[ \t]*use[ \t]+([\w\\]{1,300})", re.MULTILINE)
_SOURCED = re.compile(r"^[ \t]*(?:\.|source)[ \t]+[\"']?([\w./-]{1,300})", re.MULTILINE)


def find_imports(language: str | None, text: str) -> tuple[str, ...]:
    """List what a file imports: `./x` and `../x` from its own folder, `a/b` from anywhere."""
    reader = _READERS.get(language or "")
    if reader is None:
        return ()
    found = dict.fromkeys(target for target in reader(text) if target)
    return tuple(found)[:MAX_TARGETS]


def _python(text: str) -> Iterator[str]:
    for source, names, modules in _PYTHON.findall(text):
        if modules:
            for module in modules.split(",")[:MAX_NAMES]:
                yield _path(module.strip().partition(" ")[0])
            continue
        stem = source.lstrip(".")
        dots = len(source) - len(stem)
        above = ("./" if dots == 1 else "../" * (dots - 1)) if dots else ""
        base = above + _path(stem)
        if stem:
            yield base
        for name in names.strip("() \n").split(",")[:MAX_NAMES]:
            word = name.strip().partition(" ")[0]
            if word.isidentifier():
                yield f"{base}/{word}" if stem else f"{base}{word}"


def _path(dotted: str) -> str:
    return dotted.replace(".", "/")


def _script(text: str) -> Iterator[str]:
    yield from _SCRIPT.findall(text)


def _go(text: str) -> Iterator[str]:
    for path in _QUOTED.findall(text):
        yield f"{path}/"


def _dotted(text: str) -> Iterator[str]:
    for name in _DOTTED.findall(text):
        yield _path(name)


def _included(text: str) -> Iterator[str]:
    for name in _INCLUDE.findall(text):
        yield f"./{name}"
        yield name


def _ruby(text: str) -> Iterator[str]:
    for word, name in _RUBY.findall(text):
        yield f"./{name}" if word == "require_relative" else name


def _rust(text: str) -> Iterator[str]:
    for word, name in _RUST.findall(text):
        parts = [part for part in name.split("::") if part not in ("crate", "self", "super", "")]
        if word == "mod":
            yield f"./{name}"
        else:
            yield "/".join(parts)
            yield "/".join(parts[:-1])


def _php(text: str) -> Iterator[str]:
    for name in _PHP.findall(text):
        yield name.strip("\\").replace("\\", "/")


def _sourced(text: str) -> Iterator[str]:
    for name in _SOURCED.findall(text):
        yield f"./{name}"


_READERS: dict[str, Callable[[str], Iterator[str]]] = {
    "python": _python,
    "javascript": _script,
    "typescript": _script,
    "tsx": _script,
    "go": _go,
    "java": _dotted,
    "c_sharp": _dotted,
    "c": _included,
    "cpp": _included,
    "ruby": _ruby,
    "rust": _rust,
    "php": _php,
    "bash": _sourced,
}
