"""An agent in small: a process of its own that runs its hooks, one after the other.

Whoever runs a hook counts as an agent, and an agent can't sign in to the web UI. So the tests,
which play the user, leave the hooks to this program.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

REPOSITORY = Path(__file__).resolve().parents[2]

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.daemon.conftest import Machine


def run_hooks(
    machine: Machine, payloads: Sequence[Mapping[str, Any]], client: str = "claude-code"
) -> list[dict[str, Any]]:
    """Have an agent run the real hook for each payload; return what it was answered."""
    return _work(machine, "hooks", payloads, client)


def send_hooks(machine: Machine, payloads: Sequence[Mapping[str, Any]], folder: Path) -> None:
    """Have a process of an agent send what the hook sends: for hundreds, one process is enough."""
    _work(machine, "sender", payloads, str(folder))


def _work(
    machine: Machine, how: str, payloads: Sequence[Mapping[str, Any]], argument: str
) -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.page.agent", how, argument],
        input=json.dumps(payloads),
        env=machine.environment(),
        cwd=REPOSITORY,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers


def _hooks(payloads: list[dict[str, Any]], client: str) -> list[dict[str, Any]]:
    from tests.daemon.conftest import HOOK

    answers = []
    for payload in payloads:
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(HOOK), "--client", client],
            input=json.dumps(payload),
            cwd=payload["cwd"],
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=True,
        )
        answers.append(json.loads(done.stdout) if done.stdout else {})
    return answers


def _send(payloads: list[dict[str, Any]], folder: str) -> list[dict[str, Any]]:
    import os
    import socket

    from tests.daemon.conftest import take_all

    from dmm import VERSION

    for number, payload in enumerate(payloads):
        body = f"{os.getpid()}-{number}\n{folder}\n{json.dumps(payload)}".encode()
        with socket.socket(socket.AF_UNIX) as link:
            link.connect(f"{os.environ['DMM_RUN_DIR']}/dmm.sock")
            link.sendall(f"DMM1 {VERSION} hook claude-code {len(body)}\n".encode() + body)
            reply = take_all(link)
        assert reply[:1] == b"+", reply
    return []


def main() -> None:
    """Run as the agent, or as the process that an agent sends with."""
    how, argument = sys.argv[1:]
    if how == "sender":
        line = [sys.executable, "-m", "tests.page.agent", "send", argument]
        sys.exit(subprocess.run(line, check=False).returncode)
    payloads = json.load(sys.stdin)
    answers = _hooks(payloads, argument) if how == "hooks" else _send(payloads, argument)
    sys.stdout.write(json.dumps(answers))


if __name__ == "__main__":
    main()
