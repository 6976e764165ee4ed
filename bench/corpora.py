"""A test collection as values: texts that become memories, and questions with known answers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """One text of a collection; `directory` and `name` give its place in the memory folder."""

    id: str
    directory: str
    name: str
    body: str
    title: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """Where the text lies as a memory."""
        folder = f"project/{self.directory}" if self.directory else "project"
        return f"{folder}/{self.name.removesuffix('.md')}.md"

    @property
    def content(self) -> str:
        """The text as the body of a memory file, under its title."""
        heading = f"# {self.title}"
        if not self.title or self.body.lstrip().startswith(heading):
            return self.body.strip()
        return f"{heading}\n\n{self.body}".strip()


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the ids of the texts that answer it."""

    id: str
    text: str
    relevant: frozenset[str]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class ComparisonSet:
    """Texts that are searched together, and the questions asked of them."""

    name: str
    texts: tuple[Text, ...]
    questions: tuple[Question, ...]
