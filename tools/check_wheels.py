"""Tell which pinned dependencies lack a wheel for macOS or Windows; needs a package index."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PINNED = re.compile(r"^([\w.\-]+==[\w.]+)(?: ; (.*?))? \\$", re.MULTILINE)
# A wheel for an older system runs on a newer one, so all tags up to the oldest we name count.
SYSTEMS = {
    "macOS on ARM": [f"macosx_{version}_0_arm64" for version in range(14, 10, -1)],
    "macOS on x86-64": [
        *(f"macosx_{version}_0_x86_64" for version in range(14, 10, -1)),
        *(f"macosx_10_{version}_x86_64" for version in range(16, 8, -1)),
    ],
    "Windows on x86-64": ["win_amd64"],
}


def pins() -> dict[str, str]:
    """Name the runtime pins with their markers, without those for one system only."""
    text = (ROOT / "requirements" / "run.txt").read_text("utf-8")
    return {pin: marker for pin, marker in PINNED.findall(text) if "sys_platform ==" not in marker}


def has_wheel(pin: str, marker: str, platforms: list[str], folder: str) -> bool:
    """Ask the index for a wheel of one release."""
    wanted = [f"--platform={one}" for one in platforms]
    wanted += ["--python-version=3.12"] if ">= '3.12'" in marker else []
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
    command += ["--no-deps", "--only-binary=:all:", "--dest", folder, *wanted, pin]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def main() -> int:
    """Check every pin on every system."""
    missing = 0
    for system, platforms in SYSTEMS.items():
        with tempfile.TemporaryDirectory() as folder:
            lacking = [
                pin
                for pin, marker in pins().items()
                if not has_wheel(pin, marker, platforms, folder)
            ]
        missing += len(lacking)
        print(f"{system}: {len(pins()) - len(lacking)} of {len(pins())} have a wheel", *lacking)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
