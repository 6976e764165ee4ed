"""Create a project's memory: folders, BOOT, settings and examples."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
from functools import partial
from importlib import resources
from typing import TYPE_CHECKING

from dmm.config import FILE_NAME
from dmm.domain.memory import next_id
from dmm.domain.report import SetupReport
from dmm.errors import DmmError, FileExists, StorageError, UsageError
from dmm.files import durable
from dmm.files.consents import find_consents
from dmm.files.roots import NAME, Root
from dmm.files.tree import TOP_DIRECTORIES
from dmm.private import make_private_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from importlib.resources.abc import Traversable
    from pathlib import Path

    from dmm.files.tree import MemoryTree
    from dmm.files.trusted import TrustStore

PRIVATE = ("index", "packs")
FOLDERS = (*(f"memory/{top}" for top in TOP_DIRECTORIES), "rules", *PRIVATE)
FILES = (("gitignore", ".gitignore"), ("BOOT.md",) * 2, ("policy.md",) * 2, (FILE_NAME,) * 2)
EXAMPLES = 6
EXAMPLE_DAYS = 30
UNTRUSTED = (
    "This memory was not created here, so agents get nothing from it yet. Review "
    "it and decide: dmm trust"
)


def set_up(project: Path, *, day: dt.date, store: TrustStore | None = None) -> SetupReport:
    """Make what is missing of a project's memory; nothing that exists is ever changed.

    Examples are written only where there is no memory yet: deleted ones stay deleted. A new memory
    is trusted; one that was there before stays what it is.
    """
    if not project.is_dir():
        hint = "name an existing folder, the top of your project"
        raise UsageError("there is no such folder", where=str(project), hint=hint)
    root = Root(project / NAME)
    templates = resources.files("dmm.files") / "templates"
    new = not os.path.lexists(root.folder)
    made = dict.fromkeys(_make_folders(root.folder), True)
    for template, name in FILES:
        data = (templates / template).read_bytes()
        made[name] = _try(partial(durable.create, root.folder / name, data))
    made |= _write_examples(templates / "memory", root.tree, day)
    # A folder that was deleted from a trusted repository: what it held stays agreed to.
    first = new and store is not None and not store.is_trusted(root.folder)
    notice = "" if store is None else settle_trust(store, root.folder, own=new)
    if store is not None:
        # What was just written here is what DMM itself ships.
        fresh_files = [name for name, fresh in made.items() if fresh and not name.endswith("/")]
        with contextlib.suppress(StorageError):
            find_consents(store, root.folder).accept(None if first else fresh_files)
    return SetupReport(
        folder=root.folder,
        created=tuple(name for name, fresh in made.items() if fresh),
        kept=tuple(name for name, fresh in made.items() if not fresh),
        notice=notice,
    )


def keep_in_git(folder: Path) -> None:
    """Add the lines of the shipped .gitignore that are missing, so that Git keeps the memory."""
    path = folder / ".gitignore"
    shipped = (resources.files("dmm.files") / "templates" / "gitignore").read_text("utf-8")
    held = path.read_text("utf-8") if path.exists() else ""
    missing = [line for line in shipped.splitlines() if line not in held.splitlines()]
    if missing:
        text = "\n".join([*held.splitlines(), *missing]) + "\n"
        durable.write_atomic(path, text.encode())


def settle_trust(store: TrustStore, folder: Path, *, own: bool) -> str:
    """Trust a memory that the user made; say why where it is not trusted."""
    try:
        if own:
            store.trust(folder)
    except DmmError as error:
        return f"This memory could not be marked as trusted: {error}"
    return "" if store.is_trusted(folder) else UNTRUSTED


def _try(create: Callable[[], object]) -> bool:
    """Return whether the file is new."""
    try:
        create()
    except FileExists:
        return False
    return True


def _make_folders(folder: Path) -> list[str]:
    created = []
    with durable.translated(folder, "make the memory folder"):
        for name in FOLDERS:
            if not (folder / name).is_dir():
                (folder / name).mkdir(parents=True)
                created.append(f"{name}/")
            if name in PRIVATE:
                make_private_folder(folder / name)
        for made in (folder / "memory", folder, folder.parent):
            durable.sync_directory(made)
    return created


def _write_examples(templates: Traversable, tree: MemoryTree, day: dt.date) -> dict[str, bool]:
    scan = tree.scan()
    if scan.stamps or scan.faults:
        return {}
    values = _values(day)
    made = {}
    for path, template in _walk(templates):
        text = template.read_text("utf-8")
        for placeholder, value in values.items():
            text = text.replace(placeholder, value)
        made[f"memory/{path}"] = _try(partial(tree.create, path, text))
    return made


def _walk(templates: Traversable) -> Iterator[tuple[str, Traversable]]:
    folders = {folder.name: folder for folder in templates.iterdir()}
    for top in TOP_DIRECTORIES:
        if top in folders:
            for file in sorted(folders[top].iterdir(), key=lambda file: file.name):
                yield f"{top}/{file.name}", file


def _values(day: dt.date) -> dict[str, str]:
    """What stands in the examples in place of each placeholder."""
    ids: list[str] = []
    for _ in range(EXAMPLES):
        ids.append(next_id(day, set(ids)))
    values = {f"@ID_{number}@": name for number, name in enumerate(ids, start=1)}
    expires = day + dt.timedelta(days=EXAMPLE_DAYS)
    return values | {"@TODAY@": day.isoformat(), "@IN_30_DAYS@": expires.isoformat()}
