"""Files of 300 to 800 tokens whose last section is asked about, made of Python's documentation.

The source is the documentation of the standard library of the running Python: the docstrings of
its modules, read and never imported, and the topics of its help. The first sentence of a file's
last section is taken out and, with a fixed part of its words dropped, becomes the question. So the
answer stands at the end of the file, and the question is not in it.
"""

from __future__ import annotations

import ast
import re
import sysconfig
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bench.corpora import ComparisonSet, Question, Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

DROPPED_SHARE = 0.25
FILE_WORDS = range(225, 601)
LEAD_WORDS = 150
LAST_WORDS = range(30, 201)
SENTENCE_WORDS = range(7, 31)
SKIPPED = frozenset(
    (
        *("site-packages", "dist-packages", "lib-dynload", "test", "tests", "__pycache__"),
        *("idlelib", "turtledemo", "lib2to3", "encodings", "ensurepip", "pydoc_data"),
        *("msilib", "ctypes"),
    )
)
_SENTENCE_END = re.compile(r"(?<=[a-z)'\"`\]])[.:](?=\s|$)")
_UNDERLINED = re.compile(r"^([^\n]+)\n(?:\*{4,}|={4,}|-{4,}|~{4,})\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands below it."""

    heading: str
    body: str

    @property
    def words(self) -> int:
        """How long the body is."""
        return len(self.body.split())


def build() -> list[ComparisonSet]:
    """Make the set; the same Python makes the same set."""
    makers = [_cut_source(source, sections) for source, sections in _sources()]
    texts = tuple(text for maker in makers for text in maker.texts)
    questions = tuple(question for maker in makers for question in maker.questions)
    return [ComparisonSet("long files", texts, questions)]


def _sources() -> Iterator[tuple[str, list[Section]]]:
    """Name every source with its sections, none of them twice."""
    seen: set[str] = set()
    for source, sections in (*_library(), *_topics()):
        new = [section for section in sections if section.body not in seen]
        seen.update(section.body for section in new)
        yield source, new


def _library() -> Iterator[tuple[str, list[Section]]]:
    library = Path(sysconfig.get_path("stdlib"))
    for path in sorted(library.rglob("*.py")):
        module = path.parent if path.name == "__init__.py" else path.with_suffix("")
        parts = module.relative_to(library).parts
        if SKIPPED.isdisjoint(parts) and not any(part.startswith("_") for part in parts):
            yield ".".join(parts), list(_docstrings(path))


def _docstrings(path: Path) -> Iterator[Section]:
    try:
        tree = ast.parse(path.read_text("utf-8"))
    except (SyntaxError, UnicodeDecodeError):
        return
    yield from _documented(tree, "")


def _documented(node: ast.AST, prefix: str) -> Iterator[Section]:
    for child in getattr(node, "body", []):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            text = ast.get_docstring(child)
            if text:
                yield Section(prefix + child.name, text)
            if isinstance(child, ast.ClassDef):
                yield from _documented(child, f"{prefix}{child.name}.")


def _topics() -> Iterator[tuple[str, list[Section]]]:
    from pydoc_data.topics import topics

    for name, text in sorted(topics.items()):
        heads = list(_UNDERLINED.finditer(text))
        ends = [head.start() for head in heads[1:]] + [len(text)]
        sections = [
            Section(head[1].strip(' "'), text[head.end() : end].strip())
            for head, end in zip(heads, ends, strict=True)
        ]
        yield f"topics.{name}", sections


@dataclass(slots=True)
class _Maker:
    source: str
    texts: list[Text] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    gathered: list[Section] = field(default_factory=list)

    @property
    def words(self) -> int:
        return sum(section.words for section in self.gathered)

    def close(self, last: Section | None = None) -> str:
        """Write what is gathered as one file and begin the next; give its id."""
        sections = [*self.gathered, *([last] if last else [])]
        number = len(self.texts) + 1
        directory = self.source.partition(".")[0]
        name = f"{self.source.replace('.', '-')}-{number:03d}"
        body = "\n\n".join(f"## {section.heading}\n\n{section.body}" for section in sections)
        title = f"{self.source} part {number}"
        self.texts.append(Text(f"{directory}/{name}", directory, name, body, title))
        self.gathered = []
        return self.texts[-1].id


def _cut_source(source: str, sections: Iterable[Section]) -> _Maker:
    """Gather sections into files; where one can stand last, ask about it."""
    maker = _Maker(source)
    for section in sections:
        sentence, rest = _split_sentence(section.body)
        last = Section(section.heading, rest)
        if _can_end(maker.words, sentence, last):
            id_ = maker.close(last)
            asked = _drop_words(sentence, id_)
            # Some documentation repeats itself: a question that is still in the file is no test.
            if asked not in " ".join(maker.texts[-1].body.split()):
                maker.questions.append(Question(id_, asked, frozenset([id_])))
            continue
        if maker.words + section.words >= FILE_WORDS.stop:
            if maker.words in FILE_WORDS:
                maker.close()
            maker.gathered = []
        if section.words < FILE_WORDS.stop:
            maker.gathered.append(section)
    return maker


def _can_end(words: int, sentence: str, last: Section) -> bool:
    prose = ">>>" not in sentence and "(" not in sentence[:12]
    return (
        prose
        and words >= LEAD_WORDS
        and len(sentence.split()) in SENTENCE_WORDS
        and last.words in LAST_WORDS
        and words + last.words in FILE_WORDS
    )


def _split_sentence(text: str) -> tuple[str, str]:
    """Part the first sentence from the rest of a text."""
    paragraph, _, others = text.partition("\n\n")
    line = " ".join(paragraph.split())
    end = _SENTENCE_END.search(line)
    sentence = line[: end.end()] if end else line
    return sentence, f"{line[len(sentence) :].strip()}\n\n{others}".strip()


def _drop_words(sentence: str, key: str) -> str:
    """Drop a fixed choice of the words, about a quarter of them."""
    words = sentence.rstrip(".:").split()
    draws = (zlib.crc32(f"{key}|{n}|{word}".encode()) / 2**32 for n, word in enumerate(words))
    kept = [word for word, draw in zip(words, draws, strict=True) if draw >= DROPPED_SHARE]
    return " ".join(kept)
