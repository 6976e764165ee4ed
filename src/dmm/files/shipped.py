"""Texts that `dmm init` wrote and nobody has edited, known by their digests.

Every version of a template that was ever shipped is listed in templates/shipped.txt. An untouched
example is never served; an untouched BOOT.md counts as the BOOT.md of this version.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from importlib import resources

BOOT = "BOOT.md"
# Raised when a template is added that earlier indexes hold as a memory in force.
VERSION = "1"
_MEMORY = "memory/"
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}|@TODAY@|@IN_30_DAYS@")


def is_example(body: str) -> bool:
    """Return whether the body of a memory is an untouched example or template."""
    return name_body(body) in _digests(_MEMORY)


def is_boot(digest: str) -> bool:
    """Return whether a BOOT.md with this SHA-256 is as some version of `dmm init` wrote it."""
    return digest in _digests(BOOT)


def example_paths() -> frozenset[str]:
    """Return the paths of all examples below the memory folder."""
    return frozenset(name.removeprefix(_MEMORY) for _, name in _rows() if name != BOOT)


def read_boot(data: bytes | None) -> bytes | None:
    """Return the BOOT text to serve: this version's in place of an untouched older one."""
    if data is None or not is_boot(hashlib.sha256(data).hexdigest()):
        return data
    return (resources.files("dmm.files") / "templates" / BOOT).read_bytes()


def name_body(body: str) -> str:
    """Name a body by its digest; the days that were filled in do not count."""
    text = _DAY.sub("@DAY@", body.strip())
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


@lru_cache(maxsize=2)
def _digests(start: str) -> frozenset[str]:
    return frozenset(digest for digest, name in _rows() if name.startswith(start))


@lru_cache(maxsize=1)
def _rows() -> tuple[tuple[str, str], ...]:
    text = (resources.files("dmm.files") / "templates" / "shipped.txt").read_text("ascii")
    rows = (line.split(" ", 1) for line in text.splitlines())
    return tuple((digest, name) for digest, name in rows)
