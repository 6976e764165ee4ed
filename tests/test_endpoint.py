"""Where the background process listens, who may be believed there, and how few bytes reach it."""

from __future__ import annotations

import os
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dmm import VERSION, endpoint
from dmm.bootstrap import own_home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("DMM_RUN_DIR", str(folder))
    return folder


@pytest.fixture
def listen(run: Path) -> Iterator[Callable[[bytes], list[bytes]]]:
    """Stand in for the process: take one request and say something."""
    listener = socket.socket(socket.AF_UNIX)
    threads: list[threading.Thread] = []

    def start(reply: bytes) -> list[bytes]:
        listener.bind(str(run / "dmm.sock"))
        listener.listen()
        heard: list[bytes] = []

        def serve() -> None:
            link, _ = listener.accept()
            with link:
                heard.append(link.recv(1 << 16))
                link.sendall(reply)

        threads.append(threading.Thread(target=serve))
        threads[0].start()
        return heard

    yield start
    for thread in threads:
        thread.join()
    listener.close()


def test_the_folders_follow_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DMM_RUN_DIR", "DMM_STATE_DIR", "XDG_RUNTIME_DIR", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/home/ada")
    assert endpoint.state_folder() == "/home/ada/.local/state/dmm"
    assert endpoint.state_folder("/home/bob") == "/home/bob/.local/state/dmm"
    assert endpoint.run_folder() == "/home/ada/.local/state/dmm/run"
    monkeypatch.setenv("XDG_STATE_HOME", "relative/is/ignored")
    assert endpoint.state_folder() == "/home/ada/.local/state/dmm"
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/7")
    assert endpoint.state_folder() == "/state/dmm"
    assert endpoint.run_folder() == "/run/user/7/dmm"
    monkeypatch.setenv("DMM_STATE_DIR", "/mine")
    monkeypatch.setenv("DMM_RUN_DIR", "/r")
    assert (endpoint.state_folder(), endpoint.run_folder()) == ("/mine", "/r")


def test_an_empty_home_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DMM_STATE_DIR", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("HOME")
    home = str(Path.home())
    monkeypatch.setenv("HOME", "")
    assert endpoint.home_folder() == home
    assert endpoint.state_folder() == f"{home}/.local/state/dmm"
    assert str(own_home()) == home
    monkeypatch.setattr("os.getuid", lambda: 4_000_000)
    assert endpoint.home_folder() == "/"
    monkeypatch.delenv("HOME")
    assert str(own_home()) == "/"


def test_a_folder_too_long_for_a_socket_has_a_short_one_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DMM_STATE_DIR", str(tmp_path / "state"))
    found = set()
    for name in ("/" + "a" * 91, "/" + "b" * 120, "/ü" * 60):
        monkeypatch.setenv("DMM_RUN_DIR", name)
        folder = endpoint.run_folder(make=True)
        assert folder.startswith(f"/tmp/dmm-{os.getuid()}-")
        assert len(os.fsencode(folder + "/dmm.sock")) < 100
        assert endpoint.run_folder() == folder
        found.add(folder)
    assert len(found) == 3
    monkeypatch.setenv("DMM_RUN_DIR", "/" + "a" * 89)
    assert endpoint.run_folder() == "/" + "a" * 89


def test_a_short_folder_that_somebody_else_has_taken_is_given_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DMM_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("DMM_RUN_DIR", "/" + "a" * 120)
    first = Path(endpoint.run_folder(make=True))
    first.mkdir(mode=0o700)
    assert endpoint.run_folder() == str(first)
    try:
        # As a folder of somebody else looks: others may write to it.
        first.chmod(0o777)
        second = endpoint.run_folder(make=True)
    finally:
        first.rmdir()
    assert second != str(first)
    assert endpoint.run_folder() == second
    assert {path.name[:4] for path in (tmp_path / "state").iterdir()} == {"run-"}


@pytest.mark.parametrize("kept", [b"", b"/etc", b"/tmp/dmm-0-../../etc", b"\xff" * 200])
def test_a_name_that_can_not_be_a_short_folder_is_not_believed(
    kept: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DMM_STATE_DIR", str(tmp_path))
    monkeypatch.setenv("DMM_RUN_DIR", "/" + "a" * 120)
    endpoint.run_folder(make=True)
    (name,) = tmp_path.iterdir()
    name.write_bytes(kept)
    assert endpoint.run_folder().startswith(f"/tmp/dmm-{os.getuid()}-")
    assert endpoint.run_folder().rpartition("-")[2].isalnum()


def test_a_private_folder_is_made_and_closed_to_others(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "own"
    endpoint.make_private(str(folder))
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o755)
    endpoint.make_private(str(folder))
    assert folder.stat().st_mode & 0o777 == 0o700
    (tmp_path / "link").symlink_to(folder)
    with pytest.raises(PermissionError, match="not a folder of this user"):
        endpoint.make_private(str(tmp_path / "link"))
    (tmp_path / "file").write_text("")
    with pytest.raises(FileExistsError):
        endpoint.make_private(str(tmp_path / "file"))


def test_a_request_is_one_line_and_a_body(listen: Callable[[bytes], list[bytes]]) -> None:
    heard = listen(b"+the answer")
    assert endpoint.ask("hook", "codex", b"body", timeout=10) == b"the answer"
    assert heard == [f"DMM1 {endpoint.version()} hook codex 4\nbody".encode()]
    assert endpoint.version().startswith(f"{VERSION}.")


@pytest.mark.parametrize("reply", [b"", b"the answer", b"HTTP/1.1 400 Bad Request\r\n\r\n"])
def test_what_has_no_mark_is_no_answer(
    listen: Callable[[bytes], list[bytes]], reply: bytes
) -> None:
    listen(reply)
    assert endpoint.ask("hook", "codex", b"body", timeout=10) is None


def test_a_call_is_plain_data_both_ways(listen: Callable[[bytes], list[bytes]]) -> None:
    heard = listen(b'+{"status": "healthy"}')
    assert endpoint.call("health", {}, timeout=1) == {"status": "healthy"}
    assert heard[0].endswith(b'\n{"verb": "health", "arguments": {}}')


def test_nobody_is_asked_where_others_could_listen(
    run: Path, listen: Callable[[bytes], list[bytes]]
) -> None:
    heard = listen(b"+the answer")
    for mode in (0o777, 0o720, 0o702):
        run.chmod(mode)
        assert endpoint.ask("hook", "codex", b"a secret", timeout=10) is None
    run.chmod(0o700)
    assert endpoint.ask("hook", "codex", b"body", timeout=10) == b"the answer"
    assert b"secret" not in b"".join(heard)


def test_a_long_wait_is_begun_only_with_one_that_lives(run: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(run / "dmm.sock"))
        listener.listen()
        assert endpoint.call("query", {}, timeout=120) is None


def test_one_that_lives_is_waited_for_and_asked_once(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "LIVES_WITHIN", 0.2)
    heard: list[bytes] = []

    def serve(listener: socket.socket) -> None:
        """Answer a request only after the one that asks whether anybody lives."""
        slow, _ = listener.accept()
        heard.append(slow.recv(1 << 16))
        link, _ = listener.accept()
        with link:
            heard.append(link.recv(1 << 16))
            link.sendall(b'+{"status": "healthy"}')
        with slow:
            slow.sendall(b'+{"status": "applied"}')

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(run / "dmm.sock"))
        listener.listen()
        serving = threading.Thread(target=serve, args=(listener,))
        serving.start()
        told = endpoint.call("remember", {"text": "x"}, timeout=2 * endpoint.LONG)
        serving.join()
    assert told == {"status": "applied"}
    assert [b"remember" in one for one in heard] == [True, False]


def test_attempts_are_counted_spaced_and_given_up(run: Path) -> None:
    path = str(run / "attempts")
    assert endpoint._may_try(path)
    assert not endpoint._may_try(path)
    for _ in range(2):
        past = Path(path).stat().st_mtime - 1
        os.utime(path, (past, past))
        assert endpoint._may_try(path)
    os.utime(path, (past, past))
    assert not endpoint._may_try(path)
    assert endpoint._given_up()
    for moment in (past - 60, past + 86_400):
        Path(path).write_bytes(b"...")
        os.utime(path, (moment, moment))
        assert not endpoint._given_up()
        assert endpoint._may_try(path)
        assert Path(path).stat().st_size == 1


def test_an_attempt_has_failed_when_nobody_runs_a_moment_later(run: Path) -> None:
    path = run / "attempts"
    assert not endpoint.has_failed()
    path.write_bytes(b".")
    now = path.stat().st_mtime
    for age, failed in ((0, False), (5, True), (300, True), (900, False), (-900, False)):
        os.utime(path, (now - age, now - age))
        assert endpoint.has_failed() == failed
    os.utime(path, (now - 5, now - 5))
    path.write_bytes(b"")
    assert not endpoint.has_failed()


def test_the_process_inherits_nothing_of_the_agent_and_no_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    foreign = {"CLAUDE_PROJECT_DIR", "ANTHROPIC_BASE_URL", "MY_API_KEY", "GITHUB_TOKEN"}
    foreign |= {"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONINSPECT"}
    for name in foreign:
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("DMM_IDLE", "5")
    found = endpoint.environment()
    assert found["DMM_IDLE"] == "5"
    assert "PATH" in found
    assert not foreign & {*found}


def test_a_clients_name_is_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    assert endpoint.name_client(["--client", "claude-code"], "x") == "claude-code"
    for line in ([], ["--client"], ["--client", "a b"], ["--client", "a\nb"], ["--client", ""]):
        assert endpoint.name_client(line, "x") == "x"


def test_the_lock_tells_whether_one_runs(run: Path) -> None:
    import fcntl

    assert not endpoint.is_running()
    with (run / "daemon.lock").open("w") as lock:
        assert not endpoint.is_running()
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert endpoint.is_running()
    assert not endpoint.is_running()
