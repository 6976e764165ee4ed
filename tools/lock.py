"""Resolve the dependencies into requirements/*.txt: for all platforms, hashed, no addresses."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCKS = {"run": ["build"], "dev": ["build", "dev"]}


def lock(name: str, groups: list[str]) -> None:
    """Write requirements/<name>.txt for the project itself plus the named dependency groups."""
    target = ROOT / "requirements" / f"{name}.txt"
    flags = [f"--group={group}" for group in groups]
    command = ["uv", "pip", "compile", "pyproject.toml", *flags, "--universal"]
    command += ["--python-version=3.11", "--generate-hashes", "--no-header", "--no-annotate"]
    command += ["--upgrade", "--quiet", f"--output-file={target}"]
    subprocess.run([sys.executable, "-m", *command], cwd=ROOT, check=True)


if __name__ == "__main__":
    for name, groups in LOCKS.items():
        lock(name, groups)
