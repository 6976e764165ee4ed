"""Check that every pinned dependency has a wheel for macOS and Windows; needs a package index."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SYSTEMS = ("aarch64-apple-darwin", "x86_64-pc-windows-msvc")
# The oldest macOS that onnxruntime has wheels for; for Intel Macs it has none.
ENVIRONMENT = {**os.environ, "MACOSX_DEPLOYMENT_TARGET": "14.0"}
PYTHONS = ("3.11", "3.12", "3.13")


def find_fault(system: str, python: str) -> str:
    """Resolve the pins from wheels alone; return what stands in the way, or nothing."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "requirements/run.txt", "--no-deps"]
    command += ["--only-binary=:all:", f"--python-platform={system}", f"--python-version={python}"]
    done = subprocess.run(
        [*command, "--quiet"],
        cwd=ROOT,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stderr.strip() if done.returncode else ""


def main() -> int:
    """Check every system with every version of Python."""
    faults = 0
    for system in SYSTEMS:
        for python in PYTHONS:
            fault = find_fault(system, python)
            faults += bool(fault)
            print(f"{system}, Python {python}: {fault or 'all pins have a wheel'}", flush=True)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
