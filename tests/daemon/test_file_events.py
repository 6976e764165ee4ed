"""Both ways to notice changes keep one contract."""

from __future__ import annotations

import shutil
import threading
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dmm.daemon.file_events import Notified, Polled, choose_watcher
from dmm.files.durable import write_atomic
from dmm.files.tree import MemoryTree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.conftest import Project
    from tests.daemon.conftest import MakeWatcher

    from dmm.daemon.file_events import Watching

# Far more than is ever needed; a machine that runs the tests may be busy.
SOON = 20.0


class Listener:
    """Collects the hints of a watcher in a thread."""

    def __init__(self, watcher: Watching) -> None:
        self.hints: list[bool] = []
        self.news = threading.Condition()
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self._listen, args=(watcher,))
        self.thread.start()

    def _listen(self, watcher: Watching) -> None:
        for seen in watcher.changes(self.stop):
            with self.news:
                self.hints.append(seen)
                self.news.notify_all()

    def await_hints(self, number: int, *, seen: bool = True) -> bool:
        with self.news:
            return self.news.wait_for(lambda: self.hints.count(seen) >= number, SOON)

    def notices(self, change: Callable[[], object]) -> bool:
        """Make a change in a moment of rest, and wait for the hint that follows."""
        before = self.rest()
        change()
        return self.await_hints(before + 1)

    def rest(self) -> int:
        """Wait until nothing is seen for a while, and count the hints up to then."""
        with self.news:
            self.news.wait_for(lambda: self.hints[-2:] == [False, False], SOON)
            return self.hints.count(True)

    def end(self) -> float:
        started = time.monotonic()
        self.stop.set()
        self.thread.join(SOON)
        assert not self.thread.is_alive()
        return time.monotonic() - started


@pytest.fixture
def listen(make_watcher: MakeWatcher) -> Iterator[Callable[[MemoryTree], Listener]]:
    listeners = []

    def begin(tree: MemoryTree) -> Listener:
        listeners.append(Listener(make_watcher(tree)))
        return listeners[-1]

    yield begin
    for listener in listeners:
        listener.end()


CHANGES: dict[str, Callable[[Path], object]] = {
    "create": lambda memory: (memory / "project" / "new.md").write_text("new"),
    "write": lambda memory: (memory / "project" / "a.md").write_text("another text"),
    "save by rename": lambda memory: write_atomic(memory / "project" / "a.md", b"by rename"),
    "rename": lambda memory: (memory / "project" / "a.md").rename(memory / "project" / "b.md"),
    "delete": lambda memory: (memory / "project" / "a.md").unlink(),
    "deep": lambda memory: (memory / "project" / "sub" / "c.md").write_text("deep"),
    "folder moves": lambda memory: (memory / "project" / "sub").rename(
        memory / "project" / "other"
    ),
    "folder goes": lambda memory: shutil.rmtree(memory / "project"),
    "all goes": lambda memory: memory.rename(memory.with_name("away")),
}


@pytest.mark.parametrize("change", list(CHANGES))
def test_a_change_is_noticed_and_then_there_is_rest(
    project: Project, listen: Callable[[MemoryTree], Listener], change: str
) -> None:
    project.write("project/a.md", "text")
    project.write("project/sub/c.md", "text")
    listener = listen(project.tree)
    before = listener.rest()
    assert before >= 1
    CHANGES[change](project.memory)
    assert listener.await_hints(before + 1)
    after = listener.rest()
    assert listener.rest() == after


def test_files_in_a_new_folder_are_noticed(
    project: Project, listen: Callable[[MemoryTree], Listener]
) -> None:
    listener = listen(project.tree)
    for text in ("text", "other"):
        assert listener.notices(partial(project.write, "project/one/two/three/a.md", text))


def test_a_tree_that_goes_and_returns_is_noticed(
    project: Project, listen: Callable[[MemoryTree], Listener]
) -> None:
    project.write("project/a.md", "text")
    away = project.folder / "away"
    listener = listen(project.tree)
    assert listener.notices(lambda: project.dmm.rename(away))
    assert listener.notices(lambda: away.rename(project.dmm))
    assert listener.notices(lambda: project.write("project/a.md", "another text"))


def test_a_tree_that_comes_later_is_noticed(
    tmp_path: Path, listen: Callable[[MemoryTree], Listener]
) -> None:
    listener = listen(MemoryTree(tmp_path / "later" / "memory"))
    assert listener.await_hints(2, seen=False)
    before = listener.hints.count(True)
    (tmp_path / "later" / "memory").mkdir(parents=True)
    assert listener.await_hints(before + 1)


def test_links_are_not_followed_and_foreign_folders_not_watched(
    project: Project, tmp_path: Path, listen: Callable[[MemoryTree], Listener]
) -> None:
    (tmp_path / "elsewhere").mkdir()
    project.write("project/a.md", "text")
    project.write("global/a.md", "text")
    (project.memory / "global" / "link").symlink_to(tmp_path / "elsewhere")
    (project.memory / "global" / "circle").symlink_to(project.memory)
    listener = listen(MemoryTree(project.memory, ("global", "agent")))
    before = listener.rest()
    (tmp_path / "elsewhere" / "b.md").write_text("b")
    project.write("project/b.md", "text")
    assert listener.rest() == before
    project.write("global/b.md", "text")
    assert listener.await_hints(before + 1)


def test_a_tree_that_is_a_link_is_not_watched(
    project: Project, tmp_path: Path, listen: Callable[[MemoryTree], Listener]
) -> None:
    (tmp_path / "alias").symlink_to(project.memory)
    listener = listen(MemoryTree(tmp_path / "alias"))
    before = listener.rest()
    project.write("project/b.md", "text")
    assert listener.rest() == before


def test_it_ends_within_a_second(
    project: Project, listen: Callable[[MemoryTree], Listener]
) -> None:
    listener = listen(project.tree)
    listener.rest()
    assert listener.end() < 1.0


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        *(("ext4", Notified), ("btrfs", Notified), ("tmpfs", Notified), ("fuseblk", Notified)),
        *(("nfs4", Polled), ("cifs", Polled), ("9p", Polled), ("fuse.sshfs", Polled)),
        *(("vboxsf", Polled), ("drvfs", Polled), ("virtiofs", Polled)),
    ],
)
def test_the_file_system_decides_how_to_watch(tmp_path: Path, kind: str, wanted: type) -> None:
    (tmp_path / "mounts").write_text(
        "/dev/a / ext4 rw 0 0\n"
        "none /mnt/with\\040space ext4 rw 0 0\n"
        f"server:/x /mnt/with\\040space {kind} rw 0 0\n"
        "odd\n"
    )
    tree = MemoryTree(Path("/mnt/with space/shop/.dmm/memory"))
    found = choose_watcher([tree], debounce_ms=1, interval_ms=1, mounts=tmp_path / "mounts")
    assert type(found) is wanted
    other = MemoryTree(Path("/mnt/without/.dmm/memory"))
    found = choose_watcher([other], debounce_ms=1, interval_ms=1, mounts=tmp_path / "mounts")
    assert type(found) is Notified


def test_where_mounts_are_not_told_the_system_is_asked_for_changes(tmp_path: Path) -> None:
    tree = MemoryTree(tmp_path)
    found = choose_watcher([tree], debounce_ms=1, interval_ms=1, mounts=tmp_path / "none")
    assert type(found) is Notified
