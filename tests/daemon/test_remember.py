"""`dmm remember TEXT` with a background process, which spares it the whole command line."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import dmm

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Project
    from tests.daemon.conftest import Machine

pytestmark = pytest.mark.slow

NOTE = "Use pnpm, not npm, to install packages."
PATH = "project/build/pnpm_not_npm_install_packages.md"
DONE = f"Remembered: {PATH}\n  tags: build, pnpm, npm, install\n  undo: dmm undo 1\n"
DMM = str(Path(sys.executable).with_name("dmm"))

# The command as it is typed, and then whether it loaded the library of the command line.
TYPED = """
import sys
from dmm.cli.main import main
try:
    main()
finally:
    print("typer" in sys.modules, file=sys.stderr)
"""


def remember(machine: Machine, project: Project, *before: str) -> tuple[int, str, str]:
    """Type the command; the last line on the error stream tells how it was carried out."""
    done = subprocess.run(
        [*before, sys.executable, "-c", TYPED, "remember", NOTE],
        cwd=project.folder,
        env=machine.environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def warm_up(machine: Machine, project: Project) -> None:
    """Have the process load all that a note needs, however busy this machine is."""
    machine.ask("reindex", start=str(project.folder))


def test_a_running_process_writes_the_note_and_no_command_line_is_loaded(
    machine: Machine, lived_in: Project
) -> None:
    machine.start()
    warm_up(machine, lived_in)
    assert remember(machine, lived_in) == (0, DONE, "False\n")
    assert NOTE in (lived_in.memory / PATH).read_text()
    served = machine.dmm("query", "install packages with pnpm", within=lived_in.folder).stdout
    assert served.count(NOTE.rstrip(".")) == 1
    code, out, fault = remember(machine, lived_in)
    assert (code, fault) == (1, "False\n")
    assert out.startswith(f"Not remembered: the same text as {PATH}\n")


def test_notes_at_once_are_each_written_once(machine: Machine, lived_in: Project) -> None:
    machine.start()
    notes = [f"The printer on floor {floor} takes paper of {floor} sizes." for floor in range(2, 6)]
    typed = [machine.begin([DMM, "remember", one], within=lived_in.folder) for one in notes]
    assert [one.wait(timeout=120) for one in typed] == [0] * len(notes)
    texts = [one.read_text() for one in lived_in.memory.rglob("*.md")]
    assert [sum(f"\n\n{note}\n" in text for text in texts) for note in notes] == [1] * len(notes)


def test_the_same_note_at_once_is_written_once_and_nobody_is_told_of_an_error(
    machine: Machine, lived_in: Project
) -> None:
    typed = [machine.begin([DMM, "remember", NOTE], within=lived_in.folder) for _ in range(4)]
    assert {one.wait(timeout=120) for one in typed} <= {0, 1}
    texts = [one.read_text() for one in lived_in.memory.rglob("*.md")]
    assert sum(f"\n\n{NOTE}\n" in text for text in texts) == 1


def test_without_a_process_the_command_does_it_in_the_same_words(
    machine: Machine, lived_in: Project
) -> None:
    assert remember(machine, lived_in) == (0, DONE, "True\n")
    assert NOTE in (lived_in.memory / PATH).read_text()
    assert machine.pids() == []


def test_a_process_of_an_earlier_build_answers_and_makes_room(
    machine: Machine, lived_in: Project, tmp_path: Path, wait: Callable[..., Any]
) -> None:
    earlier = tmp_path / "earlier" / "dmm"
    earlier.mkdir(parents=True)
    source = Path(dmm.__file__).parent
    for part in source.iterdir():
        if part.name != "__pycache__":
            (earlier / part.name).symlink_to(part)
    (earlier / "__init__.py").unlink()
    shutil.copy(source / "__init__.py", earlier)
    os.utime(earlier / "__init__.py", (0, 0))
    machine.more["PYTHONPATH"] = str(earlier.parent)
    machine.begin([sys.executable, "-m", "dmm.daemon"])
    wait(machine.listens, "it listens")
    del machine.more["PYTHONPATH"]
    warm_up(machine, lived_in)
    assert remember(machine, lived_in) == (0, DONE, "False\n")
    wait(lambda: not machine.listens(), "it leaves")
    assert "a newer version asks" in machine.dmm("daemon", "logs").stdout


def test_what_the_process_can_not_write_is_told_by_the_command(
    machine: Machine, lived_in: Project, bound: list[str], wait: Callable[..., Any]
) -> None:
    machine.begin([*bound, sys.executable, "-m", "dmm.daemon"])
    wait(machine.listens, "it listens")
    folders = [lived_in.memory, *(one for one in lived_in.memory.rglob("*") if one.is_dir())]
    for folder in folders:
        folder.chmod(0o500)
    code, out, fault = remember(machine, lived_in, *bound)
    for folder in folders:
        folder.chmod(0o700)
    assert (code, out) == (9, "")
    assert fault.startswith("dmm: could not create the folder: Permission denied\n")
    assert fault.endswith("True\n")
    assert not (lived_in.memory / PATH).exists()


def test_an_interruption_while_the_process_is_busy_ends_the_command_and_its_request(
    machine: Machine, lived_in: Project, wait: Callable[..., Any]
) -> None:
    pid = machine.start()
    os.kill(pid, signal.SIGSTOP)
    try:
        typed = machine.begin([DMM, "remember", NOTE], within=lived_in.folder)
        descriptors = Path("/proc") / str(typed.pid) / "fd"
        wait(lambda: any(map(is_socket, descriptors.iterdir())), "it asks")
        typed.send_signal(signal.SIGINT)
        out, fault = typed.communicate(timeout=60)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert (typed.returncode, out) == (130, b"")
    assert fault == b"\ndmm: interrupted; finished work is kept\n"
    warm_up(machine, lived_in)
    assert not (lived_in.memory / PATH).exists()


def test_a_note_that_a_hanging_process_was_asked_for_is_written_once(
    machine: Machine, lived_in: Project
) -> None:
    pid = machine.start()
    warm_up(machine, lived_in)
    os.kill(pid, signal.SIGSTOP)
    try:
        told = machine.dmm("remember", "--anyway", NOTE, within=lived_in.folder)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert told.returncode == 0, told.stderr
    warm_up(machine, lived_in)
    texts = [one.read_text() for one in lived_in.memory.rglob("*.md")]
    assert sum(f"\n\n{NOTE}\n" in text for text in texts) == 1


def is_socket(descriptor: Path) -> bool:
    """Tell whether an open file of a process is a connection."""
    try:
        return str(descriptor.readlink()).startswith("socket:")
    except OSError:
        return False


def test_a_reader_that_goes_away_is_no_fault(machine: Machine, lived_in: Project) -> None:
    machine.start()
    warm_up(machine, lived_in)
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [DMM, "remember", NOTE],
        cwd=lived_in.folder,
        env=machine.environment(),
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=120,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")
    assert NOTE in (lived_in.memory / PATH).read_text()


def test_only_a_plain_note_is_asked_of_the_process_directly(
    machine: Machine, lived_in: Project
) -> None:
    machine.start()
    assert machine.dmm("remember", "--help", within=lived_in.folder).returncode == 0
    empty = machine.dmm("remember", " ", within=lived_in.folder)
    assert (empty.returncode, empty.stdout) == (2, "")
    assert machine.dmm("remember", within=lived_in.folder).returncode == 2
