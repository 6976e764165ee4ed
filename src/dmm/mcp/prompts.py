"""The prompts: ways to work with the memory, ready to send with a task."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

WORKFLOWS, EXAMPLES = "workflows.md", "tool_examples.md"
LONGEST_TASK = 20_000


@dataclass(frozen=True, slots=True)
class Workflow:
    """One way to work: its name, what it is for, and the steps."""

    name: str
    title: str
    purpose: str
    text: str

    def about(self, task: str) -> str:
        """The steps, and what they are to be taken for."""
        return f"{self.text}\n\nThe task: {task}" if task.strip() else self.text


# Its text is written anew at each request: the rules that have no matcher yet.
DRAFT = Workflow(
    "draft_rules",
    "Draft rules",
    "Write matchers for rules that are not yet enforced on tool calls.",
    "",
)


@cache
def workflows() -> dict[str, Workflow]:
    """Return all prompts by name: one for each workflow, and one with examples of all tools."""
    text = (_folder() / WORKFLOWS).read_text("utf-8")
    _, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    found = [_section(section) for section in sections]
    examples = (_folder() / EXAMPLES).read_text("utf-8").strip()
    found.append(_workflow("tool_examples", examples.partition("\n")[0].lstrip("# "), examples))
    return {one.name: one for one in found}


def _section(section: str) -> Workflow:
    title = section.partition("\n")[0].strip()
    name = "_".join(re.findall(r"[a-z]+", title.lower()))
    return _workflow(name, title, f"## {section.strip()}")


def _workflow(name: str, title: str, text: str) -> Workflow:
    """Take the first paragraph for the purpose; where the steps begin at once, the title."""
    first = " ".join(text.split("\n\n")[1].split())
    return Workflow(name, title, title if first.startswith("1.") else first, text)


def _folder() -> Traversable:
    """Find the prompts: in the installed package, or beside the sources."""
    packed = resources.files("dmm") / "data" / "prompts"
    return packed if packed.is_dir() else Path(__file__).parents[3] / "prompts"
