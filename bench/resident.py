"""A process that loads a project, queries it, and says how much memory it holds, in MB."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from dmm.bootstrap import open_dmm
from dmm.domain.pack import QueryRequest

_LINE = re.compile(r"^(VmRSS|VmHWM|RssAnon|RssFile):\s+(\d+) kB$", re.MULTILINE)


def main() -> None:
    """Query as often as there are questions, then look."""
    folder, questions = Path(sys.argv[1]), json.loads(sys.argv[2])
    dmm = open_dmm(override=folder, home=folder.parent)
    for question in questions:
        dmm.packs.query(QueryRequest(question), refresh=False)
    status = Path("/proc/self/status").read_text("utf-8")
    print(json.dumps({name: int(size) / 1024 for name, size in _LINE.findall(status)}))


if __name__ == "__main__":
    main()
