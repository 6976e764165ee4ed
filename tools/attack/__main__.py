"""`make attack`: run the attacks, print a table and JSON; status 1 if a call got through."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tools.attack.scenarios import ATTACKS, Attack, Impossible


def main() -> int:
    """Run all attacks, or those that are named."""
    parser = argparse.ArgumentParser(prog="attack", description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of names; all by default")
    parser.add_argument("--share", type=float, default=1.0, help="share of the calls to make")
    parser.add_argument("--json", type=Path, help="also write the results to a file")
    given = parser.parse_args()
    chosen = [
        one for one in ATTACKS if not given.names or any(name in one.name for name in given.names)
    ]
    rows = [_run(one, given.share) for one in chosen]
    if given.json is not None:
        given.json.write_text(json.dumps(rows, indent=2) + "\n")
    silent = sum(row["silent"] for row in rows)
    wrong = sum(row["wrong"] for row in rows)
    calls = sum(row["forbidden"] for row in rows)
    print(f"\n{silent} of {calls} forbidden calls allowed silently, {wrong} allowed ones stopped")
    return 1 if silent or wrong or any(row["impossible"] for row in rows) else 0


def _run(attack: Attack, share: float) -> dict[str, Any]:
    begun = time.monotonic()
    row: dict[str, Any] = {"attack": attack.name, "forbidden": 0, "silent": 0, "wrong": 0}
    with tempfile.TemporaryDirectory(prefix="dmm-attack-") as folder:
        Path(folder).chmod(0o755)
        try:
            tally, note = attack.run(Path(folder) / "a", max(4, int(attack.calls * share)))
        except Impossible as error:
            print(f"{attack.name:<22} not possible here: {error}", flush=True)
            return row | {"impossible": str(error)}
    seconds = time.monotonic() - begun
    outcomes = ", ".join(f"{number} {what}" for what, number in sorted(tally.forbidden.items()))
    print(
        f"{attack.name:<22} {outcomes:<28} {tally.wrong} wrong  {seconds:5.0f} s  {note}",
        flush=True,
    )
    return row | {
        "forbidden": sum(tally.forbidden.values()),
        "outcomes": dict(tally.forbidden),
        "silent": tally.not_denied if attack.strict else tally.silent,
        "wrong": tally.wrong,
        "seconds": round(seconds),
        "note": note,
        "impossible": "",
    }


if __name__ == "__main__":
    sys.exit(main())
