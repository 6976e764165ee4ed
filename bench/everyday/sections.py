"""Count right places per section: python -m bench.everyday.sections --repositories FOLDER.

FOLDER holds the repositories as for `python -m bench.everyday`. What is right was written by
reading each repository, before anybody saw what `dmm ask` shows of it.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import Any

from bench.everyday.snapshots import NotHereError, check_out, find_repository
from dmm.ask.answer import MOST_PLACES
from dmm.ask.code import Repository
from dmm.ask.coverage import cover, describe_sections
from dmm.ask.profiles import BUILT_IN
from dmm.ask.sections import Section
from dmm.ask.survey import Survey

HERE = Path(__file__).parent
PROFILE = next(one for one in BUILT_IN if one.name == "onboarding")
RETRIES = 2


@cache
def written_as_pattern(glob: str) -> re.Pattern[str]:
    """Read a glob, or a folder, as the pattern of the paths that it means."""
    parts = re.split(r"(\*\*/|\*\*|\*)", glob.rstrip("/"))
    meant = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}
    return re.compile("".join(meant.get(one) or re.escape(one) for one in parts) + r"(?:/.*)?$")


def is_among(path: str, globs: list[str]) -> bool:
    """Return whether a path is meant by any of some globs."""
    return any(written_as_pattern(one).match(path) for one in globs)


def survey(folder: Path, store: Path) -> dict[str, Any]:
    """Return the places that are shown for each section, and the words on the purpose."""
    code = Repository(folder, store)
    try:
        code.refresh()
        evidence = cover(Survey(code), PROFILE, (), RETRIES).evidence
    finally:
        code.close()
    listed: Any = describe_sections(evidence)
    found = {
        str(one["section"]): list(dict.fromkeys(one["places"]))[:MOST_PLACES] for one in listed
    }
    said = next((one.remark for one in evidence if Section.PURPOSE in one.sections), "")
    return found | {"said": said}


def judge(key: dict[str, Any], found: dict[str, Any]) -> dict[str, Counter[str]]:
    """Count for each section whether the first place is right, whether a main one is shown."""
    counts: dict[str, Counter[str]] = {}
    first, last = key["purpose"]["lines"]
    place = (found["purpose"] or [":0@"])[0].rpartition("@")[0]
    told = bool(found["said"]) and first - 1 <= int(place.rpartition(":")[2]) <= last + 1
    counts["purpose"] = Counter(repositories=1, first=told)
    for section in ("entry_points", "persistence", "surfaces", "configuration", "ai_generation"):
        main, right = key[section]["main"], key[section]["main"] + key[section]["also"]
        shown = [one.rpartition("@")[0].rpartition(":")[0] for one in found[section]]
        fits = [is_among(one, right) for one in shown]
        counts[section] = Counter(
            repositories=1,
            first=(fits[:1] == [True]) if right else not shown,
            main=any(is_among(one, main) for one in shown) if main else not shown,
            shown=len(shown),
            right=sum(fits),
        )
    return counts


def main() -> int:
    """Survey every repository of the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repositories", type=Path, required=True)
    parser.add_argument("--table", type=Path, default=HERE / "sections.jsonl")
    parser.add_argument("--work", type=Path, help="keep the work trees here")
    parser.add_argument("--json", type=Path, help="write what was found here")
    given = parser.parse_args()
    keys = [json.loads(line) for line in given.table.read_text("utf-8").splitlines()]
    totals: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        for key in keys:
            try:
                repository = find_repository(given.repositories, key["repo"])
            except NotHereError as error:
                print(f"left out: {error}", file=sys.stderr)
                continue
            base = (given.work or Path(temporary)) / key["repo"].replace("/", "+")
            if not (base / "work").is_dir():
                check_out(repository, base / "work")
            found = survey(base / "work", base / "repo.db")
            rows.append({"repo": key["repo"], **found})
            for section, counted in judge(key, found).items():
                totals[key["set"]][section] += counted
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    for name, sections in totals.items():
        print(f"\n{name}: repositories; first place right; a main one shown; places shown, right")
        for section, one in sections.items():
            print(
                f"  {section:14} {one['repositories']:3} {one['first']:4} {one['main']:4}"
                f" {one['shown']:5} {one['right']:4}"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
