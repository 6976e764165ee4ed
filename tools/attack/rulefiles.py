"""Attacks on rule files: commands, paths and contents, while the daemon is of no help."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from tools.attack.stage import Call, Stage, Tally

import dmm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BUSY = 48
RULES = {
    "no-destroy": """---
level: deny
match:
  - command: terraform destroy
---
# Never destroy the infrastructure
""",
    "no-generated": """---
level: deny
match:
  - path: "generated/**"
---
# Never edit generated files
""",
    "no-console-log": """---
level: deny
match:
  - content: {pattern: "console.log($$$)"}
    path: "src/**"
---
# Never leave console.log in src
""",
    "no-todo": """---
level: deny
match:
  - content: {regex: '\\bFIXME\\b'}
---
# Never leave a FIXME
""",
}
FORBIDDEN = (
    Call.run("cd infra && sudo terraform destroy -auto-approve"),
    Call.write("generated/client.ts", "export const a = 1\n"),
    Call.run("cat > generated/client.ts <<'EOF'\nexport const a = 2\nEOF"),
    Call.edit("src/cart.ts", "total()", "console.log(total())"),
    Call.write("src/new.ts", "export function f() {\n  console.log(1)\n}\n"),
    Call.write("docs/plan.md", "FIXME: later\n"),
)
ALLOWED = (
    Call.run("terraform plan"),
    Call.write("src/client.ts", "export const a = 1\n"),
    Call.run("cat generated/client.ts"),
    Call.edit("src/cart.ts", "total()", "total(2)"),
    Call.write("docs/logging.md", "Do not call console.log(1).\n"),
    Call.run("git commit -m 'Explain console.log'"),
)


def _open(base: Path) -> Stage:
    """Make a project with rule files that its user has accepted."""
    stage = Stage(base, forbidden=FORBIDDEN, allowed=ALLOWED)
    stage.prepare()
    folder = stage.project / ".dmm" / "rules"
    folder.mkdir(exist_ok=True)
    for name, text in RULES.items():
        (folder / f"{name}.md").write_text(text)
    (stage.project / "src").mkdir()
    (stage.project / "src" / "cart.ts").write_text("const sum = total()\n")
    stage.dmm("trust", "--yes")
    stage.ask(Call.run("ls"))
    return stage


@contextlib.contextmanager
def _opened(base: Path) -> Iterator[Stage]:
    stage = _open(base)
    try:
        yield stage
    finally:
        stage.end()


def kill_beside_rule_files(base: Path, calls: int) -> tuple[Tally, str]:
    """Kill the daemon again and again."""
    with _opened(base) as stage:
        killed = 0

        def kill() -> None:
            nonlocal killed
            killed += stage.kill()
            (base / "run" / "attempts").unlink(missing_ok=True)

        return _repeat(stage, calls, kill), f"{killed} kills"


def begin_cold_with_rule_files(base: Path, calls: int) -> tuple[Tally, str]:
    """Have every few calls find no daemon at all."""
    with _opened(base) as stage:
        tally = Tally()
        for _ in range(0, calls, 2):
            stage.dmm("daemon", "stop")
            tally += stage.call(2)
        return tally, "stopped before every four calls"


def upgrade_beside_rule_files(base: Path, calls: int) -> tuple[Tally, str]:
    """Have the program look newer again and again: each time the daemon gives way to another."""
    path = Path(str(dmm.__file__))
    before = path.stat()
    with _opened(base) as stage:
        built = int(before.st_mtime)
        moved = 0

        def upgrade() -> None:
            nonlocal moved
            moved += 1
            os.utime(path, (built + moved, built + moved))

        try:
            return _repeat(stage, calls, upgrade), f"{moved} versions"
        finally:
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def crowd_out_rule_files(base: Path, calls: int) -> tuple[Tally, str]:
    """Run many processes beside that never rest."""
    with _opened(base) as stage:
        line = [sys.executable, "-c", "while True: pass"]
        crowd = [subprocess.Popen(line) for _ in range(BUSY)]
        try:
            return stage.call(calls), f"{BUSY} busy processes"
        finally:
            for one in crowd:
                one.kill()
                one.wait()


def _repeat(stage: Stage, calls: int, act: Callable[[], None]) -> Tally:
    """Do something again and again while calls are made."""
    done = threading.Event()

    def keep_on() -> None:
        while not done.is_set():
            act()
            done.wait(0.3)

    actor = threading.Thread(target=keep_on)
    actor.start()
    try:
        return stage.call(calls)
    finally:
        done.set()
        actor.join()
