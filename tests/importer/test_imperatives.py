"""Instruction files hold sentences that bind; they are found with their lines."""

from __future__ import annotations

import pytest

from dmm.importer.imperatives import find_imperatives
from dmm.importer.sources import Source

FILE = """# Working here

The service runs on Flask. **IMPORTANT: Never commit to `main`.** Use pnpm, not npm.

- Never run `make clean. All` here.
  Do not call
  `legacy_api()`.
  - Ask before deleting files
- The cache is warm after a minute

```sh
never run this
```

| command | never |
|---|---|
| `a` | never b |

Should tests never run? All checks must pass before merging.
"""


def find(text: str, path: str = "AGENTS.md") -> list[tuple[str, int]]:
    return [(one.text, one.source.first_line) for one in find_imperatives(Source(path, text))]


def test_binding_sentences_are_found_with_their_lines() -> None:
    assert find(FILE) == [
        ("Never commit to `main`.", 3),
        ("Use pnpm, not npm.", 3),
        ("Never run `make clean. All` here.", 5),
        ("Do not call `legacy_api()`.", 6),
        ("Ask before deleting files", 8),
        ("All checks must pass before merging.", 19),
    ]


def test_an_order_after_its_reason_counts() -> None:
    text = "The fixtures use a fake clock, so never call `Date.now()` in them."
    assert find(text) == [(text, 1)]


def test_a_word_that_may_be_a_verb_is_one_among_orders() -> None:
    orders = "- Use the fixtures.\n- Prefer real files.\n"
    update = "Update relevant snapshots."
    assert find(f"{orders}- {update}\n") == [
        ("Use the fixtures.", 1),
        ("Prefer real files.", 2),
        (update, 3),
    ]
    assert (update, 3) not in find(f"- The clock is fake.\n- The disk is real.\n- {update}\n")
    assert find(f"{orders}- Test fixtures: see tests.\n") == find(orders)


def test_a_line_that_says_when_to_run_the_code_below_counts() -> None:
    code = "\n\n```bash\ngit diff origin/main\n```\n"
    assert find(f"Audit before pushing:{code}") == [("Audit before pushing:", 1)]
    assert find(f"Audit the changes:{code}") == []
    assert find("Audit before pushing:\n\n- the tests\n") == []


def test_a_sentence_keeps_the_one_that_it_refers_back_to() -> None:
    text = "`api.ts` is generated from the schema. Never edit it by hand. Never push to main."
    first, second = find_imperatives(Source("AGENTS.md", text))
    assert (first.said, first.before) == (
        "Never edit it by hand.",
        "`api.ts` is generated from the schema.",
    )
    assert second.before == ""


def test_neither_a_long_sentence_before_nor_a_long_quote_comes_along() -> None:
    for many, brought in ((5, True), (100, False)):
        before = f"The client is {'generated ' * many}by a tool."
        (found,) = find_imperatives(Source("A.md", f"{before} Never edit it by hand.\n"))
        assert bool(found.before) is brought
        quote = f"Never write these words:\n\n> {'obviously ' * many}\n"
        (found,) = find_imperatives(Source("A.md", quote))
        assert bool(found.code) is brought


def test_a_sentence_that_ends_with_a_colon_takes_the_quote_below() -> None:
    (one,) = find_imperatives(
        Source("AGENTS.md", "Every page must meet one standard:\n\n> Plain.\n")
    )
    assert one.code is not None
    assert one.code.text == "> Plain."


@pytest.mark.parametrize(
    "text",
    [
        "This is intentionally kept apart, so that it never runs twice in a day.",
        "Run all tests: `make test`",
        "Why must we never do that?",
        "Never do these:",
        "No.",
    ],
)
def test_what_only_explains_is_left(text: str) -> None:
    assert find(text) == []


def test_a_list_binds_whole_if_the_sentence_before_it_does() -> None:
    lead = "Prefer static imports. Only use `import()` when:"
    items = ["Circles cannot be resolved otherwise", "The module must be loaded late"]
    found = find(f"{lead}\n- {items[0]}\n- {items[1]}\n")
    assert [text for text, _ in found][-2:] == items


def test_a_list_binds_whole_if_the_first_sentence_above_it_does() -> None:
    lead = "Never finish before the targets pass. The checks are many, so use these:"
    items = ["The build", "The linters"]
    found = find(f"{lead}\n- {items[0]}\n- {items[1]}\n")
    assert [text for text, _ in found][-2:] == items


def test_the_same_sentence_counts_once() -> None:
    assert find("Never push.\n\n- never push.\n") == [("Never push.", 1)]


@pytest.mark.parametrize(
    ("path", "folder"),
    [("AGENTS.md", ""), ("packages/web/AGENTS.md", "packages/web"), (".cursor/rules/a.mdc", "")],
)
def test_a_nested_file_speaks_for_its_folder(path: str, folder: str) -> None:
    (one,) = find_imperatives(Source(path, "Never push."))
    assert one.folder == folder
