"""Signs in code: what tells that a place starts a program, keeps data, serves, or asks a model.

A sign counts where its first word stands in code; a few are strings that code uses, such as the
text of a schema. Comments and documentation strings are no evidence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from dmm.ask import libraries
from dmm.ask.sections import Section
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.ask.bare import Bare

MOST_OF_A_RULE = 3


@dataclass(frozen=True, slots=True)
class Rule:
    """One sign: where it belongs, how strong it is, and what else (`beside`) the code has to hold.

    The group `at` of the pattern marks the word that has to be code.
    """

    section: Section
    label: str
    pattern: str
    strength: int
    beside: tuple[str, ...] = ()
    in_string: bool = False
    imports: bool = False


@dataclass(frozen=True, slots=True)
class Sign:
    """A sign that was found, and its line."""

    section: Section
    label: str
    line: int
    strength: int


def _entry(label: str, pattern: str, strength: int, *beside: str) -> Rule:
    return Rule(Section.ENTRY_POINTS, label, pattern, strength, beside)


def _serves(label: str, pattern: str, strength: int, *beside: str) -> Rule:
    return Rule(Section.SURFACES, label, pattern, strength, beside)


def _uses(section: Section, label: str, names: dict[str, str], strength: int, *beside: str) -> Rule:
    pattern = libraries.write_pattern(names)
    return Rule(section, label, pattern, strength, beside, imports=True)


def _imports(names: str) -> str:
    return rf"^[ \t]*(?:import|from)[ \t]+(?:{names})\b"


# How functions begin in the languages that are read.
_DEFINES = (
    r"(?:async[ \t]+)?def|(?:export[ \t]+)?(?:async[ \t]+)?function|func"
    r"|(?:pub[ \t]+)?(?:async[ \t]+)?fn"
)
_RECEIVER = r"[ \t]+(?:\([^)\n]*\)[ \t]*)?_?"
_WRITES_FILES = (
    r"\.write_text\(|\.write_bytes\(|\bopen\([^)\n]*[\"'][wax]|\b(?:json|pickle|yaml)\.dump\("
    r"|writeFile(?:Sync)?\(|os\.WriteFile\(|fs::write\("
)
_BRINGS_BACK = (
    rf"\b(?:{_DEFINES}){_RECEIVER}(?:load|restore|read|fetch|open)(?:_\w+|[A-Z]\w*)?[ \t]*\("
)
_ABOUT_TEXT = r"\b\w*(?:token|embed|prompt|sentence|Token|Embed|Prompt)\w*"

ENTRY_POINTS = (
    _entry("main guard", r"^(?P<at>if)\s+__name__\s*==\s*[\"']__main__[\"']", 4),
    _entry("main function", r"^(?P<at>func)\s+main\s*\(\s*\)", 5, r"^package\s+main\b"),
    _entry("main function", r"^(?P<at>(?:pub\s+)?(?:async\s+)?fn)\s+main\s*\(", 5),
    _entry("main function", r"^\s*(?P<at>public)\s+static\s+void\s+main\s*\(", 5),
    _entry(
        "main function",
        r"^\s*(?P<at>(?:private |public |internal )?static)\s+(?:async\s+)?"
        r"(?:void|int|Task(?:<int>)?)\s+Main\s*\(",
        5,
    ),
    _entry("main function", r"^(?P<at>int|void)\s+main\s*\(", 5),
    _entry("main function", r"^(?P<at>fun)\s+main\s*\(", 5),
    _entry(
        "application",
        r"^(?:\w+\s*(?::\s*[\w.]+\s*)?=\s*)"
        r"(?P<at>(?:fastapi\.)?FastAPI|(?:flask\.)?Flask|Starlette|Sanic|web\.Application)\(",
        3,
    ),
    _entry("server", r"(?P<at>\b\w+)\.listen\(\s*(?:\w*(?:port|PORT)\w*|process\.env|\d{2,5})", 3),
    _entry("server", r"(?P<at>\buvicorn\.run|\bhttp\.ListenAndServe(?:TLS)?|\bserve_forever)\(", 3),
)
PERSISTENCE = (
    _uses(Section.PERSISTENCE, "database", libraries.DATABASES, 3),
    Rule(
        Section.PERSISTENCE,
        "schema",
        r"(?P<at>\bCREATE)\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?[\"`\[]?[\w.]+[\"`\]]?\s*\(",
        4,
        in_string=True,
    ),
    Rule(
        Section.PERSISTENCE,
        "model of a table",
        r"^\s*(?P<at>class)\s+\w+\((?:\w+\.)?(?:Model|DeclarativeBase|Base)\)",
        3,
        (r"\b(?:Column|mapped_column|models\.\w+Field)\(",),
    ),
    Rule(
        Section.PERSISTENCE,
        "model of a table",
        r"^(?P<at>class)\s+\w+\s*<\s*(?:ApplicationRecord|ActiveRecord::Base)",
        3,
    ),
    Rule(Section.PERSISTENCE, "database", r"(?P<at>\bnew\s+(?:PDO|mysqli|SQLite3))\(", 3),
    Rule(
        Section.PERSISTENCE,
        "store of files",
        rf"^[ \t]*(?P<at>{_DEFINES}){_RECEIVER}(?:save|persist|store|keep|checkpoint)"
        r"(?:_\w+|[A-Z]\w*)?[ \t]*\(",
        2,
        (_WRITES_FILES, _BRINGS_BACK),
    ),
)
_HTTP_APP = r"\b(?:fastapi\.)?FastAPI|\b(?:flask\.)?Flask|\bStarlette|\bSanic|\bweb\.Application"
SURFACES = (
    _serves(
        "cli", r"(?P<at>\b\w+)\.(?:command|add_typer|add_command)\(", 4, _imports("typer|click")
    ),
    _serves(
        "cli",
        r"(?P<at>\b(?:typer\.Typer|(?:argparse\.)?ArgumentParser|click\.(?:group|command|Group)"
        r"|fire\.Fire|docopt))\b",
        3,
        _imports("typer|argparse|click|fire|docopt"),
    ),
    _uses(Section.SURFACES, "cli", libraries.COMMAND_LINES, 3),
    _serves(
        "http", rf"(?P<at>{_HTTP_APP})\(", 4, _imports("fastapi|flask|starlette|sanic|aiohttp")
    ),
    _serves(
        "http",
        r"^\s*(?P<at>@\w+(?:\.\w+)*\.(?:get|post|put|delete|patch|route|websocket))\(\s*[\"']/",
        3,
    ),
    _serves(
        "http",
        r"(?P<at>\b(?:APIRouter|Blueprint|BaseHTTPRequestHandler))\b",
        3,
        _imports(r"fastapi|flask|http\.server"),
    ),
    _serves("http", r"^\s*(?P<at>urlpatterns)\s*=\s*\[", 4),
    _serves(
        "http",
        r"(?P<at>\b(?:app|router|server|r|e|mux)\.(?:get|post|put|delete|patch|GET|POST|PUT|DELETE"
        r"|HandleFunc|Handle))\(\s*[\"'`]/",
        3,
    ),
    _serves("http", r"(?P<at>\bhttp\.HandleFunc)\(", 3),
    _serves("http", r"^\s*(?P<at>@(?:Get|Post|Put|Delete|Request)Mapping|@RestController)\b", 3),
    _serves("http", r"(?P<at>\bRouter::new)\(\)", 3),
    _uses(Section.SURFACES, "mcp", libraries.PROTOCOLS, 3),
    _uses(Section.SURFACES, "rpc", libraries.REMOTE_CALLS, 3),
    _serves("library", r"^(?P<at>__all__)\s*=", 1),
    _serves("library", r"^(?P<at>export)\s+(?:\*|\{|default\b)", 1),
    _serves("library", r"^(?P<at>pub)\s+(?:mod|use)\s+\w", 1),
)
CONFIGURATION = (
    Rule(
        Section.CONFIGURATION,
        "settings",
        r"^\s*(?P<at>class|pub\s+struct|struct|type|interface)\s+\w*(?:Config|Settings)\b",
        4,
    ),
    Rule(
        Section.CONFIGURATION,
        "environment",
        r"(?P<at>\bos\.environ\b|\bos\.getenv\(|\bprocess\.env\.|\bos\.Getenv\(|\bSystem\.getenv\("
        r"|\benv::var\(|\bENV\[)",
        2,
    ),
)
AI_GENERATION = (
    _uses(Section.AI_GENERATION, "model library", libraries.MODEL_LIBRARIES, 4),
    _uses(Section.AI_GENERATION, "model runtime", libraries.MODEL_RUNTIMES, 3, _ABOUT_TEXT),
    Rule(
        Section.AI_GENERATION,
        "model service",
        r"(?P<at>\bapi)\.(?:openai|anthropic|mistral|cohere|groq)\.(?:com|ai)\b",
        3,
        in_string=True,
    ),
    Rule(
        Section.AI_GENERATION,
        "model service",
        r"(?P<at>/)(?:v1/)?(?:chat/completions|embeddings|messages)[\"'?]",
        2,
        (r"\b(?:max_tokens|maxTokens|input_tokens|completion)\b",),
        in_string=True,
    ),
)
RULES = (*ENTRY_POINTS, *PERSISTENCE, *SURFACES, *CONFIGURATION, *AI_GENERATION)
SIGNED = frozenset(rule.section for rule in RULES)

_FROM = re.compile(r"^\s*from\s+[\w.]+\s+import\b")
_NAME = re.compile(r"[A-Za-z_]\w{2,}")
_KEYWORDS = word_set("import from require const let var use using static extern crate")


def find_signs(bare: Bare, sections: frozenset[Section]) -> Iterator[Sign]:
    """Find the signs of some sections in a source file."""
    for rule in RULES:
        if rule.section not in sections:
            continue
        places = _places(rule, bare)
        if places and all(_compiled(one).search(bare.told) for one in rule.beside):
            for at in places[:MOST_OF_A_RULE]:
                yield Sign(rule.section, rule.label, bare.line(at), rule.strength)


def _places(rule: Rule, bare: Bare) -> list[int]:
    stands = bare.is_told if rule.in_string else bare.is_code
    found = []
    for match in _compiled(rule.pattern).finditer(bare.text):
        name = match.lastgroup or "at"
        at = match.start(name)
        # The path of a Go module is a string that stands alone on its line.
        if stands(at) or (name == "go" and bare.is_told(at)):
            found.append(_first_use(match, bare, at) if rule.imports else at)
    return found


def _first_use(match: re.Match[str], bare: Bare, at: int) -> int:
    """Find where a file first uses what it imports; the import itself where it never does."""
    end = bare.text.find("\n", match.end())
    if end < 0:
        return at
    said = _FROM.sub("", bare.text[match.start() : end])
    names = [name for name in _NAME.findall(said) if name not in _KEYWORDS]
    if not names:
        return at
    later = _used(tuple(names)).search(bare.code, end)
    return at if later is None else later.start()


@lru_cache(maxsize=64)
def _used(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, names))})\s*[.(]")


@lru_cache(maxsize=128)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)
