"""Front matter: read within limits, and edited without touching another byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dmm.errors import MemoryFileError
from dmm.files import front_matter, markdown

if TYPE_CHECKING:
    from tests.conftest import MemoryText

PATH = "project/a.md"
QUOTE = "quote values that contain ':', '#', brackets or quotes"


def refusal(text: str) -> MemoryFileError:
    with pytest.raises(MemoryFileError) as raised:
        front_matter.read_fields(PATH, front_matter.cut(PATH, text))
    return raised.value


@pytest.mark.parametrize(
    ("text", "fault", "message"),
    [
        ("", "yaml", "1: no front matter"),
        ("# Title", "yaml", "1: no front matter"),
        ("---", "yaml", "1: the front matter is not closed"),
        ("---\nid: a\n# Title\n", "yaml", "1: the front matter is not closed"),
        ("---\n" + "\n" * 9_000 + "---\n", "yaml", "1: the front matter is not closed"),
        ("---\n---\n", "schema", "2: the front matter is empty"),
        ("---\n# comment\n---\n", "schema", "2: the front matter is empty"),
        (
            "---\n- a\n- b\n---\n",
            "yaml",
            "2: the front matter is not a list of 'key: value' fields",
        ),
        ("---\nword\n---\n", "yaml", "2: the front matter is not a list of 'key: value' fields"),
        ("---\nid: a\nid: b\n---\n", "yaml", "3: the field 'id' is listed twice"),
        (
            "---\nid: a\ncites:\n  - path: a\n    path: b\n---\n",
            "yaml",
            "5: the field 'path' is listed twice",
        ),
        ("---\nid: a\n? [b]\n: c\n---\n", "yaml", "3: a field name must be a plain word"),
        ("---\ncites: [{[a]: b}]\n---\n", "yaml", "2: a field name must be a plain word"),
        (
            "---\nid: &a b\n---\n",
            "yaml",
            "2: YAML anchors and aliases ('&', '*') are not allowed",
        ),
        (
            "---\nid: b\ntags: [*a]\n---\n",
            "yaml",
            "3: YAML anchors and aliases ('&', '*') are not allowed",
        ),
        (
            "---\ntags: " + "[" * 4_000 + "\n---\n",
            "yaml",
            "2: the front matter is nested too deeply",
        ),
        ("---\nid: [x\n---\n", "yaml", "3: not valid YAML: did not find expected ',' or ']'"),
        (
            "---\nid: a\nnote: b: c\n---\n",
            "yaml",
            "3: not valid YAML: mapping values are not allowed in this context",
        ),
        (
            "---\nid: é\nnote: b\x07c\n---\n",
            "yaml",
            "3: not valid YAML: unacceptable character #x0007: control characters are not allowed",
        ),
        (
            "---\nnote: " + "x" * (16 * 1024) + "\n---\n",
            "yaml",
            "2: the front matter is larger than 16 KiB",
        ),
    ],
)
def test_what_only_causes_surprises_is_refused_with_its_line(
    text: str, fault: str, message: str
) -> None:
    refused = refusal(text)
    assert str(refused) == f"{PATH}:{message}"
    assert refused.fault == fault


def test_a_refusal_names_the_way_out() -> None:
    assert refusal("---\nid: [x\n---\n").hint == QUOTE
    assert refusal("---\nid: &a b\n---\n").hint == "quote the text"
    assert refusal("---\nid: a\n").hint == "close the front matter with a line '---'"
    assert refusal("text").hint == (
        "start the file with a line '---', the fields, and another '---' (see docs/FORMAT.md)"
    )


def test_front_matter_of_16_kib_is_still_read() -> None:
    text = "---\nnote: " + "x" * (16 * 1024 - 6) + "\n---\n"
    fields = front_matter.read_fields(PATH, front_matter.cut(PATH, text))
    assert fields["note"].line == 2


def test_the_fence_may_be_followed_by_blanks_and_stand_again_in_the_body() -> None:
    parts = front_matter.cut(PATH, "---  \nid: a\n--- \nbody\n---\nmore")
    assert parts == front_matter.Parts("id: a", "body\n---\nmore", 2, 4)


@given(
    st.recursive(
        st.text(st.characters(exclude_categories=["Cs"])) | st.integers(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=3)
        ),
        max_leaves=6,
    )
)
def test_a_value_is_always_written_on_one_line(value: object) -> None:
    assert len(front_matter.dump_value(value).splitlines()) == 1


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_an_edit_keeps_every_other_byte(newline: str) -> None:
    source = newline.join(
        [
            "\ufeff--- ",
            "# a remark",
            "'id' :  mem_2026_01_31_001   # stays",
            "tags:   # gone with the list",
            "  - http",
            "  # inside the list",
            "",
            "  - retry",
            "",
            "# before note",
            "note: |",
            "  status: not a field",
            "",
            "priority: 0.50  # why",
            "supersedes:",
            "status: active",
            "---",
            "",
            "# Title",
            "status: body\r\n mixed\n",
        ]
    )
    changes = {"tags": "[a, b]", "status": "deprecated", "supersedes": "[x]", "id": "mem_1"}
    edited = front_matter.edit(source, changes | {"usage_count": "3", "related": "[y]"})
    assert edited == newline.join(
        [
            "\ufeff--- ",
            "# a remark",
            "'id' :  mem_1   # stays",
            "tags: [a, b]",
            "",
            "# before note",
            "note: |",
            "  status: not a field",
            "",
            "priority: 0.50  # why",
            "supersedes: [x]",
            "status: deprecated",
            "usage_count: 3",
            "related: [y]",
            "---",
            "",
            "# Title",
            "status: body\r\n mixed\n",
        ]
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("note: |\n  a\n  b\nid: x", "note: new\nid: x"),
        ("note: >-\n  a\n\n  b\n\nid: x", "note: new\n\nid: x"),
        ("note: [a,\nb]\nid: x", "note: new\nid: x"),
        ("note: 'a\n\n  b' # c\nid: x", "note: new # c\nid: x"),
        ("note:\n- a\n- b: c\n  d: [e]\nid: x", "note: new\nid: x"),
        ("note:\n  a: b\n  c:\nid: x", "note: new\nid: x"),
        ("note:\n\nid: x", "note: new\n\nid: x"),
        ('"note": a\nid: x', '"note": new\nid: x'),
        ("note: é世界\nid: x", "note: new\nid: x"),
        ("id: x", "id: x\nnote: new"),
    ],
)
def test_a_value_of_any_form_is_replaced_whole(old: str, new: str) -> None:
    edited = front_matter.edit(f"---\n{old}\n---\n# T", {"note": "new"})
    assert edited == f"---\n{new}\n---\n# T"


def test_an_edit_of_empty_front_matter_adds_the_field() -> None:
    assert front_matter.edit("---\n---\n# T", {"id": "x"}) == "---\nid: x\n---\n# T"


@pytest.mark.parametrize("text", ["# Title", "---\nid: a\n"])
def test_a_text_without_front_matter_can_not_be_edited(text: str) -> None:
    with pytest.raises(ValueError, match="the text has no front matter"):
        front_matter.edit(text, {"id": "x"})


@given(
    st.dictionaries(
        st.sampled_from(["tags", "status", "priority", "created", "expires"]),
        st.sampled_from(["a", "[a, b]", "'x: y'", "0.5"]),
    ),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_edited_fields_read_back_and_the_others_stay(changes: dict[str, str], newline: str) -> None:
    source = "---\nid: a\ntags:\n  - x\n\nstatus: b # c\npriority: 1\n---\n# T\n".replace(
        "\n", newline
    )
    text = markdown.plain(front_matter.edit(source, changes))
    fields = front_matter.read_fields(PATH, front_matter.cut(PATH, text))
    before = {"id": "a", "tags": "[x]", "status": "b", "priority": "1"}
    read = {
        name: f"[{', '.join(item.value for item in field.node.value)}]"
        if isinstance(field.node.value, list)
        else field.node.value
        for name, field in fields.items()
    }
    assert read == before | {name: value.strip("'") for name, value in changes.items()}


def test_an_edit_undone_gives_the_same_file(memory_text: MemoryText) -> None:
    source = memory_text()
    there = front_matter.edit(source, {"status": "deprecated"})
    assert there != source
    assert front_matter.edit(there, {"status": "active"}) == source


@given(
    st.lists(
        st.sampled_from(["yes", "no", "on", "off", "y", "n", "true", "false", "null", "e2e", "a-"])
        | st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True)
        | st.text(max_size=6),
        max_size=4,
    )
)
def test_plain_words_are_written_as_yaml_writes_them(words: list[str]) -> None:
    told = front_matter.dump_value(words)
    written = front_matter._dump(words, None)
    assert told == written or len(written.splitlines()) != 1
    assert yaml.safe_load(told) == words
