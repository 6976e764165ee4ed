"""`dmm query` says the same, byte by byte, with the background process and without it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Project
    from tests.daemon.conftest import Machine

pytestmark = pytest.mark.slow

TASK = "store the passwords of customers"


# One command after another, as each would run alone: its own words, its own output, its own end.
COMMANDS = """
import json, os, sys, tempfile
from dmm.cli.main import main

def run(words):
    sys.argv = ["dmm", *words]
    kept = [os.dup(1), os.dup(2)]
    files = [tempfile.TemporaryFile(), tempfile.TemporaryFile()]
    for number, file in enumerate(files, 1):
        os.dup2(file.fileno(), number)
    try:
        code = main() or 0
    except SystemExit as end:
        code = end.code or 0
    sys.stdout.flush()
    sys.stderr.flush()
    told = []
    for number, file in enumerate(files, 1):
        os.dup2(kept[number - 1], number)
        file.seek(0)
        told.append(file.read().decode())
    return code, *told

print(json.dumps([run(words) for words in json.loads(sys.argv[1])]))
"""


@pytest.fixture
def compare(machine: Machine, lived_in: Project) -> Callable[..., Any]:
    """Run commands without the process and then with it."""

    def run(*lines: list[str], within: Path | None = None) -> tuple[list[Any], list[Any]]:
        folder = within or lived_in.folder

        def tell(line: list[str]) -> tuple[int, str, str]:
            done = machine.dmm(*line, within=folder)
            return done.returncode, done.stdout, done.stderr

        def together() -> list[tuple[int, str, str]]:
            """Run all in one process, which says of the first what a process of its own says."""
            done = subprocess.run(
                [sys.executable, "-c", COMMANDS, json.dumps(lines)],
                cwd=folder,
                env=machine.environment(),
                capture_output=True,
                encoding="utf-8",
                timeout=120,
                check=True,
            )
            told = [(code, out, fault) for code, out, fault in json.loads(done.stdout)]
            assert told[0] == tell(lines[0])
            return told

        def tell_all() -> list[tuple[int, str, str]]:
            return [tell(line) for line in lines] if len(lines) < 4 else together()

        without = tell_all()
        machine.start()
        return without, tell_all()

    return run


def test_every_way_to_ask_gives_the_same_bytes(compare: Callable[..., Any]) -> None:
    lines = [
        ["query", TASK],
        ["query", TASK, "--json"],
        ["query", TASK, "--explain"],
        ["query", TASK, "--explain", "--json"],
        ["query", TASK, "--budget", "300"],
        ["query", TASK, "--budget", "0"],
        ["query", TASK, "--baseline-budget", "5"],
        ["query", TASK, "--scope", "project"],
        ["query", TASK, "--precise", "--exclude-ephemeral", "--include-deprecated"],
        ["query", ""],
        ["query", "quarks and gluons"],
        ["query", "naïve Größe 👍 \x1b[31m"],
    ]
    without, through = compare(*lines)
    assert through == without
    assert {code for code, _, _ in without} == {0}
    assert "project/auth/passwords.md" in without[0][1]


def test_faults_are_told_in_the_same_words(compare: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()
    long = "word " * 5000
    lines = [["query", long], ["query", long, "--json"], ["query", TASK, "--root", "/nowhere"]]
    without, through = compare(*lines)
    assert through == without
    assert [code for code, _, _ in without] == [2, 2, 5]


def test_a_folder_without_memory_is_told_the_same(
    compare: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "bare").mkdir()
    without, through = compare(["query", TASK], ["query", TASK, "--json"], within=tmp_path / "bare")
    assert through == without
    assert [code for code, _, _ in without] == [5, 5]


def test_a_named_root_is_found_the_same(
    compare: Callable[..., Any], lived_in: Project, tmp_path: Path
) -> None:
    (tmp_path / "bare").mkdir()
    (lived_in.folder / "src").mkdir()
    (tmp_path / "link").symlink_to(lived_in.folder)
    lines = [
        ["query", TASK, "--root", str(lived_in.folder)],
        ["query", TASK, "--root", str(lived_in.dmm)],
        ["query", TASK, "--root", "../shop"],
        ["query", TASK, "--root", str(tmp_path / "link")],
        ["query", TASK, "--root", str(lived_in.folder / "src")],
    ]
    without, through = compare(*lines, within=tmp_path / "bare")
    assert through == without
    assert [code for code, _, _ in without] == [0, 0, 0, 0, 5]


def test_a_root_in_the_environment_is_found_the_same(
    compare: Callable[..., Any], machine: Machine, lived_in: Project, tmp_path: Path
) -> None:
    (tmp_path / "bare").mkdir()
    machine.more["DMM_ROOT"] = str(lived_in.folder)
    without, through = compare(["query", TASK], within=tmp_path / "bare")
    assert through == without
    assert without[0][0] == 0


def test_settings_count_the_same_also_after_they_change(
    machine: Machine, lived_in: Project
) -> None:
    machine.start()
    settings = lived_in.dmm / "daemon.config.json"
    first = machine.dmm("query", TASK, within=lived_in.folder).stdout
    settings.write_text('{"retrieval": {"default_budget": 300}}')
    held = machine.dmm("query", TASK, within=lived_in.folder).stdout
    assert "changes are inactive until you review them" in held
    assert len(held) > len(first)
    lived_in.trust(machine.home)
    small = machine.dmm("query", TASK, within=lived_in.folder).stdout
    settings.write_text('{"retrieval": {"default_budget": "many"}}')
    lived_in.trust(machine.home)
    wrong = machine.dmm("query", TASK, within=lived_in.folder)
    machine.dmm("daemon", "stop")
    assert machine.dmm("query", TASK, within=lived_in.folder).stderr == wrong.stderr
    assert wrong.returncode == 4
    assert len(small) < len(first)
    settings.write_text('{"retrieval": {"default_budget": 300}}')
    assert machine.dmm("query", TASK, within=lived_in.folder).stdout == small


def test_an_untrusted_project_is_answered_the_same(
    compare: Callable[..., Any], machine: Machine, lived_in: Project
) -> None:
    machine.dmm("ledger", "constraint", "Never run terraform destroy.", within=lived_in.folder)
    (machine.state / "trust.json").unlink()
    without, through = compare(["query", TASK])
    assert through == without
    assert "terraform" not in without[0][1]
    assert "not trusted yet" in without[0][1]


def test_a_file_that_changed_a_moment_ago_is_in_the_answer(
    machine: Machine, lived_in: Project, memory_text: Callable[..., str]
) -> None:
    machine.start()
    machine.dmm("query", TASK, within=lived_in.folder)
    text = memory_text("Zeppelins", "Zeppelins are moored at the northern mast.")
    lived_in.write("project/zeppelins.md", text)
    told = machine.dmm("query", "where are zeppelins moored", within=lived_in.folder)
    assert "northern mast" in told.stdout


def test_one_that_hangs_is_not_waited_for(machine: Machine, lived_in: Project) -> None:
    alone = machine.dmm("query", TASK, within=lived_in.folder)
    pid = machine.start()
    os.kill(pid, signal.SIGSTOP)
    try:
        told = machine.dmm("query", TASK, within=lived_in.folder)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert (told.returncode, told.stdout) == (0, alone.stdout)


def test_one_that_dies_in_the_middle_is_replaced_by_the_command_itself(
    machine: Machine, lived_in: Project, wait: Callable[..., Any]
) -> None:
    alone = machine.dmm("query", TASK, within=lived_in.folder)
    shutil.rmtree(lived_in.dmm / "index")
    pid = machine.start()
    done: list[subprocess.CompletedProcess[str]] = []
    asking = threading.Thread(
        target=lambda: done.append(machine.dmm("query", TASK, within=lived_in.folder))
    )
    asking.start()
    wait(lambda: (lived_in.dmm / "index").exists() or done, "it works on the answer")
    os.kill(pid, signal.SIGKILL)
    asking.join()
    (told,) = done
    assert (told.returncode, told.stdout) == (0, alone.stdout)
