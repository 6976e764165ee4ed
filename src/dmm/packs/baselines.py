"""A project's compiled baseline, cached on disk by hash."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.memory import Scope
from dmm.domain.pack import Baseline
from dmm.errors import DmmError, MemoryFileError, StorageError
from dmm.files import markdown
from dmm.files.durable import write_derived
from dmm.files.shipped import is_example
from dmm.packs.baseline import compile_entry, order
from dmm.packs.render import render_entry
from dmm.packs.token_counts import KeptCounts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dmm.domain.pack import PackEntry
    from dmm.files.consents import Consents
    from dmm.files.roots import Root
    from dmm.files.tree import Scan

SCOPE = Scope.BASELINE.value
MEMORY = "memory/"
KEPT = "baseline_pack.json"
# A file written a moment ago may change again without a new stamp.
RACY_NS = 2_000_000_000


@dataclass(slots=True)
class Baselines:
    """Serves the baseline also where there is no index, no model and no room on the disk.

    Texts always come from the files. What is kept on disk are their token counts, which cost more
    to make than all the rest; a forged count could mislead nobody but the statistics.
    """

    root: Root
    count: Callable[[str], int]
    consents: Consents
    _held: tuple[Scan, Baseline] | None = None

    def compile(self) -> Baseline:
        """Return the compiled baseline; it is compiled again only if a file has changed."""
        scan, held = self.root.tree.scan_top(SCOPE), self.consents.notice()
        if self._held is not None and held is None and self._held[0] == scan:
            return self._held[1]
        files, notices = self._read(scan)
        if held is not None:
            notices.append(held)
            files = self._agreed(files)
        baseline = Baseline(self._compile(files).entries, tuple(notices))
        newest = max((stamp.mtime_ns for stamp in scan.stamps), default=0)
        settled = not notices and time.time_ns() - newest > RACY_NS
        self._held = (scan, baseline) if settled else None
        return baseline

    def _read(self, scan: Scan) -> tuple[dict[str, bytes], list[str]]:
        files: dict[str, bytes] = {}
        notices = [f"{fault}" for fault in scan.faults]
        for path in order(stamp.path for stamp in scan.stamps):
            try:
                files[path] = self.root.tree.read(path)
                if not self.consents.asked:
                    # Else the user's consents say which text counts, and why.
                    markdown.refuse_markers(path, files[path].decode("utf-8", "replace"))
            except DmmError as fault:
                notices.append(f"baseline file left out, {fault}")
        return files, notices

    def _agreed(self, files: Mapping[str, bytes]) -> dict[str, bytes]:
        """Return each file in the text that the user approved."""
        known = [one.removeprefix(MEMORY) for one in self.consents.list_files()]
        paths = {*files, *(one for one in known if one.startswith(f"{SCOPE}/"))}
        texts = {path: self.consents.effective(MEMORY + path) for path in paths}
        return {path: text for path, text in texts.items() if text is not None}

    def _compile(self, files: Mapping[str, bytes]) -> Baseline:
        counts = KeptCounts(self.root, KEPT, self.count)
        counts.load()
        baseline = compile_baseline(files, counts.count)
        if counts.save():
            self._show(baseline)
        return baseline

    def _show(self, baseline: Baseline) -> None:
        """Write the compiled baseline for others to read."""
        shown = "".join(render_entry(entry) for entry in baseline.entries)
        try:
            data = shown.encode("utf-8", "replace")
            write_derived(self.root.make_packs() / "baseline_pack.md", data)
        except StorageError:
            return


def compile_baseline(files: Mapping[str, bytes], count: Callable[[str], int]) -> Baseline:
    """Compile those of the given files that belong to the baseline."""
    paths = order(path for path in files if path.startswith(f"{SCOPE}/"))
    entries = (_entry(path, files[path], count) for path in paths)
    return Baseline(tuple(entry for entry in entries if entry is not None))


def _entry(path: str, data: bytes, count: Callable[[str], int]) -> PackEntry | None:
    try:
        memory = markdown.parse(path, markdown.decode(path, data)).memory
    except MemoryFileError as fault:
        if fault.fault == "merge_conflict":
            return None
        # A rule is not dropped for a slip in its front matter: it is served as it is.
        text = data.decode("utf-8", "replace")
        label = f"this file has a fault and is shown as it stands: {fault}"
        return compile_entry(path, path, text, labels=(label,), count=count)
    if not memory.in_force or is_example(memory.body):
        return None
    return compile_entry(path, memory.title, memory.body, memory_id=memory.id, count=count)
