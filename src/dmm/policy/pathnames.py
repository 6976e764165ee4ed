"""What a path in a text also stands for: its file, its folders and its language."""

from __future__ import annotations

import re
from functools import lru_cache

from dmm.policy.lemmas import base_forms

_EXTENSIONS = {
    "py": "python script code",
    "pyi": "python code",
    "ts": "typescript code",
    "tsx": "typescript code",
    "js": "javascript script code",
    "jsx": "javascript code",
    "mjs": "javascript script code",
    "go": "go code",
    "rs": "rust code",
    "java": "java code",
    "kt": "kotlin code",
    "rb": "ruby script code",
    "php": "php code",
    "c": "c code",
    "h": "c code header",
    "cpp": "c++ code",
    "cs": "c# code",
    "swift": "swift code",
    "sh": "shell bash script code",
    "sql": "sql script code",
    "css": "css stylesheet",
    "scss": "css stylesheet",
    "html": "html",
    "yaml": "yaml config",
    "yml": "yaml config",
    "toml": "toml config",
    "ini": "config",
    "json": "json",
    "xml": "xml",
    "md": "markdown",
    "csv": "csv",
    "txt": "text",
    "lock": "lockfile",
    "proto": "protobuf",
    "tf": "terraform code",
    "png": "image picture",
    "jpg": "image picture",
    "svg": "image picture",
    "pdf": "pdf document",
    "log": "log",
}
_FILE = re.compile(r"[\w./\\@-]*[\w-]\.([a-z]{1,5})\Z")
_NOTHING: frozenset[str] = frozenset()
_BRANCHES = frozenset(("release", "feature", "hotfix", "bugfix", "feat", "releases"))
_DEEPEST = 12


@lru_cache(maxsize=4_096)
def kinds_of_path(text: str) -> frozenset[str]:
    """The words that a path or file name stands for besides itself; none for other names."""
    match = _FILE.match(text)
    known = _EXTENSIONS.get(match.group(1)) if match else None
    *folders, last = text.strip("/").split("/")[:_DEEPEST]
    if folders and folders[0] in _BRANCHES and not known and text[0].isalpha():
        return base_forms(folders[0]) | {"branch"}
    if "://" in text or not (known or _is_path(text, folders)):
        return _NOTHING
    kinds = set(folders)
    kinds.update("/".join(folders[: depth + 1]) for depth in range(len(folders)))
    if known:
        kinds.update(("file", last), known.split())
    if known and any("test" in re.split(r"[._-]", part) for part in (*folders, last)):
        kinds.add("test")
    for folder in folders:
        kinds |= base_forms(folder)
    return frozenset(kinds)


def _is_path(text: str, folders: list[str]) -> bool:
    return len(folders) > 1 or (bool(folders) and text.startswith(("/", "./", "~/")))
