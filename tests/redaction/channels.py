"""Channels: the ways in which a text reaches a record, each as the plain data of a payload."""

from __future__ import annotations

import base64
import csv
import html
import io
import json
import shlex
import textwrap
import urllib.parse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def _csv(text: str) -> str:
    rows = io.StringIO()
    csv.writer(rows).writerows([["id", "note", "size"], ["7", text, "12"]])
    return rows.getvalue()


def _lines(text: str, mark: str) -> str:
    return textwrap.indent(text, mark, lambda _: True)


def _log(text: str) -> str:
    return f"2026-01-05T10:00:00Z INFO app[7]: {text}\n2026-01-05T10:00:01Z INFO app[7]: done"


def _trace(text: str) -> str:
    place = '  File "/srv/app.py", line 7, in run\n'
    return f"Traceback (most recent call last):\n{place}{_lines(text, '    ')}\nRunError: exit 1"


CHANNELS: dict[str, Callable[[str], Any]] = {
    "prompt": lambda text: f"Please look at this:\n{text}\nand tell me what it does.",
    "command": lambda text: {"command": text},
    "shell in a shell": lambda text: {"command": f"bash -c {shlex.quote(text)}"},
    "nested input": lambda text: {"steps": [{"run": {"script": text}, "id": 4}]},
    "argument list": lambda text: ["bash", "-lc", text],
    "output": lambda text: {"stdout": f"ok\n{text}\ndone", "stderr": ""},
    "json in text": lambda text: "response: " + json.dumps({"body": text, "n": 1}),
    "json twice": lambda text: json.dumps({"line": json.dumps({"body": text})}),
    "yaml": lambda text: f"job:\n  run: |\n{_lines(text, '    ')}\n  when: always\n",
    "toml": lambda text: f"[job]\nrun = {json.dumps(text)}\nn = 1\n",
    "env file": lambda text: f"DEBUG=1\nRUN={shlex.quote(text)}\n",
    "heredoc": lambda text: f"cat > /tmp/x <<'EOF'\n{text}\nEOF",
    "address": lambda text: f"https://x.example.com/run?n=1&q={urllib.parse.quote(text)}&z=2",
    "form": lambda text: "POST /run\n\n" + urllib.parse.urlencode({"n": 1, "q": text, "z": 2}),
    "header": lambda text: f"> Host: x.example.com\n> X-Debug: {text}\n> Accept: */*",
    "log": _log,
    "trace": _trace,
    "diff": lambda text: f"@@ -1,2 +1,3 @@\n a\n{_lines(text, '+')}\n-b",
    "code block": lambda text: f"Run it:\n\n```sh\n{text}\n```\n\nand wait.",
    "html": lambda text: f"<p>Run</p><pre>{html.escape(text)}</pre><p>and wait</p>",
    "base64": lambda text: f"echo {base64.b64encode(text.encode()).decode()} | base64 -d",
    "csv": _csv,
    "sql": lambda text: "INSERT INTO notes VALUES (7, '{}');".format(text.replace("'", "''")),
}
