"""The index follows the files, however they change and whatever is lost on the way."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from dmm.bootstrap import open_dmm
from dmm.daemon.file_events import Notified, Polled
from dmm.daemon.watch import Clocks, Watch
from dmm.errors import IndexBusy
from dmm.files.durable import write_atomic
from dmm.index.store import IndexStore
from dmm.index.sync import SyncReport

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conftest import HashEmbedder, MemoryText, Project
    from tests.daemon.conftest import MakeWatcher

    from dmm.bootstrap import Dmm
    from dmm.files.tree import MemoryTree

# Far more than is ever needed; a machine that runs the tests may be busy.
SOON = 20.0
DEBOUNCE_MS = 20
INTERVAL_MS = 50

Begin = Callable[..., contextlib.AbstractContextManager[Watch]]


@dataclass(slots=True)
class Indexed:
    """A project with a real index, written by one thread and read by another."""

    project: Project
    dmm: Dmm
    root: Path

    def sync(self, *, stop: threading.Event | None = None) -> SyncReport:
        return self.dmm.indexes.sync()

    def index(self) -> dict[str, str]:
        """Read the hashes of the indexed files."""
        if not self.project.index.exists():
            return {}
        with contextlib.closing(IndexStore.open(self.project.index)) as store:
            return {path: known.content_hash for path, known in store.files().items()}

    def files(self) -> dict[str, str]:
        """Read the hashes of the files as they are."""
        return {
            stamp.path: hashlib.sha256(self.project.tree.read(stamp.path)).hexdigest()
            for stamp in self.project.tree.scan().stamps
        }

    def follows(self, watch: Watch, within: float = SOON) -> bool:
        """Wait until the index says what the files say."""
        end = time.monotonic() + within
        while True:
            done = watch.syncs
            if self.index() == self.files():
                return True
            if not watch.await_sync(done + 1, end - time.monotonic()):
                return False


@pytest.fixture
def indexed(
    project: Project, home: Path, new_embedder: Callable[..., HashEmbedder]
) -> Iterator[Indexed]:
    embedder = new_embedder()
    dmm = open_dmm(start=project.folder, home=home, load_model=lambda: embedder)
    yield Indexed(project, dmm, project.dmm)
    dmm.indexes.close()


@pytest.fixture
def watching() -> Begin:
    @contextlib.contextmanager
    def begin(*arguments: Any) -> Iterator[Watch]:
        watch = Watch(*arguments)
        watch.start()
        try:
            yield watch
        finally:
            assert watch.stop()

    return begin


def test_the_index_follows_every_kind_of_change(
    indexed: Indexed, watching: Begin, memory_text: MemoryText, make_watcher: MakeWatcher
) -> None:
    project = indexed.project
    project.write("project/a.md", memory_text("A"))
    with watching(indexed, make_watcher(project.tree)) as watch:
        assert indexed.follows(watch)
        assert watch.mode == make_watcher(project.tree).mode
        project.write("project/b/c/new.md", memory_text("New"))
        assert indexed.follows(watch)
        project.write("project/a.md", memory_text("A", "Changed in place."))
        assert indexed.follows(watch)
        saved = memory_text("A", "Saved by rename.").encode()
        write_atomic(project.memory / "project/a.md", saved)
        assert indexed.follows(watch)
        (project.memory / "project/b").rename(project.memory / "project/d")
        assert indexed.follows(watch)
        shutil.rmtree(project.memory / "project")
        assert indexed.follows(watch)
        assert indexed.index() == {}
    assert watch.mode == "stopped"


def test_the_watcher_and_its_pace_come_from_the_project(
    indexed: Indexed, watching: Begin, memory_text: MemoryText
) -> None:
    indexed.project.write("project/a.md", memory_text("A"))
    with watching(indexed) as watch:
        assert indexed.follows(watch)
        assert (watch.mode, watch.note, watch.fault) == ("notified", None, None)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_may_change_hundreds_of_files_at_once(
    indexed: Indexed, watching: Begin, memory_text: MemoryText
) -> None:
    project = indexed.project
    environment = {name: value for name, value in os.environ.items() if name[:4] != "GIT_"}

    def git(*arguments: str) -> None:
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        command = ["git", *who, *arguments]
        subprocess.run(command, cwd=project.folder, env=environment, check=True, stdout=-3)

    def write(word: str) -> None:
        for number in range(300):
            ident = f"mem_2026_01_31_{number:03d}"
            text = memory_text(f"{word} {number}", f"{word} {number}", id=ident)
            project.write(f"project/d{number % 7}/{number}.md", text)

    git("init", "-q", "-b", "trunk")
    (project.folder / ".gitignore").write_text(".dmm/index/\n")
    git("add", ".gitignore")
    git("commit", "-q", "-m", "empty")
    for branch in ("one", "two"):
        git("checkout", "-q", "-b", branch, "trunk")
        write(branch)
        git("add", ".")
        git("commit", "-q", "-m", branch)
    with watching(indexed, Notified([project.tree], DEBOUNCE_MS)) as watch:
        assert indexed.follows(watch)
        for branch in ("one", "two", "trunk", "two"):
            git("checkout", "-q", branch)
            assert indexed.follows(watch), branch
        assert len(indexed.index()) == 300


@dataclass
class Counted:
    """A project whose scans only look at the files; a test may hold one up or have it fail."""

    tree: MemoryTree
    root: Path
    dmm: Any = None
    faults: list[Exception] = field(default_factory=list)
    gate: threading.Event = field(default_factory=threading.Event)
    inside: threading.Event = field(default_factory=threading.Event)
    found: int = -1

    def __post_init__(self) -> None:
        self.gate.set()

    def sync(self, *, stop: threading.Event | None = None) -> SyncReport:
        self.inside.set()
        assert self.gate.wait(SOON)
        if self.faults:
            raise self.faults.pop(0)
        self.found = len(self.tree.scan().stamps)
        return SyncReport(total=self.found)

    def sees(self, number: int, watch: Watch) -> bool:
        end = time.monotonic() + SOON
        while self.found != number:
            if not watch.await_sync(watch.syncs + 1, end - time.monotonic()):
                return False
        return True


@pytest.fixture
def counted(project: Project) -> Counted:
    (project.memory / "project").mkdir()
    return Counted(project.tree, project.dmm)


@pytest.mark.slow
def test_twenty_thousand_files_made_while_it_was_held_up_are_all_found(
    counted: Counted, watching: Begin
) -> None:
    with watching(counted, Notified([counted.tree], DEBOUNCE_MS)) as watch:
        assert watch.await_sync(1, SOON)
        counted.gate.clear()
        counted.inside.clear()
        (counted.tree.root / "project" / "first.md").touch()
        assert counted.inside.wait(SOON)
        for number in range(20_000):
            (counted.tree.root / "project" / f"{number}.md").touch()
        counted.gate.set()
        assert counted.sees(20_001, watch)


class Script:
    """A watcher that tells what the test wants, one hint after another."""

    mode = "scripted"

    def __init__(self) -> None:
        self.told: list[bool] = []
        self.taken = 0
        self.news = threading.Condition()

    def changes(self, stop: threading.Event) -> Generator[bool, None, None]:
        while not stop.is_set():
            with self.news:
                self.news.wait_for(lambda: self.told, 0.05)
                if not self.told:
                    continue
                hint = self.told.pop(0)
            yield hint
            with self.news:
                self.taken += 1
                self.news.notify_all()

    def tell(self, hint: bool) -> None:
        """Give a hint and wait until what follows from it is done."""
        with self.news:
            wanted = self.taken + 1
            self.told.append(hint)
            self.news.notify_all()
            assert self.news.wait_for(lambda: self.taken >= wanted, SOON)


class Time:
    """Two clocks that a test moves."""

    def __init__(self) -> None:
        self.now = self.slept = 0.0

    @property
    def clocks(self) -> Clocks:
        return Clocks(lambda: self.now, lambda: 1e9 + self.now + self.slept)


def syncs_after(counted: Counted, watching: Begin, steps: list[tuple[float, bool]]) -> list[int]:
    """Give hints at times, and tell how many scans there were after each."""
    script, moment, seen = Script(), Time(), []
    with watching(counted, script, moment.clocks) as watch:
        for at, hint in steps:
            moment.now = at
            script.tell(hint)
            seen.append(watch.syncs)
    return seen


def test_the_first_scan_needs_no_hint(counted: Counted, watching: Begin) -> None:
    assert syncs_after(counted, watching, [(0.0, False)]) == [1]


def test_a_second_scan_follows_a_hint_and_further_ones_come_at_intervals(
    counted: Counted, watching: Begin
) -> None:
    steps = [(1.0, True), (2.0, False), (3.3, False), (5.0, False), (6.4, False), (9.5, False)]
    assert syncs_after(counted, watching, steps) == [1, 1, 2, 2, 3, 4]


def test_scans_are_rare_where_nothing_happens(counted: Counted, watching: Begin) -> None:
    steps = [(1.0, True), (4.0, False), (62.0, False), (70.0, False), (91.0, False), (93.0, False)]
    assert syncs_after(counted, watching, steps) == [1, 2, 3, 3, 3, 4]


def test_a_machine_that_wakes_up_is_scanned_at_once(counted: Counted, watching: Begin) -> None:
    script, moment = Script(), Time()
    with watching(counted, script, moment.clocks) as watch:
        for at in (0.0, 3.0, 100.0, 110.0):
            moment.now = at
            script.tell(False)
        before = watch.syncs
        moment.now, moment.slept = 111.0, 3_600.0
        script.tell(False)
        assert watch.syncs == before + 1
        moment.now = 112.0
        script.tell(False)
        assert watch.syncs == before + 1


def test_a_scan_that_fails_is_told_and_tried_again_later_and_later(
    counted: Counted, watching: Begin
) -> None:
    script, moment = Script(), Time()
    counted.faults = [IndexBusy("another process is indexing") for _ in range(3)]
    with watching(counted, script, moment.clocks) as watch:
        left = []
        for at in (0.0, 0.4, 0.5, 1.4, 1.5, 3.4, 3.5):
            moment.now = at
            script.tell(False)
            left.append(len(counted.faults))
            assert watch.fault == (None if at == 3.5 else "another process is indexing")
        assert left == [2, 2, 1, 1, 0, 0, 0]
        assert watch.syncs == 1


def test_a_hint_shortens_the_wait_after_failures(counted: Counted, watching: Begin) -> None:
    script, moment = Script(), Time()
    counted.faults = [OSError("no") for _ in range(8)]
    with watching(counted, script, moment.clocks) as watch:
        for at in (0.0, 1.0, 3.0, 6.0, 12.0, 24.0, 48.0, 96.0):
            moment.now = at
            script.tell(False)
        assert (counted.faults, watch.fault) == ([], "no")
        moment.now = 97.0
        script.tell(False)
        assert watch.syncs == 0
        script.tell(True)
        assert (watch.syncs, watch.fault) == (1, None)


def test_a_folder_that_is_not_there_is_no_deletion(
    indexed: Indexed, watching: Begin, memory_text: MemoryText, make_watcher: MakeWatcher
) -> None:
    project = indexed.project
    project.write("project/a.md", memory_text("A"))
    away = project.folder / "away"
    with watching(indexed, make_watcher(project.tree)) as watch:
        assert indexed.follows(watch)
        project.dmm.rename(away)
        # A look that was under way meets another fault first.
        gone = f"{project.dmm}: the folder does not exist now"
        with watch._synced:
            assert watch._synced.wait_for(lambda: watch.fault == gone, SOON)
        away.rename(project.dmm)
        project.write("project/b.md", memory_text("B"))
        assert indexed.follows(watch)
        assert set(indexed.index()) == {"project/a.md", "project/b.md"}
        assert watch.fault is None


EXHAUSTED = """
import resource, sys, threading, types
from pathlib import Path
import watchfiles
from dmm.config import Config
from dmm.daemon.file_events import Notified
from dmm.daemon.watch import Watch
from dmm.files.tree import MemoryTree
from dmm.index.sync import SyncReport

root = Path(sys.argv[1])
tree = MemoryTree(root / "memory")
shelves = [types.SimpleNamespace(tree=tree)]
dmm = types.SimpleNamespace(config=Config(), indexes=types.SimpleNamespace(shelves=shelves))
project = types.SimpleNamespace(root=root, dmm=dmm, sync=lambda stop: SyncReport())
watch = Watch(project, Notified([tree], 20))
# Enough for a look at folders, too little for the notifier.
used = max(int(path.name) for path in Path("/proc/self/fd").iterdir())
resource.setrlimit(resource.RLIMIT_NOFILE, (used + 1, used + 1))
watch.start()
assert watch.await_sync(1, 20)
print(watch.mode, "|", watch.note)
assert watch.stop()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_where_the_notifier_can_not_start_the_files_are_looked_at(counted: Counted) -> None:
    told = subprocess.run(
        [sys.executable, "-c", EXHAUSTED, str(counted.root)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert told.stderr == ""
    mode, _, note = told.stdout.partition(" | ")
    assert mode == "polled"
    assert note.startswith("polling for file changes instead of watching: ")
    assert "Too many open files" in note


@dataclass(frozen=True, slots=True)
class Breaking:
    """A watcher that breaks in a way that nobody foresaw."""

    mode = "breaking"

    def changes(self, stop: threading.Event) -> Generator[bool, None, None]:
        yield True
        raise ValueError("no reason")


def test_a_watcher_that_breaks_is_replaced_by_looking(
    indexed: Indexed, watching: Begin, memory_text: MemoryText
) -> None:
    with watching(indexed, Breaking()) as watch:
        assert watch.await_sync(2, SOON)
        indexed.project.write("project/late.md", memory_text("Late"))
        assert indexed.follows(watch)
        assert watch.mode == "polled"
        assert watch.note == "polling for file changes instead of watching: ValueError"


def test_a_run_that_fails_unforeseen_is_told_and_tried_again(
    counted: Counted, watching: Begin
) -> None:
    counted.faults = [ValueError("no reason")]
    with watching(counted, Polled([counted.tree], INTERVAL_MS)) as watch:
        assert watch.await_sync(1, SOON)
        assert not watch.stopped
        assert watch.fault is None
        assert counted.faults == []


def descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_hundred_starts_and_stops_leave_nothing_behind(counted: Counted) -> None:
    def cycle() -> None:
        watch = Watch(counted, Notified([counted.tree], DEBOUNCE_MS))
        watch.start()
        assert watch.await_sync(1, SOON)
        assert watch.stop()

    def tasks() -> int:
        return sum(1 for _ in Path("/proc/self/task").iterdir())

    cycle()
    before = descriptors(), tasks()
    for _ in range(100):
        cycle()
    # The notifier's own thread ends a moment after it was told to.
    end = time.monotonic() + SOON
    while (descriptors() > before[0] or tasks() > before[1]) and time.monotonic() < end:
        threading.Event().wait(0.01)
    assert descriptors() <= before[0]
    assert tasks() <= before[1]


def test_it_may_be_stopped_before_it_was_started(counted: Counted) -> None:
    assert Watch(counted, Notified([counted.tree], DEBOUNCE_MS)).stop()


def test_a_scan_that_is_under_way_does_not_hold_up_the_stop_for_long(counted: Counted) -> None:
    counted.gate.clear()
    watch = Watch(counted, Notified([counted.tree], DEBOUNCE_MS))
    watch.start()
    assert counted.inside.wait(SOON)
    assert not watch.stop()
    counted.gate.set()
    assert watch.stop()


# The promise is five seconds; other work may go on beside the tests.
WITHIN = 10.0
PLACES = [f"project/{place}" for place in ("a", "b", "x/a", "x/y/b", "z/a")]
NAMES = st.sampled_from(PLACES)
BODIES = st.sampled_from(["One body.", "Two bodies.", "A third, which is longer."])


class AnyChanges(RuleBasedStateMachine):
    """Files change in any order while a watch runs; in the end the index says what they say."""

    memory_text: MemoryText
    new_embedder: Callable[..., HashEmbedder]
    watchers: dict[str, MakeWatcher]
    base: Path
    number = 0

    @initialize(kind=st.runner().flatmap(lambda own: st.sampled_from(list(own.watchers))))
    def begin(self, kind: str) -> None:
        from tests.conftest import Project

        AnyChanges.number += 1
        self.project = Project(self.base / str(self.number))
        self.project.memory.mkdir(parents=True)
        embedder = self.new_embedder()
        dmm = open_dmm(
            start=self.project.folder, home=self.base / "home", load_model=lambda: embedder
        )
        self.indexed = Indexed(self.project, dmm, self.project.dmm)
        self.watch = Watch(self.indexed, self.watchers[kind](self.project.tree))
        self.watch.start()

    def _text(self, name: str, body: str) -> str:
        return self.memory_text(name, body, id=f"mem_2026_01_31_{PLACES.index(name):03d}")

    @rule(name=NAMES, body=BODIES)
    def write(self, name: str, body: str) -> None:
        self.project.write(f"{name}.md", self._text(name, body))

    @rule(name=NAMES, body=BODIES)
    def save(self, name: str, body: str) -> None:
        path = self.project.memory / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, self._text(name, body).encode())

    @rule(name=NAMES)
    def make_and_delete(self, name: str) -> None:
        self.project.write(f"{name}.md", self._text(name, "Short-lived."))
        (self.project.memory / f"{name}.md").unlink()

    @rule(name=NAMES, other=NAMES)
    def move(self, name: str, other: str) -> None:
        target = self.project.memory / f"{other}.md"
        target.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            (self.project.memory / f"{name}.md").replace(target)

    @rule(folder=st.sampled_from(["project", "project/x", "project/x/y", "project/z"]))
    def remove(self, folder: str) -> None:
        shutil.rmtree(self.project.memory / folder, ignore_errors=True)

    @rule()
    def replace_all(self) -> None:
        away = self.project.memory.rename(self.project.dmm / "away")
        self.project.memory.mkdir()
        shutil.rmtree(away)

    @rule()
    def wait_for_a_scan(self) -> None:
        assert self.watch.await_sync(self.watch.syncs + 1, SOON)

    def teardown(self) -> None:
        if hasattr(self, "watch"):
            follows = self.indexed.follows(self.watch, WITHIN)
            assert self.watch.stop()
            self.indexed.dmm.indexes.close()
            assert follows


def test_any_changes_end_in_an_index_of_the_files(
    tmp_path: Path,
    memory_text: MemoryText,
    new_embedder: Callable[..., HashEmbedder],
    watchers: dict[str, MakeWatcher],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "home").mkdir()
    for name, part in {
        "base": tmp_path,
        "memory_text": memory_text,
        "new_embedder": staticmethod(new_embedder),
        "watchers": watchers,
    }.items():
        monkeypatch.setattr(AnyChanges, name, part, raising=False)
    # At its own pace most of the time would be spent waiting for the next scan.
    monkeypatch.setattr(f"{Watch.__module__}.AFTERMATH", 0.3)
    monkeypatch.setattr(f"{Watch.__module__}.PERIOD_ACTIVE", 0.4)
    run_state_machine_as_test(
        AnyChanges, settings=settings(max_examples=15, stateful_step_count=12)
    )
