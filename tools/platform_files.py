"""Print the source files whose types can differ between platforms, for `make types`.

A file can be right on Linux and wrong elsewhere only where it uses a module of the standard library
that is not the same everywhere. Which modules those are is read from the type checker's own stubs.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import mypy

SOURCE = Path(__file__).resolve().parent.parent / "src"
STUBS = Path(mypy.__file__).parent / "typeshed" / "stdlib"


def find_varying() -> set[str]:
    """Find the top modules of the standard library whose stubs ask for the platform."""
    asking = (path for path in STUBS.rglob("*.pyi") if "sys.platform" in path.read_text("utf-8"))
    return {path.relative_to(STUBS).parts[0].removesuffix(".pyi") for path in asking}


def imported(source: str) -> Iterator[str]:
    """Yield the top module of each import of a source."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module.partition(".")[0]


def main() -> None:
    """Print one file per line."""
    varying = find_varying()
    for path in sorted(SOURCE.rglob("*.py")):
        if not varying.isdisjoint(imported(path.read_text("utf-8"))):
            print(path.relative_to(SOURCE.parent))


if __name__ == "__main__":
    main()
