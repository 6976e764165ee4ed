"""Completion in real shells, where they are installed."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Typed

    Script = Callable[[str], Path]

CASES = [
    (["dmm", "rul"], {"rules"}),
    (["dmm", "rules", "ad"], {"add", "adopt"}),
    (["dmm", "install", "--dry"], {"--dry-run"}),
    (["dmm", "install", "--scope", ""], {"user", "project"}),
    (["dmm", "rules", "add", "--le"], {"--level"}),
    (["dmm", "--ver"], {"--version"}),
]


@pytest.fixture(scope="module")
def printed() -> dict[str, str]:
    """Hold the script of each shell: all commands are looked through to make one."""
    return {}


@pytest.fixture
def script(printed: dict[str, str], typed: Typed, tmp_path: Path) -> Script:
    def write(shell: str) -> Path:
        if shell not in printed:
            told = typed("completion", shell, within=tmp_path)
            assert told.status == 0
            printed[shell] = told.out
        file = tmp_path / f"dmm.{shell}"
        file.write_text(printed[shell])
        return file

    return write


def run(shell: str, folder: Path, text: str) -> list[str]:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    quiet = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[shell]
    line = [shell, *quiet, "-c", text]
    own = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "TERM": "dumb"}
    done = subprocess.run(
        line, cwd=folder, env=own, check=True, capture_output=True, encoding="utf-8"
    )
    assert done.stderr == ""
    return done.stdout.split("\n")


@pytest.mark.parametrize(("words", "expected"), CASES)
def test_bash_completes_commands_options_and_values(
    words: list[str], expected: set[str], script: Script, tmp_path: Path
) -> None:
    file = script("bash")
    typing = " ".join(f"'{word}'" for word in words)
    text = f"source {file}; COMP_WORDS=({typing}); COMP_CWORD={len(words) - 1}; _dmm; "
    found = run("bash", tmp_path, text + 'printf "%s\\n" "${COMPREPLY[@]}"; complete -p dmm')
    assert set(found[:-2]) == expected
    assert found[-2] == "complete -o default -F _dmm dmm"


def test_bash_leaves_other_words_to_its_completion_of_files(script: Script, tmp_path: Path) -> None:
    file = script("bash")
    text = f"source {file}; COMP_WORDS=(dmm import CLA); COMP_CWORD=2; _dmm; "
    assert run("bash", tmp_path, text + 'echo "${#COMPREPLY[@]}"')[0] == "0"


def test_zsh_reads_the_script(script: Script, tmp_path: Path) -> None:
    file = script("zsh")
    text = f"autoload -U compinit; compinit -u; source {file}; echo $_comps[dmm]"
    assert run("zsh", tmp_path, text)[0] == "_dmm"


@pytest.mark.parametrize(("words", "expected"), CASES)
def test_fish_completes_commands_options_and_values(
    words: list[str], expected: set[str], script: Script, tmp_path: Path
) -> None:
    file = script("fish")
    found = run("fish", tmp_path, f'source {file}; complete -C "{" ".join(words)}"')
    assert {line.split("\t")[0] for line in found if line} == expected


def test_what_only_git_runs_is_not_offered(typed: Typed, tmp_path: Path) -> None:
    assert "merge-file" not in typed("completion", "bash", within=tmp_path).out


def test_an_unknown_shell_is_refused_with_those_that_are_known(
    typed: Typed, tmp_path: Path
) -> None:
    told = typed("completion", "tcsh", within=tmp_path)
    assert told.status == 2
    assert "fish" in told.err
