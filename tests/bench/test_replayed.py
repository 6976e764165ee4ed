"""Commits become the calls an agent would have made, judged by the rules of their time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.everyday.snapshots import git
from bench.replayed import measure

if TYPE_CHECKING:
    from pathlib import Path


def _commit(folder: Path, message: str, **files: str) -> None:
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    named = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    git("-C", str(folder), "add", "-A")
    git("-C", str(folder), *named, "commit", "-q", "-m", message)


def test_each_change_is_judged_by_the_instructions_of_the_first_commit(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    git("init", "-q", str(folder))
    lines = [f"const a{at} = {at};\n" for at in range(30)]
    _commit(folder, "start", CLAUDE_md="Never use `process.env` directly.\n", a_ts="".join(lines))
    lines[0], lines[20] = "const a = process.env.A;\n", "const b = 2;\n"
    _commit(folder, "use it", a_ts="".join(lines), b_ts="const c = process.env.C;\n")
    git("-C", str(folder), "mv", "a.ts", "c.ts")
    lines[0] = "export const a = process.env.A;\n"
    _commit(folder, "move", c_ts="".join(lines), README_md="```sh\nnpm test\n```\n")

    found = measure(folder, tmp_path / "base", commits=2)

    assert found.rules == 1
    assert found.calls == {"edit": 3, "write": 2, "commit": 2, "move": 1, "command": 1}
    assert [(one.kind, one.level, one.waiting) for one in found.stopped] == [
        ("edit", "deny", False),
        ("write", "deny", False),
    ]
