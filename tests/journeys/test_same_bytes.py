"""The same files and the same question give the same bytes, in whatever process."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.conftest import Command, Project
import pytest

pytestmark = pytest.mark.slow

TASK = "add password reset to the login flow"


def answer(command: Command, project: Project, seed: str, *form: str) -> str:
    env = {"PYTHONHASHSEED": seed}
    told = command("query", TASK, "--explain", *form, within=project.folder, env=env)
    assert (told.returncode, told.stderr) == (0, "")
    return told.stdout


def answers(command: Command, project: Project, seed: str) -> list[str]:
    return [answer(command, project, seed), answer(command, project, seed, "--json")]


def test_hash_seeds_deleted_indexes_and_file_dates_change_no_byte(
    shop: Project, command: Command
) -> None:
    first = answers(command, shop, "1")
    assert "## Receipt: 13 candidates\n" in first[0]
    shutil.rmtree(shop.dmm / "index")
    assert answers(command, shop, "2") == first
    shutil.rmtree(shop.dmm / "index")
    for number, file in enumerate(sorted(shop.memory.rglob("*.md"), reverse=True)):
        text = file.read_bytes()
        file.unlink()
        file.write_bytes(text)
        os.utime(file, (1e9 + number, 1e9 + number))
    assert answers(command, shop, "3") == first


def test_an_index_that_grew_step_by_step_answers_like_a_fresh_one(
    shop: Project, command: Command
) -> None:
    fresh = answer(command, shop, "1")
    files = {file: file.read_bytes() for file in sorted(shop.memory.rglob("*.md"))}
    for file in list(files)[::2]:
        file.unlink()
    answer(command, shop, "2")
    for file, text in files.items():
        file.write_bytes(text)
    assert answer(command, shop, "3") == fresh
