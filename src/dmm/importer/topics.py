"""Words, topics and tags of instruction text."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from dmm.clients.registry import all_clients
from dmm.text.stem import stem
from dmm.text.words import word_set

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

GENERAL = "general"
MOST_TAGS = 5
_HEADING_WEIGHT = 0.65
_FEW_HITS = 3
_MANY_HITS = 8
_STRAY_HITS = 2
_CLEAR_SHARE = 0.3
_WORD = re.compile(r"[a-z][a-z0-9+#]*")
_CODE_SPAN = re.compile(r"`([^`\n]+)`")
_FENCED = re.compile(r"^[ \t]*(```|~~~)[ \t]*(\w*)[^\n]*\n(.*?)^[ \t]*\1", re.DOTALL | re.MULTILINE)
_COMMAND = re.compile(r"(?:\$ )?([a-z][a-z0-9_-]{1,20})(?: |$)")
_SHELLS = ("", "bash", "sh", "shell", "console", "zsh", "fish")
_TAG = re.compile(r"[a-z0-9][a-z0-9-]*")

# The order decides ties: the more particular topic comes first.
_LEXICON: dict[str, str] = {
    "security": """security secret secrets credential credentials password token tokens auth
        authentication authorization encrypt encryption vulnerability xss csrf injection sanitize
        sanitise permission permissions privacy pii leak oauth jwt bcrypt""",
    "git": """git commit commits branch branches merge rebase push pull pr prs changelog
        conventional squash cherry-pick tag worktree gitignore""",
    "testing": """test tests testing pytest jest vitest unittest coverage mock mocks fixture
        fixtures assertion e2e playwright cypress flaky regression snapshot tdd""",
    "errors": """error errors exception exceptions retry retries failure fallback raise throw catch
        panic traceback timeout recover result unwrap""",
    "database": """database db sql postgres postgresql mysql sqlite migration migrations schema
        query queries index orm prisma transaction table redis alembic""",
    "frontend": """frontend react component components css tailwind ui hook hooks jsx tsx vue svelte
        html browser accessibility aria next client-side render""",
    "api": """api endpoint endpoints route routes rest graphql request requests response http grpc
        openapi webhook webhooks pagination controller handler handlers""",
    "deploy": """deploy deployment release releases docker kubernetes k8s terraform helm ci cd
        pipeline staging production rollback container aws lambda infrastructure""",
    "logging": "log logs logging logger metric metrics tracing telemetry observability monitoring",
    "performance": "performance latency cache caching slow profile profiling benchmark memoize",
    "docs": """doc docs documentation docstring docstrings readme comment comments jsdoc tutorial
        adr""",
    "build": """build builds compile install setup dependency dependencies package packages npm
        pnpm yarn pip uv cargo make makefile lint linter bundle webpack vite toolchain command
        commands environment env config configuration venv""",
    "architecture": """architecture module modules layer layers service services structure
        directory directories folder folders boundary boundaries monorepo design component
        dependency-injection overview""",
    "style": """style naming format formatting indent indentation tabs spaces quotes convention
        conventions typing types type-hints camelcase snake_case const prettier eslint ruff black
        readability functional immutability idiomatic imports""",
    "communication": """respond response reply tone concise answer answers explain ask question
        questions summary verbose language emoji emojis apologise apologize chat user""",
    "workflow": """workflow plan planning task tasks step steps todo review approval process
        session iterate""",
}
_TITLES = {"api": "API", "docs": "documentation", "errors": "error handling"}
_STOP = word_set(
    """a an and any are as at be been being but by can did do does for from get had has have how i
    if in into is it its may more most must my no nor not of off on one only or other our out over
    own per please shall should so some such than that the their them then there these they this
    those through to too under until up us use used uses using very via was we were what when where
    which while who why will with would you your never always all each every also just like make
    sure new file files code project rules rule guidelines guide notes note general important
    section overview instructions md agents follow ensure"""
) | {word for client in all_clients() for word in client.headed}
_LANGUAGES = {
    "ts": "typescript",
    "tsx": "react",
    "jsx": "react",
    "js": "javascript",
    "py": "python",
    "rs": "rust",
    "go": "go",
    "rb": "ruby",
    "kt": "kotlin",
    "sql": "sql",
    "css": "css",
    "md": "markdown",
    "java": "java",
    "vue": "vue",
    "tf": "terraform",
}
_SHELL_NOISE = word_set(
    "cd echo export sudo if then else fi for do done set const let var import from def return "
    "class function async await true false null none the this"
)


@lru_cache(maxsize=1)
def _topics_by_stem() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for topic, text in _LEXICON.items():
        for word in dict.fromkeys(stem(word) for word in text.split()):
            found[word] = (*found.get(word, ()), topic)
    return found


def words(text: str) -> list[str]:
    """Return the lower-case words of a text."""
    return _WORD.findall(text.casefold())


def content_words(text: str) -> list[str]:
    """Return the words of a text that carry a meaning of their own."""
    return [word for word in words(text) if word not in _STOP and len(word) > 1]


def meaning(text: str) -> frozenset[str]:
    """Reduce a heading to the stems and numbers by which it is told from another."""
    return frozenset(map(stem, content_words(text))) | frozenset(re.findall(r"\d+", text))


def topic_of(text: str, heading: str = "") -> str:
    """Choose the topic that a text is about; most of the text must speak against its heading."""
    said, named = _hits(text), _hits(heading)
    total = sum(said.values())
    scores = {t: _HEADING_WEIGHT * named[t] + said[t] / max(total, _FEW_HITS) for t in _LEXICON}
    best = max(scores, key=lambda topic: scores[topic])
    if any(named.values()):
        return best
    scattered = total >= _MANY_HITS and scores[best] < _CLEAR_SHARE
    # Below a heading about something else, one word is a stray one.
    stray = said[best] < _STRAY_HITS and bool(content_words(heading))
    return GENERAL if scattered or stray or not scores[best] else best


def _hits(text: str) -> dict[str, int]:
    hits = dict.fromkeys(_LEXICON, 0)
    for word in words(text):
        for topic in _topics(word):
            # Security is named in passing where it matters most.
            hits[topic] += 2 if topic == "security" else 1
    return hits


@lru_cache(maxsize=65_536)
def _topics(word: str) -> tuple[str, ...]:
    return _topics_by_stem().get(stem(word), ())


def topic_title(topic: str) -> str:
    """Write a topic as a part of a title."""
    return _TITLES.get(topic, topic)


def tags_of(
    text: str, headings: Sequence[str], topic: str, globs: Iterable[str]
) -> tuple[str, ...]:
    """Choose two to five tags: topic, languages of the globs, heading words, tools."""
    candidates = [topic] if topic != GENERAL else []
    candidates += _glob_tags(globs)[:2]
    candidates += [word for heading in reversed(headings) for word in content_words(heading)][:3]
    candidates += _tools(text)
    tags: dict[str, str] = {}
    for candidate in candidates:
        if _TAG.fullmatch(candidate) and len(candidate) <= 30:
            tags.setdefault(stem(candidate), candidate)
    for least, find in ((3, _identifiers), (2, _frequent)):
        for filler in find(text) if len(tags) < least else ():
            if len(tags) < least:
                tags.setdefault(stem(filler), filler)
    return tuple(tags.values())[:MOST_TAGS]


def _commands(text: str) -> list[str]:
    shells = [match.group(3) for match in _FENCED.finditer(text) if match.group(2) in _SHELLS]
    spans = _CODE_SPAN.findall(_FENCED.sub("", text))
    lines = [line for shell in shells for line in shell.splitlines()]
    return lines + [span for span in spans if " " in span]


def _glob_tags(globs: Iterable[str]) -> list[str]:
    found = []
    for glob in globs:
        endings = re.findall(r"[a-z]+", glob.rpartition(".")[2].casefold())
        found += [_LANGUAGES[ending] for ending in endings if ending in _LANGUAGES]
        found += [part for part in re.findall(r"[a-z][a-z0-9-]{2,}(?=/)", glob) if part != "src"]
    return list(dict.fromkeys(found))


def _tools(text: str) -> list[str]:
    found = (_COMMAND.match(code.strip()) for code in _commands(text))
    names = [match.group(1) for match in found if match]
    return list(dict.fromkeys(name for name in names if name not in _SHELL_NOISE))[:3]


def _identifiers(text: str) -> list[str]:
    spans = _CODE_SPAN.findall(_FENCED.sub("", text))
    return [span for span in spans if len(span) > 3 and _TAG.fullmatch(span)]


def _frequent(text: str) -> list[str]:
    bare = Counter(word for word in content_words(text) if len(word) > 3)
    return [*(word for word, _ in bare.most_common(2)), "notes"]
