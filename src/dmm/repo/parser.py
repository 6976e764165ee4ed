"""The parser process: reads source and returns definitions.

A parser can be made to run for minutes by a file written to do so, and it is C: it must be
possible to end it. It may use so much processor time for each file and is ended by the system then.
"""

from __future__ import annotations

import importlib
import json
import signal
import sys
from functools import cache
from typing import TYPE_CHECKING

from dmm.repo.grammars import GRAMMARS

if TYPE_CHECKING:
    from typing import BinaryIO

    from tree_sitter import Node, Parser, Query

SECONDS = 2.0
MAX_SYMBOLS = 5_000
MAX_NAME = 200

Row = tuple[str, str, int, int]


def find_definitions(language: str, data: bytes) -> list[Row]:
    """List what a file defines: name, kind, first and last line, in the order of the lines."""
    from tree_sitter import QueryCursor

    parser, query = _tools(language)
    root = parser.parse(data).root_node
    rows = set()
    for _, captures in QueryCursor(query).matches(root):
        name = _name(captures.pop("name")[0])
        for kind, nodes in captures.items():
            node = nodes[0]
            lines = (node.start_point[0] + 1, node.end_point[0] + 1)
            rows.add((node.start_byte, -node.end_byte, name, kind, *lines))
    ordered = sorted(row for row in rows if row[2])[:MAX_SYMBOLS]
    return [(name, kind, start, end) for _, _, name, kind, start, end in ordered]


def _name(node: Node) -> str:
    text = (node.text or b"").decode("utf-8", "replace")
    return "".join(text.split())[:MAX_NAME]


@cache
def _tools(language: str) -> tuple[Parser, Query]:
    from tree_sitter import Language, Parser, Query

    grammar = GRAMMARS[language]
    made = Language(getattr(importlib.import_module(grammar.module), grammar.function)())
    return Parser(made), Query(made, grammar.query)


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until there are no more: a line of language and size, then the bytes."""
    while True:
        head = requests.readline().decode().split()
        if not head:
            return
        data = requests.read(int(head[1]))
        _tools(head[0])
        # The default action of this signal ends the process, also amid a call into C.
        _limit(SECONDS)
        rows = find_definitions(head[0], data)
        _limit(0)
        answers.write(json.dumps(rows).encode() + b"\n")
        answers.flush()


def _limit(seconds: float) -> None:
    """Limit the CPU time of this process, or lift the limit; not on Windows."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
