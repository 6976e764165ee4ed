"""The dmm command as a process among others: signals, pipes, locks, permissions."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from dmm.index.store import IndexStore

if TYPE_CHECKING:
    from tests.conftest import Command, MemoryText, Opener, Project

pytestmark = pytest.mark.slow

INTERRUPTED = """
import os, signal
from dmm.cli.main import main
from dmm.embed.model import Embedder

embed, calls = Embedder.embed_windows, []

def embed_windows(self, windows):
    calls.append(1)
    if len(calls) == 3:
        os.kill(os.getpid(), signal.SIGINT)
    return embed(self, windows)

Embedder.embed_windows = embed_windows
main()
"""
EARLY = """
import os, signal, sys

class Impatient:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            os.kill(os.getpid(), signal.SIGINT)

from dmm.cli.main import main
sys.meta_path.insert(0, Impatient())
main()
"""
WAITING = """
import sys
from dmm.cli.main import main
from dmm.embed.model import Embedder

embed = Embedder.embed_windows

def embed_windows(self, windows):
    print("indexing", file=sys.stderr, flush=True)
    sys.stdin.read()
    return embed(self, windows)

Embedder.embed_windows = embed_windows
main()
"""
# Root may write anywhere; without these powers the permissions hold for root too.
POWERLESS = [
    "setpriv",
    "--bounding-set=-dac_override,-dac_read_search",
    "--inh-caps=-dac_override,-dac_read_search",
]


@pytest.fixture
def notes(project: Project, memory_text: MemoryText) -> Project:
    for number in range(20):
        fields = {"id": f"mem_2026_02_01_{number:03d}"}
        text = memory_text(f"Note {number}", f"Words about number {number}.", **fields)
        os.utime(project.write(f"project/note_{number:02d}.md", text), (1e9, 1e9))
    (project.dmm / "daemon.config.json").write_text('{"indexer": {"batch_size": 5}}')
    return project


def test_an_interrupted_reindex_keeps_what_was_finished_and_the_next_run_goes_on(
    notes: Project, command: Command
) -> None:
    told = command("reindex", within=notes.folder, script=INTERRUPTED)
    assert told.returncode == 130
    assert (told.stdout, told.stderr) == ("", "\ndmm: interrupted; finished work is kept\n")
    store = IndexStore.open(notes.index)
    assert len(store.memories()) == 10
    store.close()
    told = command("reindex", within=notes.folder)
    assert told.returncode == 0
    assert told.stdout.startswith("20 files: 10 indexed, 10 embedded, 0 removed, 0 with faults ")


@pytest.mark.parametrize("module", ["dmm.cli.commands", "typer", "dmm.bootstrap", "numpy"])
def test_an_interruption_while_the_program_loads_is_one_message(
    module: str, lantern: Project, command: Command
) -> None:
    told = command("query", "x", within=lantern.folder, script=EARLY.format(module=module))
    assert told.returncode == 130
    assert (told.stdout, told.stderr) == ("", "\ndmm: interrupted; finished work is kept\n")


def test_the_entry_of_the_program_loads_next_to_nothing(command: Command, lantern: Project) -> None:
    script = "import sys; before = set(sys.modules); import dmm.cli.main; "
    told = command(
        within=lantern.folder, script=script + "print(*sorted(set(sys.modules) - before))"
    )
    loaded = set(told.stdout.split()) - {"__future__", *sys.builtin_module_names}
    assert loaded == {"dmm", "dmm.cli", "dmm.cli.main"}


def test_a_killed_reindex_leaves_an_index_that_the_next_run_completes(
    notes: Project, command: Command
) -> None:
    killed = INTERRUPTED.replace("SIGINT", "SIGKILL")
    told = command("reindex", within=notes.folder, script=killed)
    assert told.returncode == -signal.SIGKILL
    told = command("reindex", within=notes.folder)
    assert told.stdout.startswith("20 files: 10 indexed, 10 embedded, 0 removed, 0 with faults ")


def test_a_second_reindex_is_told_who_is_at_work_and_a_query_still_answers(
    notes: Project, command: Command
) -> None:
    first = subprocess.Popen(
        [sys.executable, "-c", WAITING, "reindex"],
        cwd=notes.folder,
        env=command.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert first.stdin is not None
    assert first.stdout is not None
    assert first.stderr is not None
    try:
        assert first.stderr.readline() == "indexing\n"
        second = command("reindex", within=notes.folder)
        asked = command("query", "words about number 7", within=notes.folder)
    finally:
        first.stdin.close()
        counted = first.stdout.read()
        assert first.wait(timeout=60) == 0
        first.stdout.close()
        first.stderr.close()
    assert (second.returncode, second.stdout) == (10, "")
    lock = notes.index.with_name("index.lock").resolve()
    assert second.stderr == (
        f"dmm: another process is indexing (process {first.pid})\n"
        f"  where: {lock}\n"
        "  hint:  wait until it has finished, then retry\n"
    )
    assert asked.returncode == 0
    assert "> Notice: another process is indexing; the newest changes may be" in asked.stdout
    assert counted.startswith("20 files: 20 indexed, ")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [["--version"], ["query", "sessions", "--json"]])
def test_a_reader_that_goes_away_is_no_reason_to_complain(
    arguments: list[str], unbuffered: str, lantern: Project, command: Command
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    told = subprocess.run(
        command.line(*arguments),
        cwd=lantern.folder,
        env=command.environment({"PYTHONUNBUFFERED": unbuffered}),
        stdout=writer,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    os.close(writer)
    assert (told.returncode, told.stderr) == (1, b"")


def test_the_first_line_of_a_pack_can_be_cut_off_by_a_pipe(
    lantern: Project, command: Command
) -> None:
    told = subprocess.run(
        ["sh", "-c", f"'{command.line()[0]}' query sessions --budget 9000 | head -1"],
        cwd=lantern.folder,
        env=command.environment(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (told.stdout, told.stderr) == (b"# DMM Memory Pack\n", b"")


def powerless() -> list[str]:
    """Give the words that make permissions hold, or skip where there is no way to say them."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root ignores permissions, and there is no setpriv to change that")
    if subprocess.run([*POWERLESS, "true"], capture_output=True, check=False).returncode:
        pytest.skip("root ignores permissions, and may not give that up here")
    return POWERLESS


def test_a_project_that_can_only_be_read_is_read(shop: Project, command: Command) -> None:
    before = powerless()
    folders = [shop.folder, *(path for path in shop.folder.rglob("*") if path.is_dir())]
    for path in (*folders, shop.index):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        told = command("query", "how long does a session live", within=shop.folder, before=before)
        reindex = command("reindex", within=shop.folder, before=before)
        output = command("query", "x", "--output", "p.md", within=shop.folder, before=before)
        status = command("status", within=shop.folder, before=before)
    finally:
        for path in folders:
            path.chmod(0o755)
    assert (told.returncode, told.stderr) == (0, "")
    assert "### [baseline/identity.md] (relevance: baseline)\n" in told.stdout
    assert "#### [project/auth/sessions.md] (relevance: " in told.stdout
    where = shop.index.resolve()
    assert (
        f"> Notice: the index could not be updated: {where}: the index can't be written"
    ) in told.stdout
    assert reindex.returncode == 9
    assert "hint:  make the folder writable, then: dmm reindex\n" in reindex.stderr
    assert output.returncode == 9
    assert "dmm: could not write the file: Permission denied\n" in output.stderr
    assert status.returncode == 0


def test_a_project_without_a_place_for_its_index_is_searched_in_memory(
    shop: Project, command: Command
) -> None:
    shutil.rmtree(shop.dmm / "index")
    (shop.dmm / "index").write_text("not a folder")
    told = command("query", "how long does a session live", within=shop.folder)
    assert (told.returncode, told.stderr) == (0, "")
    assert "#### [project/auth/sessions.md] (relevance: " in told.stdout
    assert "> Notice: the index is held in memory only: " in told.stdout


def test_a_file_that_may_not_be_read_is_a_fault_of_its_own(shop: Project, command: Command) -> None:
    before = powerless()
    closed = shop.memory / "project" / "jobs" / "mail_to_customers.md"
    closed.chmod(0)
    told = command("reindex", within=shop.folder, before=before)
    assert told.returncode == 1
    assert "  project/jobs/mail_to_customers.md: unreadable: Permission denied\n" in told.stdout
    asked = command("query", "how long does a session live", within=shop.folder, before=before)
    assert "### [baseline/identity.md] (relevance: baseline)\n" in asked.stdout
    assert "#### [project/auth/sessions.md] (relevance: " in asked.stdout


def test_a_home_that_may_not_be_entered_joins_nothing(shop: Project, command: Command) -> None:
    before = powerless()
    (command.home / ".dmm" / "memory").mkdir(parents=True)
    (command.home / ".dmm").chmod(0)
    try:
        told = command("query", "sessions", within=shop.folder, before=before)
    finally:
        (command.home / ".dmm").chmod(0o755)
    assert (told.returncode, told.stderr) == (0, "")
    assert "> Notice" not in told.stdout


def test_a_query_leaves_an_index_that_others_can_read(command: Command, shop: Project) -> None:
    for name in shop.index.parent.iterdir():
        name.unlink()
    assert command("query", "failed login attempts", within=shop.folder).returncode == 0
    assert [path.name for path in shop.index.parent.glob("*-wal")] == []
    assert "unreadable" not in command("status", within=shop.folder).stdout


def test_what_waits_is_told_where_nothing_can_be_written(
    shop: Project, command: Command, open_project: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = powerless()
    state = {"DMM_STATE_DIR": str(command.home / "state")}
    monkeypatch.setenv("DMM_STATE_DIR", state["DMM_STATE_DIR"])
    dmm = open_project(shop)
    dmm.proposals.create("project/lamp.md", "# Lamp\n\nIt is red.", "seen")
    names = ("project/auth/sessions.md", "project/payments/money_in_cents.md")
    dmm.conflicts.flag(names, "both can't be")
    dmm.close()
    paths = [shop.dmm, *shop.dmm.rglob("*")]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    held = {path: path.stat().st_mtime_ns for path in paths}
    try:
        told = [
            command(*words, within=shop.folder, env=state, before=before)
            for words in (
                ("review", "list"),
                ("review", "show", "1"),
                ("conflicts", "list"),
                ("conflicts", "show", "3"),
                ("review", "reject", "1", "--reason", "no"),
            )
        ]
    finally:
        for path in paths:
            path.chmod(0o755 if path.is_dir() else 0o644)
    assert [(one.returncode, one.stderr) for one in told[:4]] == [(0, "")] * 4
    assert "1 proposal awaits review" in told[0].stdout
    assert "tokens" in told[1].stdout
    assert "1 unresolved conflict" in told[2].stdout
    assert "both can't be" in told[3].stdout
    assert told[4].returncode == 9
    assert {path: path.stat().st_mtime_ns for path in [shop.dmm, *shop.dmm.rglob("*")]} == held


@pytest.mark.parametrize("umask", ["022", "000"])
def test_what_is_derived_is_for_this_user_alone_and_what_is_for_git_is_not(
    umask: str, command: Command, project: Project, memory_text: MemoryText
) -> None:
    before = ["sh", "-c", f'umask {umask}; exec "$@"', "sh"]
    shutil.rmtree(project.dmm)
    state = {"DMM_STATE_DIR": str(command.home / "state")}
    lines = [
        ("init",),
        ("query", "how do we log"),
        ("reindex",),
        ("search", "anything"),
        ("ask", "what is this project about"),
        ("remember", "project/lamp.md", "--reason", "seen"),
        ("ledger", "fact", "colour", "red"),
        ("ledger", "backup", "copy.db"),
    ]
    for line in lines:
        command(*line, within=project.folder, env=state, before=before)
    project.write("project/new.md", memory_text())
    found = {
        path.relative_to(project.folder).as_posix(): stat.S_IMODE(path.lstat().st_mode)
        for path in project.folder.rglob("*")
    }
    derived = {
        path: mode
        for path, mode in found.items()
        if path.startswith((".dmm/index", ".dmm/packs", ".dmm/run", ".dmm/ledger.db", "copy.db"))
    }
    assert {".dmm/index/embeddings.db", ".dmm/index/repo.db", ".dmm/packs/last_pack.md"} <= (
        derived.keys()
    )
    assert [path for path, mode in derived.items() if mode & 0o077] == []
    usual = 0o666 & ~int(umask, 8)
    for path in (".dmm/BOOT.md", ".dmm/.gitignore", ".dmm/memory/baseline/identity.md"):
        assert found[path] == usual & 0o644


def test_an_open_index_of_an_earlier_version_is_closed_to_others(
    shop: Project, command: Command
) -> None:
    shop.index.parent.chmod(0o755)
    for file in shop.index.parent.iterdir():
        file.chmod(0o644)
    assert command("query", "sessions", within=shop.folder).returncode == 0
    modes = {stat.S_IMODE(file.stat().st_mode) for file in shop.index.parent.iterdir()}
    assert (stat.S_IMODE(shop.index.parent.stat().st_mode), modes) == (0o700, {0o600})


@pytest.mark.parametrize("kilobytes", [40_000, 100_000, 200_000])
def test_too_little_memory_is_told_in_one_message(
    kilobytes: int, shop: Project, command: Command
) -> None:
    before = ["sh", "-c", f'ulimit -v {kilobytes}; exec "$@"', "sh"]
    told = command("query", "sessions", within=shop.folder, before=before)
    assert (told.returncode, told.stdout) == (9, "")
    limit = kilobytes // 1024
    assert told.stderr == (
        f"dmm: this process may use {limit} MB of memory, but 256 MB are needed\n"
        "  hint:  raise the limit: ulimit -v unlimited\n"
    )


def test_a_query_after_an_interrupted_reindex_answers_and_tells_how_far_it_is(
    notes: Project, command: Command
) -> None:
    config = '{"indexer": {"batch_size": 5, "query_wait_ms": 1}}'
    (notes.dmm / "daemon.config.json").write_text(config)
    assert command("reindex", within=notes.folder, script=INTERRUPTED).returncode == 130
    told = command("query", "words about number 17", within=notes.folder)
    assert (told.returncode, told.stderr) == (0, "")
    assert "> Notice: only 1" in told.stdout
    assert " of 20 memory files are indexed, so some may be missing" in told.stdout
    assert command("reindex", within=notes.folder).returncode == 0
    assert "> Notice" not in command("query", "words about number 17", within=notes.folder).stdout
