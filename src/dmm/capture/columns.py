"""Columns: values that are secret because of the name at the head of their column."""

from __future__ import annotations

from dmm.capture.naming import STRONG, WEAK, Name
from dmm.capture.patterns import later
from dmm.capture.randomness import is_mixed, is_random
from dmm.capture.values import is_quoted_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.capture.patterns import Span

# The head of a table to the left and to the right of a name. Names that are separated by commas
# have no blanks between them: a sentence has.
_LEFT = {
    sign: later(
        rf"(?:(?:[A-Za-z_][\w.-]{{0,40}}|\"[\w .-]{{1,40}}\"|'[\w .-]{{1,40}}'){sign})*[\"']?\Z"
    )
    for sign in (",", ";", "\t")
} | {"|": later(r"(?:\|?[ \t]{0,40}[\w.-][\w .-]{0,40}\|[ \t]{0,40})*\Z|\|[ \t]{0,40}\Z")}
_RIGHT = {
    sign: later(rf"[\"']?(?:{sign}[\"']?[A-Za-z_][\w.-]{{0,40}}[\"']?)*[ \t]*(?:\\n|\r?\n|\Z)")
    for sign in (",", ";", "\t")
} | {"|": later(r"[ \t]{0,40}(?:\|[ \t]{0,40}[\w.-][\w .-]{0,40})*\|?[ \t]*(?:\r?\n|\Z)")}
_BEGIN = later(r"(?:^|[\n\"'`+>])[ \t]*\Z")
_CELL = {
    sign: later(rf"(?:\"([^\"\n]*)\"|'([^'\n]*)'|([^{sign}\n]*))(?:({sign})|(?=\n)|\Z)")
    for sign in (",", ";", "\t", "\\|")
}
_RULE = later(r"[ \t|:+=-]{3,}\Z")
_COLUMNS = later(r"[\"'`\]]?(?:\s{0,8},[\s\"'`\[]{0,8}[\w.]{1,60}[\"'`\]]?){0,60}\s{0,8}\)")
_VALUES = later(r"\s{0,20}(?:VALUES|values|Values)\s{0,20}(?=\()")
_ITEM = later(r"[\s(]{0,8}(?:N?'((?:[^'\n]|'')*)'|\"([^\"\n]*)\"|[^,()\n]*)\s{0,8}([,)])")
_NEXT_ROW = later(r"\s{0,8},\s{0,8}(?=\()")
_LONGEST_HEAD = 400
_MOST_ROWS = 200


def scan_column(text: str, name: Name) -> Iterator[Span]:
    """Find the values below a name that heads a column, or that stands in a list of columns."""
    if name.level > WEAK:
        sign = _sign(text, name)
        if sign:
            yield from _table(text, name, sign)
        yield from _insert(text, name)


def _sign(text: str, name: Name) -> str:
    """Tell what separates a name from its neighbours, if it is a sign of tables."""
    near = text[name.end : name.end + 8].lstrip(" \"'")[:1]
    if near not in _LEFT or not near:
        near = text[max(0, name.start - 8) : name.start].rstrip(" \"'")[-1:]
    return near if near in _LEFT and near else ""


def _table(text: str, name: Name, sign: str) -> Iterator[Span]:
    right = _RIGHT[sign].match(text, name.end)
    line = max(text.rfind("\n", 0, name.start) + 1, name.start - _LONGEST_HEAD)
    left = _LEFT[sign].search(text, line, name.start)
    if right is None or left is None or sign not in text[left.start() : right.end()]:
        return
    index = text.count(sign, left.start(), name.start)
    count = index + text.count(sign, name.end, right.end())
    sure = _BEGIN.search(text[max(0, left.start() - 8) : left.start()]) is not None
    place = right.end()
    for _ in range(_MOST_ROWS):
        end = text.find("\n", place)
        end = len(text) if end < 0 else end
        if _RULE.match(text[place:end]):
            place = end + 1
            continue
        cells = _cells(text, place, end, "\\|" if sign == "|" else sign)
        if len(cells) != count + 1:
            return
        start, stop = cells[index]
        if _is_secret(text[start:stop], name, sure=sure):
            yield (start, stop, name.label)
        place = end + 1


def _cells(text: str, place: int, end: int, sign: str) -> list[tuple[int, int]]:
    """Find the cells of a row, without quotes and blanks around them."""
    cells = []
    while place <= end:
        found = _CELL[sign].match(text, place, end)
        if found is None:
            break
        group = next(number for number in (1, 2, 3) if found[number] is not None)
        bare = found[group].strip()
        start = found.start(group) + found[group].find(bare)
        cells.append((start, start + len(bare)))
        place = found.end()
        if not found[4]:
            break
    return cells


def _is_secret(value: str, name: Name, *, sure: bool) -> bool:
    if not sure and not (is_mixed(value) or is_random(value)):
        return False
    return is_quoted_secret(value, strong=name.level == STRONG)


def _insert(text: str, name: Name) -> Iterator[Span]:
    """Find the values of a column that rows are written to: INSERT INTO t (…) VALUES (…), (…)."""
    right = _COLUMNS.match(text, name.end)
    values = None if right is None else _VALUES.match(text, right.end())
    if values is None:
        return
    opening = text.rfind("(", max(0, name.start - _LONGEST_HEAD), name.start)
    index = text.count(",", opening, name.start)
    place = values.end()
    for _ in range(_MOST_ROWS):
        items, place = _items(text, place)
        start, end = items[index] if index < len(items) else (0, 0)
        if end > start and _is_secret(text[start:end], name, sure=True):
            yield (start, end, name.label)
        following = _NEXT_ROW.match(text, place)
        if following is None:
            return
        place = following.end()


def _items(text: str, place: int) -> tuple[list[tuple[int, int]], int]:
    """Find the texts in one row of values, and where it ends; what is no text is empty here."""
    items = []
    while (item := _ITEM.match(text, place)) is not None:
        place = item.end()
        items.append(item.span(1) if item[1] is not None else item.span(2))
        if item[3] == ")":
            break
    return items, place
