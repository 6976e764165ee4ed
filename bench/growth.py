"""How the time of everything that reads foreign text grows with its length.

Each reader gets a hostile piece repeated to a length, and to eight times that length. Eight times
the work takes about eight times as long; a square would take 64 times. Only CPU time counts, and a
busy machine gets several looks, so the ratio holds on any machine.
"""

from __future__ import annotations

import datetime as dt
import gc
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from bench import conflicts
from bench.report import Measure, Part
from dmm.domain.event import Trust
from dmm.domain.hidden import find_hidden
from dmm.domain.isolation import find_terms
from dmm.domain.proposal import Edit, Operation, Proposal
from dmm.domain.text import neutralise
from dmm.redaction.redact import redact
from dmm.review.checks import run_checks
from dmm.review.patches import show_diff
from dmm.review.surroundings import Surroundings
from dmm.rules.language.compile import compile_rule
from dmm.rules.language.judge import MAX_DECISION, InForce, Priority, RuleSet, judge

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TIMES = 8
# What grows with the square reaches this; a third power would be 512, far from any noise.
MOST = 64.0
# What is near the clock's resolution is lifted to it.
RESOLUTION = 0.0005
LOOKS = 5


@dataclass(frozen=True, slots=True)
class Reader:
    """What reads a text, the pieces that are hard for it, and the length to begin with."""

    name: str
    read: Callable[[str], object]
    pieces: Sequence[str]
    length: int = 8_192
    most: float = MOST


def measure() -> Part:
    """Measure each reader by the piece that is hardest for it."""
    return Part(
        "Growth",
        tuple(map(_measure, _readers())),
        remark=f"times the CPU time of a text when it becomes {TIMES} times as long; worst piece",
    )


def _measure(reader: Reader) -> Measure:
    found = {piece: _grow(reader, piece) for piece in reader.pieces}
    worst = max(found, key=found.__getitem__)
    note = f"{len(found)} pieces, worst {worst[:24]!r}"
    return Measure(reader.name, found[worst], reader.most, at_most=True, note=note)


def _grow(reader: Reader, piece: str) -> float:
    """Tell how many times as long the long text takes, at the best of a few looks."""
    _spend(reader.read, _fill(piece, reader.length, 0))  # compiled on first use: does not count
    short = (_spend(reader.read, _fill(piece, reader.length, look)) for look in (1, 2))
    usual = max(min(short), RESOLUTION)
    best = float("inf")
    for look in range(LOOKS):
        text = _fill(piece, TIMES * reader.length, look)
        best = min(best, _spend(reader.read, text) / usual)
        if best <= reader.most:
            break
    return best


def _fill(piece: str, length: int, look: int) -> str:
    """Fill a length with a piece; no two looks get the same text, for some readers remember."""
    return f"{(piece * (length // len(piece) + 1))[:length]} {look}"


def _spend(read: Callable[[str], object], text: str) -> float:
    """The CPU time of one reading, without what a collector takes for older objects."""
    gc.disable()
    try:
        begun = time.process_time()
        read(text)
        return time.process_time() - begun
    finally:
        gc.enable()


def _readers() -> list[Reader]:
    text = "Never use eval"
    rules = RuleSet([InForce(1, text, Priority.REQUIRED, compile_rule(text).rule)])
    return [
        Reader("redaction", redact, SECRETS, 10_000),
        Reader("pairs of notes", _pair, [*AMOUNTS, *PERIODS, *CLAUSES, *TRACES]),
        Reader("hidden characters", lambda text: (neutralise(text), find_hidden(text)), HIDDEN),
        Reader("private terms", partial(find_terms, terms=TERMS), ["acme-"], 30_000),
        Reader("checks of a proposal", _check, PROPOSED, 25_000),
        Reader("differences", _compare, ["line\n"], 20_000),
        Reader("decisions", lambda text: judge(text, rules), DECISIONS, MAX_DECISION // TIMES - 1),
    ]


def _pair(text: str) -> str:
    """Judge two notes of which one forbids what the other says."""
    row = {"a": {"title": "A", "body": text}, "b": {"title": "B", "body": f"Never {text}"}}
    return conflicts.judge([conflicts.read_pair({**row, "label": conflicts.CONFLICT})])[0]


def _check(text: str) -> object:
    """Check a proposal of a text that a tool has brought."""
    fields = "id: mem_2026_06_01_001\ntags: [a, b]\nscope: project\npriority: 0.5"
    front = f"---\n{fields}\nconfidence: active\nstatus: active\n---\n\n# Title\n\n"
    proposal = Proposal(
        seq=1,
        operation=Operation.CREATE,
        edits=(Edit("project/a.md", None, front + text),),
        reason="learnt",
        proposer="claude",
        source="mcp",
        trust=Trust.TOOL,
        at="2026-06-01T10:00:00Z",
        session="s",
    )
    around = Surroundings(count=lambda text: 2 * len(text.split()), today=dt.date(2026, 6, 1))
    return run_checks(proposal, around)


def _compare(text: str) -> list[str]:
    """Show the difference of two texts that have nothing in common."""
    count = text.count("\n")
    before = "".join(f"a{n % 97}\n" for n in range(count))
    after = "".join(f"b{n % 89}\na{n % 83}\n" for n in range(count // 2))
    return show_diff(before, after, "project/a.md")


TERMS = ["Acme Corp Holding", "acme acme acme corp"]
AMOUNTS = ["9", "1.", "1,000 ", "half of ", "every other ", "-1", "5/s ", "a-b."]
TRACES = ["the old note ", "we have left ", "until v3 was ", "replaces the old ", "was gone "]
CLAUSES = ["a", "`a", "-1", "/", "a.", "and ", "since ", "between ", "n't ", "if a ", ", use x "]
PERIODS = [
    *("until ", "from 1 ", "in 2.", "between 1 and ", "during the a", "1 may ", "end of "),
    *("(1-2 ", "sprint 1, 2", "christmas and ", "until the a on ", "10:00 to ", "switch a "),
    *("since 2.4 removed ", "at night ", "the first 7 days after ", "on all days but "),
    "monday to friday, ",
]
DECISIONS = [
    *("a-", "f(", "not ", "use ", "and use ", '"a" ', "1 ", ", ", "a.", "use x with x "),
    *("run x in x ", "in a, use x and ", "it them ", "a/b/", "x=false "),
]
HIDDEN = [
    *("plain text\n", "a\u200c", "\u0645\u200c", "\U0001f469\u200d", "\u2764\ufe0f", "\x01"),
    *("\u6f22\U000e0100", "\U000e0150"),
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(sign)) for sign in "gben") + "\U000e007f",
]
PROPOSED = [
    *("send " * 50 + "\n", "a" * 250 + "\n", "- " * 120 + "\n", "# x\n", "<!-- \n"),
    *("](https://x/?" + "&" * 200 + "\n", "ignore the \n"),
]
SECRETS = [
    "password=", 'password="', "password='password=\"", "token", "token is ", "?token=", "x-key-",
    "pass:", "sk-", "eyJ", "AKIA", "-----BEGIN PRIVATE KEY-----", "A\n-----END PRIVATE KEY-----\n",
    "://a:b", "x:aaaaaaaa1@", "\\n", "%41", "\\", "&amp", "\x1b[", "mysql ", "docker login ",
    "a -p ", "authorization: ", "cookie: a=", "<private>", "</private>", "<password",
    "secret: |\n  ", "$1$",
    "phrase ", "aB3/", "a.", "[redacted:", "password=[redacted:x]a", "1111 ", '"', " ", "\tTRUE\tx",
    "Private-Lines: 1\nAAAAAAAAAAAAAAAAAAAAAAAA\n", "credentials: a / ", "login('a', '", "key = ",
    '"a" + ', '"a"\n', "a\\\n", "redis-cli AUTH ", "login a ", "a,password\nb,c1d2\n", "password,",
    "|password|", "INSERT INTO t (password) VALUES (", "('a'),", "QUJDRGVmZ2hpams=",
    '""a""', "''a''", "'\"'\"'", "a+b%20", "a=b+c&d=", "sha512-" + "Ab1/" * 21 + "ab== ",
    "h1:" + "aB3d" * 10 + "abc= ",
    "AAAAC3NzaC1lZDI1NTE5 ", "-----BEGIN CERTIFICATE-----\n", "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A",
    "data:image/png;base64,", "iVBORw0KGgoAAAANSUhEUg", "seed abc def ghi jkl ", '["a", "b"].join',
    "abc1DEF2gh\n", "x" * 79 + "\n", "chpasswd <<EOF\n", "<td>password</td><td>", "${PASSWORD:-",
    'password = f("', "kubectl --from-literal=a=", "aws put-parameter --value ", "abcd'efgh1'",
]  # fmt: skip
