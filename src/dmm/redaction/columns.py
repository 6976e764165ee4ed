"""Values that are secret because of their column's name."""

from __future__ import annotations

from dmm.redaction.naming import STRONG, WEAK, Name
from dmm.redaction.patterns import later
from dmm.redaction.randomness import is_mixed, is_random
from dmm.redaction.values import is_quoted_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.redaction.patterns import Span

_SIGNS = ",;\t|"
# A name at the head of a column. Behind commas there are no blanks: a sentence has some.
_NAME = later(r"[\"']?[A-Za-z_][\w.-]{0,40}[\"']?\r?\Z")
_NAME_IN_BARS = later(r"[ \t]*(?:[A-Za-z_][\w .-]{0,40})?[ \t\r]*\Z")
# The first name of a head, after whatever else is on the line.
_FIRST = later(r"([\"'`+>]?)[\"']?[A-Za-z_][\w.-]{0,40}[\"']?\Z")
_CELL = later(r"[ \t]*(?:\"([^\"\n]*)\"|'([^'\n]*)')[ \t\r]*\Z")
_RULE = later(r"[ \t|:+=-]{3,}\r?\Z")
_COLUMNS = later(r"[\"'`\]]?(?:\s{0,8},[\s\"'`\[]{0,8}[\w.]{1,60}[\"'`\]]?){0,60}\s{0,8}\)")
_VALUES = later(r"\s{0,20}(?:VALUES|values|Values)\s{0,20}(?=\()")
_ITEM = later(r"[\s(]{0,8}(?:N?'((?:[^'\n]|'')*)'|\"([^\"\n]*)\"|[^,()\n]*)\s{0,8}([,)])")
_NEXT_ROW = later(r"\s{0,8},\s{0,8}(?=\()")
_LONGEST_HEAD = 400
_MOST_ROWS = 200


def scan_column(text: str, name: Name) -> tuple[list[Span], tuple[int, int]]:
    """Find the values in a column whose heading is this name.

    Tells also where the rows are: what stands in them heads no other column.
    """
    sign = _sign(text, name) if name.level > WEAK else ""
    head = _read_head(text, name, sign) if sign else None
    if head is not None:
        spans, end = _read_rows(text, name, sign, *head)
        return spans, (head[-1], end)
    return list(_read_values(text, name)) if name.level > WEAK else [], (0, 0)


def _sign(text: str, name: Name) -> str:
    """Return the separator beside a name, if it is one that tables use."""
    near = text[name.end : name.end + 8].lstrip(" \"'")[:1]
    if not near or near not in _SIGNS:
        near = text[max(0, name.start - 8) : name.start].rstrip(" \"'")[-1:]
    return near if near and near in _SIGNS else ""


def _read_head(text: str, name: Name, sign: str) -> tuple[int, int, bool, int] | None:
    """Return which column it is, how many follow the first, if that is sure, and the line's end."""
    least = max(0, name.start - _LONGEST_HEAD)
    line = max(text.rfind("\n", least, name.start) + 1, least)
    end = text.find("\n", name.end, name.end + _LONGEST_HEAD)
    if end < 0:
        return None
    own = _NAME_IN_BARS if sign == "|" else _NAME
    *before, lead = text[line : name.start].split(sign)
    rest, *after = text[name.end : end].split(sign)
    if (before and lead.strip(" \"'")) or rest.strip(" \"'\r"):
        return None
    if not all(own.match(cell) for cell in after):
        return None
    index, sure = 0, not lead.strip(" \t\"'`+>")
    for cell in reversed(before):
        index += 1
        if own.match(cell) is None:
            first = _FIRST.search(cell)
            sure = first is not None and bool(first[1])
            # Behind a bar at the start of the line every row has this cell too.
            index -= first is None and sign != "|"
            break
    count = index + len(after)
    return (index, count, sure, end) if count else None


def _read_rows(
    text: str, name: Name, sign: str, index: int, count: int, sure: bool, end: int
) -> tuple[list[Span], int]:
    spans: list[Span] = []
    for _ in range(_MOST_ROWS):
        place, end = end + 1, text.find("\n", end + 1)
        end = len(text) if end < 0 else end
        if place >= end:
            break
        cells = text[place:end].split(sign)
        if _RULE.match(text, place, end):
            continue
        if len(cells) <= count or (len(cells) > count + 1 and sign == ","):
            break
        start = place + sum(len(cell) + 1 for cell in cells[:index])
        value, start = _without_quotes(cells[index], start)
        if _is_secret(value, name, sure=sure):
            spans.append((start, start + len(value), name.label))
    return spans, end


def _without_quotes(cell: str, start: int) -> tuple[str, int]:
    """Return the content of a cell and where it begins."""
    found = _CELL.match(cell)
    group = 0 if found is None else found.lastindex or 0
    if found is not None and group:
        return found[group], start + found.start(group)
    value = cell.strip()
    return value, start + cell.find(value)


def _is_secret(value: str, name: Name, *, sure: bool) -> bool:
    if not sure and not (is_mixed(value) or is_random(value)):
        return False
    return is_quoted_secret(value, strong=name.level == STRONG)


def _read_values(text: str, name: Name) -> Iterator[Span]:
    """Find the values of a column that rows are written to: INSERT INTO t (…) VALUES (…), (…)."""
    right = _COLUMNS.match(text, name.end)
    values = None if right is None else _VALUES.match(text, right.end())
    if values is None:
        return
    opening = text.rfind("(", max(0, name.start - _LONGEST_HEAD), name.start)
    index = text.count(",", max(opening, 0), name.start)
    for row in _rows(text, values.end()):
        for start, end in row[index : index + 1]:
            if end > start and _is_secret(text[start:end], name, sure=True):
                yield (start, end, name.label)


def _rows(text: str, place: int) -> Iterator[list[tuple[int, int]]]:
    """Return the texts in each row of values; other values are empty."""
    for _ in range(_MOST_ROWS):
        row = []
        while (item := _ITEM.match(text, place)) is not None:
            place = item.end()
            row.append(item.span(1) if item[1] is not None else item.span(2))
            if item[3] == ")":
                break
        yield row
        following = _NEXT_ROW.match(text, place)
        if following is None:
            return
        place = following.end()
