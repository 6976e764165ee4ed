"""Resolve the dependencies into requirements/*.txt: for all platforms, hashed, no addresses."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECT = "pyproject.toml"
LOCKS = {
    "pip": ["--group=pip"],
    "run": [PROJECT, "--group=build"],
    "dev": [PROJECT, "--group=build", "--group=dev"],
}


def lock(name: str, sources: list[str]) -> None:
    """Write requirements/<name>.txt for the project, for dependency groups, or for both."""
    target = ROOT / "requirements" / f"{name}.txt"
    command = ["uv", "pip", "compile", *sources, "--universal"]
    command += ["--python-version=3.11", "--generate-hashes", "--no-header", "--no-annotate"]
    command += ["--upgrade", "--quiet", f"--output-file={target}"]
    subprocess.run([sys.executable, "-m", *command], cwd=ROOT, check=True)


if __name__ == "__main__":
    for name, sources in LOCKS.items():
        lock(name, sources)
