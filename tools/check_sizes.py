"""Hold files and functions to their size limits; prints each that is over and fails."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILE_LIMIT = 400
TEST_FILE_LIMIT = 600
FUNCTION_LIMIT = 50
FOLDERS = ("src", "tests", "bench", "tools")


def oversized(path: Path) -> Iterator[str]:
    """Name what is too long in one file."""
    name = path.relative_to(ROOT)
    text = path.read_text("utf-8")
    lines = text.count("\n")
    limit = TEST_FILE_LIMIT if name.parts[0] == "tests" else FILE_LIMIT
    if lines > limit:
        yield f"{name}: {lines} lines, the limit is {limit}"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > FUNCTION_LIMIT:
                where = f"{name}:{node.lineno}"
                yield f"{where}: {node.name} has {length} lines, the limit is {FUNCTION_LIMIT}"


def main() -> int:
    """Check all Python files of the repository."""
    files = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    found = [line for path in files for line in oversized(path)]
    print("\n".join(found) if found else f"Sizes: {len(files)} files within their limits")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
