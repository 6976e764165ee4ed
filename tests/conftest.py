"""What many tests share: the model, the token count, memory files and a project to put them in."""

from __future__ import annotations

import contextlib
import datetime as dt
import gc
import hashlib
import importlib
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import numpy as np
import pytest
from coverage import Coverage
from hypothesis import is_hypothesis_test, settings
from tests.eventlog.conftest import traced
from tests.models.conftest import server

from dmm.bootstrap import now, open_dmm
from dmm.embed.model import Embedder
from dmm.embed.pairs import PairModel
from dmm.embed.tokens import TokenCounter
from dmm.files.consents import find_consents
from dmm.files.roots import Root
from dmm.files.tree import MemoryTree
from dmm.files.trusted import TrustStore
from dmm.rules.project_ledger import ProjectLedger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from dmm.bootstrap import Dmm

__all__ = ["server", "traced"]

GIT_SETTINGS = (
    *("user.name=A", "user.email=a@example.org", "commit.gpgsign=false"),
    *("protocol.file.allow=always", "init.defaultBranch=master"),
)

# The machine that runs the tests may be slow; the seed is fixed, so a failure is the same again.
# CI runs the fast tests with "thorough", where a property's own number counts in full
# (`tests/examples.py`), and `make properties` runs all properties with "full".
settings.register_profile("quick", deadline=None, derandomize=True, database=None, max_examples=25)
settings.register_profile("thorough", parent=settings.get_profile("quick"))
settings.register_profile("full", parent=settings.get_profile("quick"), max_examples=100)
settings.load_profile("quick")

# A shell that runs this in the background ignores SIGINT, and every process started here would too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# What this machine's user runs and trusts is none of the tests' business.
for _name in (
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
    "DMM_STATE_DIR",
    "DMM_IDLE",
    "CLAUDE_PROJECT_DIR",
):
    os.environ.pop(_name, None)
os.environ["DMM_RUN_DIR"] = "/nonexistent/dmm"


# To count which lines are run makes the start of a process half as slow again. So it is done only
# where a process is itself what is tested: the rest of its code is run by other tests in theirs.
COUNTED = (
    "cli/test_main.py",
    "daemon/test_commands.py",
    "daemon/test_life.py",
    "daemon/test_one_process.py",
    "daemon/test_sessions.py",
    "hook",
    "repo",
)
# It doubles the time of what runs the same lines over and over: those are counted elsewhere, once.
REPEATS = "repeats: goes over the same code so often that it is not counted which lines it runs"
SLOW = "slow: kills, power cuts, clients, browsers, many processes; left to `make slow` and CI"


def pytest_configure(config: pytest.Config) -> None:
    for marker in (REPEATS, SLOW):
        config.addinivalue_line("markers", marker)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Collect without a search for garbage: what is made here stays to the end."""
    gc.disable()
    try:
        _load_share(session.config)
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def _load_share(config: pytest.Config) -> None:
    """Load some of the modules first, each worker others: none is compiled by all of them.

    To compile the modules takes twice as long as all else before the first test.
    """
    worker = getattr(config, "workerinput", None)
    if worker is None:
        return
    folders = [config.rootpath / given for given in config.args]
    files = sorted(file for folder in folders for file in folder.rglob("test_*.py"))
    for file in files[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]:
        # What can't be loaded is told where it is collected.
        with contextlib.suppress(Exception, pytest.skip.Exception):
            name = ".".join(file.relative_to(config.rootpath).with_suffix("").parts)
            importlib.import_module(name)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Count which lines a test runs, unless it only repeats what others run."""
    name = item.nodeid.removeprefix("tests/")
    with pytest.MonkeyPatch.context() as patch:
        if not name.startswith(COUNTED):
            patch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)
        counted = Coverage.current()
        if counted is None or not (_is_given(item) or item.get_closest_marker("repeats")):
            return (yield)
        counted.stop()
        try:
            return (yield)
        finally:
            counted.start()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Keep what was counted: a worker that takes more than ten seconds to end is killed."""
    counted = Coverage.current()
    if counted is not None:
        counted.save()


def _is_given(item: pytest.Item) -> bool:
    """Whether a test is run with a hundred inputs that a generator gives."""
    return is_hypothesis_test(getattr(item, "obj", None))


class RememberedModel(Embedder):
    """The real model; of a text that comes again it gives the same vector without a second run.

    Each window is run alone, so its vector depends on nothing but its pieces.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._known: dict[tuple[int, ...], NDArray[np.float32]] = {}

    def _run(self, pieces: Sequence[int]) -> NDArray[np.float32]:
        key = tuple(pieces)
        if key not in self._known:
            self._known[key] = super()._run(pieces)
        return self._known[key].copy()


@pytest.fixture(scope="session")
def model() -> Embedder:
    return RememberedModel.load()


@pytest.fixture(scope="session", autouse=True)
def judge() -> Iterator[None]:
    """Have all projects of this process share the real model of conflicts, loaded once."""
    load = PairModel.load
    packaged = cache(load)

    def share(directory: Path | None = None, *, threads: int | None = None) -> PairModel:
        return load(directory, threads=threads) if directory or threads else packaged()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PairModel, "load", share)
        yield


@pytest.fixture(scope="session")
def slow() -> bool:
    """Whether the tests of durability run at their full size."""
    return os.environ.get("DMM_SLOW_TESTS") == "1"


@pytest.fixture(scope="session")
def count() -> Callable[[str], int]:
    return TokenCounter().count


def git(folder: Path, *words: str) -> str:
    """Run git as nobody in particular, without this machine's settings; tell what it says."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    own |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    settings = [word for setting in GIT_SETTINGS for word in ("-c", setting)]
    command = ["git", *settings, *words]
    done = subprocess.run(
        command, cwd=folder, env=own, check=True, capture_output=True, encoding="utf-8"
    )
    return done.stdout.strip()


@dataclass(frozen=True, slots=True)
class MemoryText:
    """Writes memory files: every required field has a value until a test names another."""

    def __call__(
        self,
        title: str = "Retry policy",
        body: str = "Retry a failed call three times.",
        *,
        without: Sequence[str] = (),
        **fields: str,
    ) -> str:
        values = {
            "id": "mem_2026_01_31_001",
            "tags": "[http, retry]",
            "scope": "project",
            "priority": "0.5",
            "confidence": "active",
            "status": "active",
        } | fields
        lines = [f"{name}: {value}" for name, value in values.items() if name not in without]
        return "\n".join(["---", *lines, "---", "", f"# {title}", "", body, ""])


@pytest.fixture(scope="session")
def memory_text() -> MemoryText:
    return MemoryText()


@dataclass(frozen=True, slots=True)
class Project:
    """A folder with a .dmm tree in it."""

    folder: Path

    @property
    def dmm(self) -> Path:
        return self.folder / ".dmm"

    @property
    def memory(self) -> Path:
        return self.dmm / "memory"

    @property
    def index(self) -> Path:
        return self.dmm / "index" / "embeddings.db"

    @property
    def tree(self) -> MemoryTree:
        return MemoryTree(self.memory)

    def write(self, path: str, text: str | bytes) -> Path:
        """Put a file into the memory folder."""
        target = self.memory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode() if isinstance(text, str) else text)
        return target

    def trust(self, home: Path) -> None:
        """Have the user of a home trust this project, and agree to all that it says now."""
        store = TrustStore.of_user(home)
        store.trust(self.dmm)
        find_consents(store, self.dmm).accept()


@pytest.fixture
def new_project(tmp_path: Path) -> Callable[[str], Project]:
    def make(name: str) -> Project:
        project = Project(tmp_path / name)
        project.memory.mkdir(parents=True)
        return project

    return make


@pytest.fixture
def project(new_project: Callable[[str], Project]) -> Project:
    return new_project("work")


class HashEmbedder(Embedder):
    """A stand-in for the model where speed matters: vectors are made of hashes, not of meaning."""

    def __init__(self, identity: str = "stand-in/1", dimensions: int = 64) -> None:
        self.identity = identity
        self.dimensions = dimensions
        self.max_pieces = 256
        self.windows = 0

    def encode(self, text: str) -> list[int]:
        return [int(hashlib.sha256(word.encode()).hexdigest()[:6], 16) for word in text.split()]

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self._vector(self.encode(text))

    def embed_windows(self, windows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        self.windows += len(windows)
        rows = [self._vector(window) for window in windows]
        return np.array(rows, np.float32).reshape(-1, self.dimensions)

    def _vector(self, pieces: Sequence[int]) -> NDArray[np.float32]:
        seed = hashlib.sha256(f"{self.identity}{list(pieces)}".encode()).digest()
        numbers = np.random.default_rng(list(seed)).standard_normal(self.dimensions)
        return np.asarray(numbers / np.linalg.norm(numbers), np.float32)


@pytest.fixture(scope="session")
def new_embedder() -> Callable[..., HashEmbedder]:
    return HashEmbedder


SAMPLE = Path(__file__).resolve().parent.parent / "tools" / "demo"


@dataclass(frozen=True, slots=True)
class Opener:
    """Opens projects in this process, with the model loaded once and a home of their own."""

    home: Path
    model: Embedder
    opened: list[Dmm] = field(default_factory=list)

    def __call__(
        self,
        project: Project,
        load_model: Callable[[], Embedder] | None = None,
        *,
        trusted: bool = True,
        clock: Callable[[], dt.datetime] = now,
    ) -> Dmm:
        if trusted:
            project.trust(self.home)
        dmm = open_dmm(
            start=project.folder, home=self.home, load_model=load_model or (lambda: self.model)
        )
        dmm = replace(dmm, base=replace(dmm.base, clock=clock))
        self.opened.append(dmm)
        return dmm


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def open_project(home: Path, model: Embedder, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opener]:
    monkeypatch.delenv("DMM_ROOT", raising=False)
    opener = Opener(home, model)
    yield opener
    for dmm in opener.opened:
        dmm.indexes.close()


@dataclass(frozen=True, slots=True)
class Command:
    """Runs the dmm command in a process of its own."""

    home: Path

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        left_out = ("DMM_ROOT", "DMM_RUN_DIR")
        own = {name: value for name, value in os.environ.items() if name not in left_out}
        return own | {"HOME": str(self.home), "COLUMNS": "80"} | dict(more or {})

    def line(self, *arguments: str) -> list[str]:
        return [str(Path(sys.executable).with_name("dmm")), *arguments]

    def __call__(
        self,
        *arguments: str,
        within: Path,
        env: Mapping[str, str] | None = None,
        before: Sequence[str] = (),
        script: str | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end; a script stands in for it, `before` stands in front of it."""
        line = [sys.executable, "-c", script, *arguments] if script else self.line(*arguments)
        return subprocess.run(
            [*before, *line],
            cwd=within,
            env=self.environment(env),
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )


@pytest.fixture
def command(home: Path) -> Command:
    return Command(home)


@pytest.fixture(scope="session")
def lantern(tmp_path_factory: pytest.TempPathFactory, model: Embedder) -> Project:
    """The sample project, indexed; to be looked at only."""
    base = tmp_path_factory.mktemp("sample")
    project = Project(base / "lantern")
    shutil.copytree(SAMPLE / "project", project.folder)
    shutil.copytree(SAMPLE / "memory", project.memory)
    short_lived = project.memory / "ephemeral" / "checkout_test_fails_at_midnight.md"
    short_lived.write_text(short_lived.read_text().replace("@IN_30_DAYS@", "2999-12-31"))
    os.utime(short_lived, (1e9, 1e9))  # a file of this moment would be read again and again
    dmm = open_dmm(override=project.folder, home=base, load_model=lambda: model)
    dmm.memories.reindex()
    dmm.indexes.close()
    return project


def copy_project(project: Project, folder: Path) -> Project:
    """Copy a project with its index, which counts as made there."""
    shutil.copytree(project.folder, folder, ignore=shutil.ignore_patterns("packs"))
    copied = Project(folder)
    # A copied index is not believed; this one is told that it was made here.
    connection = apsw.Connection(str(copied.index))
    inode = str(copied.index.stat().st_ino)
    connection.execute("UPDATE meta SET value = ? WHERE key = 'file'", (inode,))
    connection.close()
    return copied


@pytest.fixture
def shop(lantern: Project, tmp_path: Path) -> Project:
    """A copy of the sample project, its index included, that a test may spoil."""
    return copy_project(lantern, tmp_path / "shop")


@pytest.fixture
def clock() -> Callable[[], dt.datetime]:
    """A time that stands."""
    return lambda: dt.datetime(2026, 1, 31, 12, 30, 15, 250_000, tzinfo=dt.UTC)


@pytest.fixture
def project_ledger(tmp_path: Path, clock: Callable[[], dt.datetime]) -> Iterator[ProjectLedger]:
    opened = ProjectLedger(tmp_path / "ledger.db", clock)
    yield opened
    opened.close()


@pytest.fixture
def root(tmp_path: Path) -> Root:
    root = Root(tmp_path / "repository" / ".dmm")
    root.tree.root.mkdir(parents=True)
    return root


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes memories: each has the id of its number, the scope of its folder and enough words."""

    folder: Path
    memory_text: MemoryText
    words: str = " ".join(f"word{number}" for number in range(150))

    def text(self, path: str, number: int = 1, /, body: str = "", **fields: str) -> str:
        """Make the text of a memory; a field that is empty is left out."""
        values = {
            "id": f"mem_2026_01_01_{number:03d}",
            "tags": "[a, b]",
            "scope": path.partition("/")[0],
            "created": "2026-01-01",
        } | fields
        left_out = [name for name, value in values.items() if not value]
        front, _, _ = self.memory_text(without=left_out, **values).partition("# ")
        told = body or f"# Title {number}\n\n{self.words}"
        return f"{front}{told}\n"

    def raw(self, path: str, data: bytes) -> None:
        """Write a file that may hold anything."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)

    def __call__(self, path: str, number: int = 1, /, body: str = "", **fields: str) -> None:
        """Write a memory."""
        self.raw(path, self.text(path, number, body, **fields).encode())


@pytest.fixture
def write(root: Root, memory_text: MemoryText) -> Writer:
    return Writer(root.tree.root, memory_text)


@pytest.fixture(scope="session")
def bound() -> list[str]:
    """What has a command heed the modes of files, also if root runs it."""
    if sys.platform != "linux":
        pytest.skip("modes are heeded as on Linux")
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("setpriv is not installed")
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 256 KiB, to be filled."""
    disk = tmp_path / "disk"
    disk.mkdir()
    options = ["-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)]
    done = subprocess.run(["mount", *options], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no disk can be mounted here: {done.stderr.strip()}")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def fill(disk: Path) -> None:
    """Fill a small disk to the last page."""
    with (disk / "fill").open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(bytes(4096)):
            pass
