"""The baseline of a project: compiled from its files, kept on disk, valid by hash."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from dmm.domain.memory import Origin, Scope
from dmm.domain.pack import Baseline, PackEntry
from dmm.errors import MemoryFileError, StorageError
from dmm.files import markdown
from dmm.files.durable import write_atomic
from dmm.retrieval import baseline as rules
from dmm.retrieval.render import FORMAT_VERSION, render_entry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from dmm.files.roots import Root

SCOPE = Scope.BASELINE.value


@dataclass(slots=True)
class Baselines:
    """Serves the baseline also where there is no index, no model and no room on the disk."""

    root: Root
    count: Callable[[str], int]
    _held: tuple[str, Baseline] | None = None

    def compile(self) -> Baseline:
        """Give the compiled baseline; it is compiled again only if a file has changed."""
        files, notices = self._read()
        key = _key(files)
        if self._held is None or self._held[0] != key:
            entries = self._load(key)
            if entries is None:
                entries = self._compile(files)
                self._save(key, entries)
            self._held = key, Baseline(entries)
        return Baseline(self._held[1].entries, tuple(notices))

    def _read(self) -> tuple[dict[str, bytes], list[str]]:
        scan = self.root.tree.scan_top(SCOPE)
        files: dict[str, bytes] = {}
        notices = [f"{fault}" for fault in scan.faults]
        for path in rules.order(stamp.path for stamp in scan.stamps):
            try:
                files[path] = self.root.tree.read(path)
            except MemoryFileError as fault:
                notices.append(f"baseline file left out, {fault}")
        return files, notices

    def _compile(self, files: Mapping[str, bytes]) -> tuple[PackEntry, ...]:
        entries = (self._entry(path, data) for path, data in files.items())
        return tuple(entry for entry in entries if entry is not None)

    def _entry(self, path: str, data: bytes) -> PackEntry | None:
        try:
            memory = markdown.parse(path, markdown.decode(path, data)).memory
        except MemoryFileError as fault:
            # A rule is not dropped for a slip in its front matter: it is served as it stands.
            text = data.decode("utf-8", "replace")
            label = f"this file has a fault and is shown as it stands: {fault}"
            return rules.compile_entry(path, path, text, labels=(label,), count=self.count)
        if not memory.in_force:
            return None
        return rules.compile_entry(
            path, memory.title, memory.body, memory_id=memory.id, count=self.count
        )

    def _load(self, key: str) -> tuple[PackEntry, ...] | None:
        try:
            kept = json.loads((self.root.packs / "baseline_pack.json").read_text("utf-8"))
            if kept["key"] == key:
                return tuple(_revive(values) for values in kept["entries"])
        except (OSError, ValueError, KeyError, TypeError):
            pass
        return None

    def _save(self, key: str, entries: tuple[PackEntry, ...]) -> None:
        kept = json.dumps({"key": key, "entries": [asdict(entry) for entry in entries]})
        shown = "".join(render_entry(entry) for entry in entries)
        try:
            self.root.packs.mkdir(parents=True, exist_ok=True)
            write_atomic(self.root.packs / "baseline_pack.md", shown.encode(), durable=False)
            write_atomic(self.root.packs / "baseline_pack.json", kept.encode(), durable=False)
        except (OSError, StorageError):
            # The cache only saves time; without it the baseline is compiled on every call.
            return


def _key(files: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256(f"baseline-{FORMAT_VERSION}".encode())
    for path, data in files.items():
        digest.update(f"\0{path}\0{len(data)}\0".encode())
        digest.update(data)
    return digest.hexdigest()


def _revive(values: dict[str, Any]) -> PackEntry:
    return PackEntry(
        **{
            **values,
            "scope": Scope(values["scope"]),
            "origin": Origin(values["origin"]),
            "labels": tuple(values["labels"]),
            "citations": (),
        }
    )
