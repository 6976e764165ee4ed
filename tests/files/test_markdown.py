"""Markdown ↔ memory: what is written reads back the same, and a fault names file and line."""

from __future__ import annotations

import contextlib
import datetime as dt
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dmm.domain.memory import Citation, Confidence, Memory, Scope, Status
from dmm.errors import MemoryFileError
from dmm.files import markdown

if TYPE_CHECKING:
    from tests.conftest import MemoryText

PATH = "project/http/retry.md"
WANT_CITES = "'cites' must be a list of maps with path, and symbol, lines, hash if wanted"

words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda t: t.strip())
odd = st.sampled_from(
    [
        *("no", "on", "~", "null", "1.0", "0o7", "a: b", "a, b", "[x]", "{y}", "# z", "'", '"'),
        *("- a", "é", "世界", "2026-01-31", "&a", "*a", "!t", "a\nb", "---", "a\n---\nb", "\x07"),
        *("x\u2028y", " lead", "trail ", "tab\there", "\ufeff", "👩\u200d💻", "%", "@", "`", "<<"),
    ]
)
texts = odd | words
days = st.none() | st.dates() | st.datetimes() | st.datetimes(timezones=st.just(dt.UTC))
spans = st.tuples(st.integers(1, 999), st.integers(0, 99)).map(lambda t: (t[0], t[0] + t[1]))
citations = st.builds(
    Citation,
    texts,
    st.none() | texts,
    st.none() | spans,
    st.none() | st.from_regex(r"[0-9a-f]{16}"),
)
titles = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"], exclude_characters="#")
).filter(lambda t: t.strip())
rests = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"))


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    scope = draw(st.sampled_from(Scope))
    title = draw(titles)
    ids = st.from_regex(r"mem_[0-9]{4}_[0-9]{2}_[0-9]{2}_[0-9]{3,5}[a-z0-9_]{0,5}", fullmatch=True)
    return Memory(
        id=draw(ids),
        path=f"{scope}/a.md",
        title=title,
        body=f"# {title}\n{draw(rests)}".strip("\n"),
        tags=tuple(draw(st.lists(texts, max_size=4))),
        scope=scope,
        priority=draw(st.floats(0.0, 1.0)),
        confidence=draw(st.sampled_from(Confidence)),
        status=draw(st.sampled_from(Status)),
        created=draw(days),
        last_used=draw(days),
        usage_count=draw(st.integers(0, 999_999_999)),
        aliases=tuple(draw(st.lists(texts, max_size=2))),
        supersedes=tuple(draw(st.lists(texts, max_size=2))),
        related=tuple(draw(st.lists(texts, max_size=2))),
        paths=draw(st.sampled_from([(), ("src/**",), ("docs/*.md", "!docs/old.md")])),
        expires=draw(days),
        cites=tuple(draw(st.lists(citations, max_size=3))),
    )


@given(memories())
def test_a_memory_written_reads_back_the_same(memory: Memory) -> None:
    text = markdown.render(memory)
    document = markdown.parse(memory.path, text)
    assert document.memory == memory
    assert document.source == text
    assert document.unknown == ()


def test_the_canonical_form_is_plain_to_read() -> None:
    memory = Memory(
        id="mem_2026_01_31_001",
        path=PATH,
        title="Retry policy",
        body="# Retry policy\n\nThree times.",
        tags=("http", "no", "a: b"),
        scope=Scope.PROJECT,
        priority=0.5,
        confidence=Confidence.STABLE,
        status=Status.ACTIVE,
        created=dt.date(2026, 1, 31),
        last_used=dt.date(2026, 2, 1),
        usage_count=3,
        supersedes=("mem_2025_12_01_001",),
        related=("mem_2025_12_01_002",),
        expires=dt.datetime(2027, 1, 1, 12, 30, tzinfo=dt.UTC),
        cites=(Citation("src/http.py", "retry", (10, 20), "0123456789abcdef"), Citation("a.py")),
    )
    assert markdown.render(memory) == (
        "---\n"
        "id: mem_2026_01_31_001\n"
        "tags: [http, 'no', 'a: b']\n"
        "scope: project\n"
        "priority: 0.5\n"
        "confidence: stable\n"
        "status: active\n"
        "created: 2026-01-31\n"
        "last_used: 2026-02-01\n"
        "expires: 2027-01-01T12:30:00+00:00\n"
        "usage_count: 3\n"
        "supersedes: [mem_2025_12_01_001]\n"
        "related: [mem_2025_12_01_002]\n"
        "cites:\n"
        "  - {path: src/http.py, symbol: retry, lines: [10, 20], hash: 0123456789abcdef}\n"
        "  - {path: a.py}\n"
        "---\n"
        "\n"
        "# Retry policy\n"
        "\n"
        "Three times.\n"
    )


def test_words_that_yaml_would_turn_into_other_things_stay_words(memory_text: MemoryText) -> None:
    text = memory_text(tags="[no, on, yes, 1.0, 010, null, 2026-01-31, 0x1F]")
    memory = markdown.parse(PATH, text).memory
    assert memory.tags == ("no", "on", "yes", "1.0", "010", "null", "2026-01-31", "0x1F")


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_any_newline_and_a_byte_order_mark_are_accepted_and_the_source_is_kept(
    memory_text: MemoryText, newline: str, mark: str
) -> None:
    source = mark + memory_text().replace("\n", newline)
    document = markdown.parse(PATH, source)
    assert document.source == source
    assert document.memory == markdown.parse(PATH, memory_text()).memory
    assert document.memory.body == "# Retry policy\n\nRetry a failed call three times."


def test_unknown_fields_are_kept_and_named_with_their_line(memory_text: MemoryText) -> None:
    document = markdown.parse(PATH, memory_text(owner="alice", notes="{a: [1, 2]}"))
    assert document.unknown == (("owner", 8), ("notes", 9))


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("# Title", "Title"),
        ("text\n\n# Title\n# Second", "Title"),
        ("# Closed #", "Closed"),
        ("#   Spaces \t ##  ", "Spaces"),
        ("   # Indented three", "Indented three"),
        ("    # Indented four is code", None),
        ("#NoSpace", None),
        ("## Second level", None),
        ("# \n# Filled", "Filled"),
        ("Setext\n===", "Setext"),
        ("\n===", None),
        ("Second level\n---", None),
        ("```\n# in code\n```\n# Outside", "Outside"),
        ("~~~\n# in code\n```\n# still\n~~~\n# Outside", "Outside"),
        ("````\n```\n# in code\n````\n# Outside", "Outside"),
        ("```\n```python\n# in code\n```\n# Outside", "Outside"),
        ("```\n# in code\n    ```\n# still\n```\n# Outside", "Outside"),
        ("```one``` is no fence\n# Outside", "Outside"),
        ("```\nopen to the end\n# in code", None),
        ("```\nA\n```\n===", None),
        ("", None),
    ],
)
def test_the_title_is_the_first_heading_outside_code(body: str, title: str | None) -> None:
    assert markdown.find_title(body) == title


@pytest.mark.parametrize(
    ("field", "value", "line", "message"),
    [
        ("id", "x", 2, "'id' must be like mem_2026_01_31_001, not 'x'"),
        ("id", "", 2, "'id' must be like mem_2026_01_31_001, not ''"),
        ("id", "[a]", 2, "'id' must be like mem_2026_01_31_001, not a list or map"),
        ("tags", "http", 3, "'tags' must be a list like [a, b], not 'http'"),
        ("tags", "", 3, "'tags' must be a list like [a, b], not ''"),
        ("tags", "{a: b}", 3, "'tags' must be a list like [a, b], not a list or map"),
        ("tags", "[a, [b]]", 3, "'tags' must be a list of words, not a list or map"),
        ("tags", "[a, ' ']", 3, "'tags' must be a list of words, not a list or map"),
        (
            "scope",
            "team",
            4,
            "'scope' must be one of baseline, global, agent, project, ephemeral, not 'team'",
        ),
        ("scope", "global", 4, "scope 'global' does not match the folder 'project'"),
        ("priority", "high", 5, "'priority' must be a number from 0.0 to 1.0, not 'high'"),
        ("priority", "1.01", 5, "'priority' must be a number from 0.0 to 1.0, not '1.01'"),
        ("priority", "-0.1", 5, "'priority' must be a number from 0.0 to 1.0, not '-0.1'"),
        ("priority", "nan", 5, "'priority' must be a number from 0.0 to 1.0, not 'nan'"),
        ("priority", "true", 5, "'priority' must be a number from 0.0 to 1.0, not 'true'"),
        ("priority", "[0.5]", 5, "'priority' must be a number from 0.0 to 1.0, not a list or map"),
        (
            "confidence",
            "sure",
            6,
            "'confidence' must be one of experimental, active, stable, deprecated, not 'sure'",
        ),
        ("status", "no", 7, "'status' must be one of active, deprecated, not 'no'"),
        ("created", "today", 8, "'created' must be a date like 2026-01-31, not 'today'"),
        ("created", "2026-02-30", 8, "'created' must be a date like 2026-01-31, not '2026-02-30'"),
        (
            "last_used",
            "31.01.2026",
            8,
            "'last_used' must be a date like 2026-01-31, not '31.01.2026'",
        ),
        ("expires", "[2026]", 8, "'expires' must be a date like 2026-01-31, not a list or map"),
        ("usage_count", "-1", 8, "'usage_count' must be a whole number, not '-1'"),
        ("usage_count", "1.5", 8, "'usage_count' must be a whole number, not '1.5'"),
        ("aliases", "x", 8, "'aliases' must be a list like [a, b], not 'x'"),
        ("paths", "src/**", 8, "'paths' must be a list like [a, b], not 'src/**'"),
        *(
            (
                "paths",
                f"[{glob}]",
                8,
                "'paths' must be globs of files in the repository, like [src/billing/**],"
                " not a list or map",
            )
            for glob in ("../other/**", "~/notes.md", r"src\\a.py")
        ),
        ("supersedes", "x", 8, "'supersedes' must be a list like [a, b], not 'x'"),
        ("related", "[[a]]", 8, "'related' must be a list of words, not a list or map"),
        ("cites", "a.py", 8, "'cites' must be a list of places, each with a 'path', not 'a.py'"),
        ("cites", "[{symbol: x}]", 8, f"{WANT_CITES}, not a list or map"),
        ("cites", "[{path: a, line: 1}]", 8, f"{WANT_CITES}, not a list or map"),
        ("cites", "[[a]]", 8, f"{WANT_CITES}, not a list or map"),
        ("cites", "['']", 8, f"{WANT_CITES}, not a list or map"),
        ("cites", "[{path: [a]}]", 8, f"{WANT_CITES}, not a list or map"),
        (
            "cites",
            "[{path: a, symbol: [x]}]",
            8,
            "'cites' must be a list whose 'symbol' and 'hash' are plain text, not a list or map",
        ),
        *(
            (
                "cites",
                f"[{{path: a, lines: {lines}}}]",
                8,
                "'cites' must be a list whose 'lines' are [first, last], not a list or map",
            )
            for lines in ("[2, 1]", "[0, 1]", "[1]", "[1, 2, 3]", "x", "1-2", "[[1], 2]", "{a: b}")
        ),
    ],
)
def test_a_wrong_value_is_named_with_its_line_and_what_is_wanted(
    memory_text: MemoryText, field: str, value: str, line: int, message: str
) -> None:
    with pytest.raises(MemoryFileError) as raised:
        markdown.parse(PATH, memory_text(**{field: value}))
    assert str(raised.value) == f"{PATH}:{line}: {message}"
    assert raised.value.fault == "schema"


@pytest.mark.parametrize(
    "name",
    [
        *("created", "last_used", "usage_count", "aliases", "paths"),
        *("supersedes", "related", "expires", "cites"),
    ],
)
def test_an_optional_field_may_be_empty(memory_text: MemoryText, name: str) -> None:
    given = markdown.parse(PATH, memory_text(**{name: ""})).memory
    assert given == markdown.parse(PATH, memory_text()).memory


def test_citations_may_be_short_or_full(memory_text: MemoryText) -> None:
    text = memory_text(
        cites="[src/a.py, {path: b.py, lines: 5}, {path: c.py, symbol: ~, hash: null, lines: }]"
    )
    assert markdown.parse(PATH, text).memory.cites == (
        Citation("src/a.py"),
        Citation("b.py", lines=(5, 5)),
        Citation("c.py"),
    )


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        (("id",), "missing field: id"),
        (("scope", "tags"), "missing fields: tags, scope"),
    ],
)
def test_missing_fields_are_listed(
    memory_text: MemoryText, missing: tuple[str, ...], message: str
) -> None:
    with pytest.raises(MemoryFileError) as raised:
        markdown.parse(PATH, memory_text(without=missing))
    assert str(raised.value) == f"{PATH}:2: {message}"
    assert raised.value.hint == "add them; docs/FORMAT.md lists every field"


@pytest.mark.parametrize(
    ("path", "folder"), [("retry.md", "."), ("global/retry.md", "global"), ("deprecated", ".")]
)
def test_scope_and_folder_must_agree(memory_text: MemoryText, path: str, folder: str) -> None:
    with pytest.raises(MemoryFileError) as raised:
        markdown.parse(path, memory_text())
    assert raised.value.what == f"scope 'project' does not match the folder '{folder}'"
    assert raised.value.hint == "move the file to project/ or set scope to its folder's name"


def test_a_deprecated_memory_keeps_its_scope(memory_text: MemoryText) -> None:
    memory = markdown.parse("deprecated/retry.md", memory_text()).memory
    assert (memory.scope, memory.in_force) == (Scope.PROJECT, False)


@pytest.mark.parametrize(
    ("body", "message"), [("", "the body is empty"), ("text\n\nonly", "no title")]
)
def test_a_body_without_a_title_is_refused(
    memory_text: MemoryText, body: str, message: str
) -> None:
    head = memory_text().partition("# Retry")[0]
    with pytest.raises(MemoryFileError) as raised:
        markdown.parse(PATH, head + body)
    assert str(raised.value) == f"{PATH}:9: {message}"
    assert raised.value.fault == "content"


def test_a_binary_file_is_refused() -> None:
    with pytest.raises(MemoryFileError) as raised:
        markdown.decode(PATH, b"\x89PNG\x00\x00")
    assert str(raised.value) == f"{PATH}: a binary file, not text"
    assert raised.value.hint == "save it as UTF-8 text, or remove it"


def test_text_in_latin_1_is_refused_with_its_line(memory_text: MemoryText) -> None:
    data = memory_text(body="Grüße").encode("latin-1")
    with pytest.raises(MemoryFileError) as raised:
        markdown.decode(PATH, data)
    assert str(raised.value) == f"{PATH}:12: not UTF-8 text"
    hint = "save it as UTF-8 in an editor, or: iconv -f latin1 -t utf-8 FILE > NEW"
    assert raised.value.hint == hint


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda t: t.encode("utf-8", "replace")))
@example(b"")
@example(b"---\n---\n")
@example(b"---\n? [a]\n: b\n---\n# T")
def test_whatever_a_file_holds_it_is_a_memory_or_a_fault(data: bytes) -> None:
    for content in (data, b"---\n" + data + b"\n---\n# T\n"):
        with contextlib.suppress(MemoryFileError):
            markdown.parse(PATH, markdown.decode(PATH, content))


def test_a_byte_anywhere_in_the_front_matter_breaks_nothing_else(memory_text: MemoryText) -> None:
    text = memory_text(cites="[{path: a, lines: [1, 2]}]", created="2026-01-31")
    for at in range(text.index("# Retry")):
        for sign in "\"'[{&*!|>%@`,:#-\t?\x07":
            with contextlib.suppress(MemoryFileError):
                markdown.parse(PATH, text[:at] + sign + text[at:])


def test_a_heading_of_endless_blanks_is_read_at_once() -> None:
    body = "# a" + " " * 200_000 + "b ##"
    assert markdown.find_title(body) == "a" + " " * 200_000 + "b"


@pytest.mark.parametrize(
    ("line", "title"),
    [("# C# #", "C#"), ("# a ## ", "a"), ("# a#", "a#"), ("#\tTab", "Tab"), ("# ##", None)],
)
def test_closing_marks_are_no_part_of_a_title(line: str, title: str | None) -> None:
    assert markdown.find_title(line) == title
