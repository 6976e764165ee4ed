"""The built wheel, installed as people install it, and upgraded over an earlier one."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dmm import VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.conftest import Command

ROOT = Path(__file__).parents[2]
STORE = ROOT / "tests" / "stores" / "before_rule_files.tar.gz"
EARLIER = "0.0.1"
UV = Path(sys.executable).with_name("uv")

pytestmark = pytest.mark.slow


def run(*line: str | Path, env: Mapping[str, str] | None = None, within: Path = ROOT) -> str:
    done = subprocess.run(
        [*map(str, line)], cwd=within, env=env, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def build(source: Path, into: Path) -> Path:
    line = ("build", "--wheel", "--no-build-isolation", "--python", sys.executable)
    run(UV, *line, "--out-dir", into, source)
    return next(into.glob("*.whl"))


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A wheel that calls itself an earlier version, and the one of this source."""
    folder = tmp_path_factory.mktemp("wheels")
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md"):
        shutil.copy(ROOT / name, source)
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("src", "prompts"):
        shutil.copytree(ROOT / name, source / name, ignore=ignored)
    about = source / "src" / "dmm" / "__init__.py"
    about.write_text(about.read_text().replace(VERSION, EARLIER))
    return build(source, folder / "earlier"), build(ROOT, folder / "now")


def assert_works(program: Path, store: Path, env: Mapping[str, str]) -> None:
    """Use the store of an earlier version with an installed program."""
    assert run(program, "-V", env=env) == f"dmm {VERSION}"
    assert "complete -o default -F _dmm dmm" in run(program, "completion", "bash", env=env)
    run(program, "trust", "--yes", "--with-ledger", env=env, within=store)
    found = run(program, "query", "retry a failed payment", env=env, within=store)
    assert "[project/checkout.md]" in found
    assert re.search(r"\d+ of \d+ files? valid", run(program, "validate", env=env, within=store))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    with tarfile.open(STORE) as archive:
        # The first versions of Python 3.11 have no filter.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(folder)
    return folder


def need_registry(done: subprocess.CompletedProcess[str]) -> None:
    if done.returncode:
        pytest.skip(f"the registry of packages can't be reached: {done.stderr[-300:]}")


def test_uv_tool_installs_the_wheel_and_upgrades_it(
    wheels: tuple[Path, Path], store: Path, tmp_path: Path, command: Command
) -> None:
    places = {"UV_TOOL_DIR": str(tmp_path / "tools"), "UV_TOOL_BIN_DIR": str(tmp_path / "bin")}
    env = command.environment(places)
    line = [str(UV), "tool", "install", "--python", sys.executable]
    need_registry(
        subprocess.run([*line, str(wheels[0])], env=env, capture_output=True, encoding="utf-8")
    )
    program = tmp_path / "bin" / "dmm"
    assert run(program, "-V", env=env) == f"dmm {EARLIER}"
    run(*line, "--upgrade", wheels[1], env=env)
    assert_works(program, store, env)
    assert {path.name for path in (tmp_path / "bin").iterdir()} == {"dmm", "dmm-hook", "dmm-mcp"}


def test_pip_installs_the_wheel_into_an_environment_of_its_own_as_pipx_does(
    wheels: tuple[Path, Path], store: Path, tmp_path: Path, command: Command
) -> None:
    run(sys.executable, "-m", "venv", tmp_path / "venv")
    pip = [str(tmp_path / "venv" / "bin" / "pip"), "install", "--quiet"]
    need_registry(subprocess.run([*pip, str(wheels[0])], capture_output=True, encoding="utf-8"))
    run(*pip, "--upgrade", wheels[1])
    assert_works(tmp_path / "venv" / "bin" / "dmm", store, command.environment())
