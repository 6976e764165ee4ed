"""Options: the flags, their values and the operands of one invocation."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from dmm.reading import part_rows, read_table
from dmm.rules.commands.globs import matches_name
from dmm.rules.commands.wordlists import LISTS, listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dmm.rules.commands.values import Invocation, Word


def _read_flags() -> dict[str, tuple[str, str]]:
    """Read the names of the flags of each program, and which of them take a value."""
    rows = (tuple(part.strip() for part in line.split("|")) for line in read_table("flags.txt"))
    return {name: (spelled, valued) for name, spelled, valued in rows}


_FLAGS = _read_flags()
VALUED = {name: frozenset(valued.split()) for name, (_, valued) in _FLAGS.items()}
SUBCOMMANDED = listed("subcommanded")
_FULL_NAMES = {
    (program, short): full
    for program, pairs in part_rows(LISTS["subcommands"]).items()
    for short, _, full in (pair.partition("=") for pair in pairs)
}
LONG_WITH_ONE_DASH = frozenset({"find", "terraform", "tofu", "terragrunt", "java", "go", "openssl"})
# Their first word may be flags without a dash: `tar xzf a.tgz`.
_DASHLESS = frozenset({"tar", "bsdtar", "gtar"})
_NO_OPTIONS: frozenset[str] = frozenset()
# They take no option in front of the subcommand that is not known here.
_REFUSING = frozenset({"git"})
# They have the flags of another program.
_LIKE = {"pip3": "pip", "oc": "kubectl", "gsed": "sed", "egrep": "grep", "fgrep": "grep"}
# A long option may be cut short to so many letters.
_SHORTEST_CUT = 5


def full_name(program: str, subcommand: str) -> str:
    """Return the name of a subcommand that is written short: `npm i`."""
    return _FULL_NAMES.get((program, subcommand), subcommand)


@lru_cache(maxsize=128)
def _table(name: str) -> dict[str, tuple[str, ...]]:
    text = _FLAGS.get(_LIKE.get(name, name), ("", ""))[0]
    groups = [tuple(group.split("=")) for group in text.split()]
    return {flag: group for group in groups for flag in group}


def _has_own(name: str) -> bool:
    """Return whether the flags of a subcommand are known apart from those of its program."""
    return bool(_FLAGS.get(name, ("", ""))[0])


def _spellings_of(flag: str, name: str) -> tuple[str, ...]:
    """Return all names of a flag of a program or subcommand; a long one may be cut short."""
    table = _table(name)
    if not table or flag in table:
        return table.get(flag, (flag,))
    if not flag.startswith("--") or len(flag) < _SHORTEST_CUT:
        return (flag,)
    longer = {table[one] for one in table if one.startswith(flag)}
    return (flag, *longer.pop()) if len(longer) == 1 else (flag,)


class Options(NamedTuple):
    """The arguments of one invocation, sorted: `-rf` counts as `-r` and `-f`.

    `flags` hold every spelling of a flag that is given. `values` pair a flag with the word that is
    its value, or may be where nothing is known of the flag. `open` says that some of the arguments
    are not known; a `*` stands in their place.
    """

    flags: frozenset[str]
    operands: tuple[Word, ...]
    separated: tuple[Word, ...]
    open: bool = False
    values: tuple[tuple[str, Word], ...] = ()

    def has(self, alternatives: str) -> bool:
        """Return whether one of the alternatives (`-r|-R|--recursive`) is given.

        A long option may be cut short as far as GNU and Git allow it to be. `--name=glob` wants a
        value that fits.
        """
        cut = [flag for flag in self.flags if flag[:2] == "--" and len(flag) >= _SHORTEST_CUT]
        return self.has_exactly(alternatives) or any(
            wanted.startswith(flag)
            for wanted in alternatives.split("|")
            if "=" not in wanted
            for flag in cut
        )

    def may_have(self, alternatives: str) -> bool:
        """Return whether one of the alternatives, which may be globs, is given or may be."""
        if self.has(alternatives):
            return True
        given = (*self.flags, *(word.text for word in self.operands if self.open))
        looked_at = self.open or "*" in alternatives
        return looked_at and any(self.either(one, alternatives) for one in given)

    def either(self, text: str, alternatives: str) -> bool:
        """Return whether an argument is one of the alternatives, or may be.

        A path is the same with `./` before it or a slash behind it.
        """
        plain = _plain_path(text)
        return any(
            matches_name(plain, _plain_path(wanted))
            or matches_name(text, wanted)
            or (self.open and matches_name(wanted, text))
            for wanted in alternatives.split("|")
        )

    def is_subcommand(self, program: str, text: str, alternatives: str) -> bool:
        """Return whether an argument names one of some subcommands, in full or short."""
        named = full_name(program, text)
        return any(self.either(named, full_name(program, one)) for one in alternatives.split("|"))

    def has_exactly(self, alternatives: str) -> bool:
        """Return whether one of the alternatives is given in full."""
        return any(
            wanted in self.flags or ("=" in wanted and self._has_value(wanted))
            for wanted in alternatives.split("|")
        )

    def surely_has(self, alternatives: str) -> bool:
        """Return whether one of the alternatives is given in full and nothing takes it back."""
        return any(
            self.has_exactly(wanted) and not self._taken_back(wanted)
            for wanted in alternatives.split("|")
        )

    def _taken_back(self, flag: str) -> bool:
        """Find `--no-dry-run` or `--dry-run=none`."""
        if f"--no-{flag.lstrip('-')}" in self.flags:
            return True
        return any(name == flag and word.text.lower() in _FALSE for name, word in self.values)

    def _has_value(self, wanted: str) -> bool:
        name, _, glob = wanted.partition("=")
        return any(name == flag and self.either(word.text, glob) for flag, word in self.values)

    def values_of(self, alternatives: str) -> list[Word]:
        """Return the values of a flag, in their order."""
        names = alternatives.split("|")
        found = [word for flag, word in self.values if flag in names]
        return list(dict.fromkeys(found))

    def has_argument(self, wanted: str) -> bool:
        """Return whether an operand or value is one of the alternatives, negated by `!`."""
        words = (*self.operands, *(word for _, word in self.values))
        found = any(self.either(word.text, wanted.removeprefix("!")) for word in words)
        return found is not wanted.startswith("!")


def _plain_path(text: str) -> str:
    if (not text.startswith("./") and not text.endswith("/")) or "*" in text:
        return text
    return text.removeprefix("./").rstrip("/") or text[:1]


_FALSE = ("false", "none", "no", "off", "0")
# What follows the word behind these belongs to another program.
_RUNNERS = frozenset({"run", "exec", "x", "dlx"})
_MOST_SUBCOMMANDS = 2


class _Arguments:
    """The arguments of one invocation while they are sorted."""

    def __init__(self, program: str) -> None:
        self.program = program
        self.name = program
        self.valued = VALUED.get(program, _NO_OPTIONS)
        self.flags: set[str] = set()
        self.operands: list[Word] = []
        self.values: list[tuple[str, Word]] = []

    def take_operand(self, word: Word) -> None:
        """Take a word; the first may be the subcommand, which has flags of its own."""
        if not self.operands and self.program in SUBCOMMANDED:
            inner = f"{self.program} {word.text}"
            own = VALUED.get(inner, _NO_OPTIONS)
            self.valued = own if self.program in _REFUSING else self.valued | own
            self.name = inner if self.program in _REFUSING or _has_own(inner) else self.name
        self.operands.append(word)

    def take_long(self, word: Word, following: Word | None) -> bool:
        """Take a flag of one name; tell whether the next word is its value."""
        name, equals, value = word.text.partition("=")
        spelled = _spellings_of(name, self.name)
        self.flags.update(spelled)
        if equals:
            self._note(spelled, word._replace(text=value))
            return False
        takes = name in self.valued or not self.valued.isdisjoint(spelled)
        self._note(spelled, following, sure=takes)
        return takes

    def take_short(self, word: Word, following: Word | None) -> bool:
        """Take flags of one letter each; tell whether the next word is a value."""
        text = word.text.partition("=")[0]
        self.flags.add(text)
        spelled: tuple[str, ...] = ()
        for at, letter in enumerate(text[1:], 2):
            flag = f"-{letter}"
            spelled = _spellings_of(flag, self.name)
            self.flags.update(spelled)
            if flag in self.valued:
                attached = word.text[at:].removeprefix("=")
                self._note(spelled, word._replace(text=attached) if attached else following)
                return not attached
        self._note(spelled, following, sure=False)
        return False

    def _note(self, names: Iterable[str], value: Word | None, *, sure: bool = True) -> None:
        if value is not None and (sure or not value.text.startswith("-")):
            self.values += [(name, value) for name in names]


def read_options(command: Sequence[Word]) -> Options:
    """Sort the words behind a program into flags and operands."""
    program = command[0].text.rpartition("/")[2] if command else ""
    held = _Arguments(program)
    whole = program in LONG_WITH_ONE_DASH
    words = tuple(command[1:])
    if program in _DASHLESS and words and not words[0].text.startswith("-"):
        words = (words[0]._replace(text=f"-{words[0].text}"), *words[1:])
    separated: tuple[Word, ...] = ()
    at = 0
    while at < len(words):
        word = words[at]
        text = word.text
        at += 1
        if text == "--":
            separated = words[at:]
            break
        if not text.startswith("-") or text == "-":
            held.take_operand(word)
            continue
        following = words[at] if at < len(words) else None
        if whole or text.startswith("--"):
            at += held.take_long(word, following)
        else:
            at += held.take_short(word, following)
    return Options(
        frozenset(held.flags),
        (*held.operands, *separated),
        separated,
        values=tuple(held.values),
    )


def asks_for_help(invocation: Invocation, options: Options) -> bool:
    """Return whether an invocation shows its help and does nothing else.

    Help is asked for behind the subcommands (`git stash pop --help`), or before any operand where
    there are none: BSD's `rm -r build --help` deletes, and `docker run image --help` runs.
    """
    subcommanded = invocation.program in SUBCOMMANDED
    asking = ("--help", "-help", "-h") if subcommanded else ("--help",)
    words = invocation.words[1:]
    at = next((at for at, word in enumerate(words) if word.text in asking), None)
    if at is None or words[at] in (*options.separated, *(word for _, word in options.values)):
        return False
    before = [word.text for word in words[:at] if not word.text.startswith("-")]
    if len(before) > _MOST_SUBCOMMANDS * subcommanded or not _RUNNERS.isdisjoint(before[:-1]):
        return False
    # A short `-h` often means something else.
    return words[at].text == "--help" or at + 1 == len(words)


def subcommand_at(words: Sequence[Word]) -> int:
    """Return the index of the subcommand, or of the end if there is none."""
    valued = VALUED.get(words[0].text.rpartition("/")[2], _NO_OPTIONS)
    at = 1
    while at < len(words) and words[at].text.startswith("-"):
        at += 2 if words[at].text in valued else 1
    return at


def subcommand_readings(
    words: Sequence[Word], most: int = 8
) -> list[tuple[tuple[Word, ...], str, str]]:
    """Return readings without words that may be values of options before the subcommand.

    It is not known of every option whether it takes a value: in `npm --x y z` the subcommand may be
    `y` or `z`. Each reading comes with the option and the value that it leaves out. One more than
    `most` says that there are too many.
    """
    program = words[0].text.rpartition("/")[2] if words else ""
    if program not in SUBCOMMANDED or program in _REFUSING:
        return []
    valued = VALUED.get(program, _NO_OPTIONS)
    found: list[tuple[tuple[Word, ...], str, str]] = []
    kept = list(words)
    at = 1
    while at + 2 < len(kept) and kept[at].text.startswith("-") and len(found) <= most:
        option, following = kept[at].text, kept[at + 1].text
        if option in valued:
            at += 2
        elif following.startswith("-") or not _may_take_value(option):
            at += 1
        else:
            del kept[at + 1]
            found.append((tuple(kept), option, following))
            at += 1
    return found


def _may_take_value(option: str) -> bool:
    long = option.startswith("--") and option != "--"
    return long and "=" not in option and not option.startswith("--no-")
