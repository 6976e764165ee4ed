"""What a question calls by name comes first, and is never called missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable


HARBOUR = {
    "README.md": "# Harbour\n\nHarbour plans the berths of ships.\n",
    "CONTRIBUTING.md": "# Contributing\n\nRun `bin/moor` to set up the quay.\n",
    "src/quay.py": "def set_up_quay():\n    level = 1\n    return level\n",
    "src/tide.py": "def compute_tide(level):\n    high = level * 2\n    return high\n",
    "package.json": '{"name": "harbour", "scripts": {"start": "harbour --serve"}}',
}


@pytest.fixture
def answer(answer_about: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    return lambda question, files=HARBOUR: answer_about(files, question)


def test_a_document_that_is_named_answers(answer: Callable[..., dict[str, Any]]) -> None:
    told = answer("what does CONTRIBUTING.md say about setting up the quay?")
    assert told["points"][0]["cite"].startswith("CONTRIBUTING.md:")
    assert told["missing"] == []


@pytest.mark.parametrize("name", ["tide.py", "src/tide.py"])
def test_a_file_that_is_named_answers_by_its_end(
    answer: Callable[..., dict[str, Any]], name: str
) -> None:
    [first, *_] = answer(f"what does {name} do with a quay?")["points"]
    assert first["cite"].startswith("src/tide.py:")


def test_a_bare_name_means_no_file_of_the_tests(answer: Callable[..., dict[str, Any]]) -> None:
    files = HARBOUR | {
        "tests/quay.json": '{"quay": 1}\n',
        "src/load.py": "def read_quay():\n    path = 'quay.json'\n    return open(path)\n",
    }
    told = answer("where is quay.json read?", files)
    assert told["points"][0]["cite"].startswith("src/")


def test_a_file_that_is_not_there_is_missing(answer: Callable[..., dict[str, Any]]) -> None:
    assert answer("what does src/ebb.py do with a quay?")["unknown"] == ["src/ebb.py"]


def test_a_definition_that_is_named_comes_first(answer: Callable[..., dict[str, Any]]) -> None:
    files = HARBOUR | {
        f"src/level{at}.py": "def level(tide):\n    return tide\n" for at in range(4)
    }
    told = answer("how does `compute_tide` read the level of the tide?", files)
    assert told["points"][0]["cite"].startswith("src/tide.py:")


def test_short_words_are_looked_up_too(answer: Callable[..., dict[str, Any]]) -> None:
    files = {"src/xy.py": 'def turn(k):\n    """Turn XY into QZ."""\n    return k + 1\n'}
    assert answer("where is XY done?", files)["points"][0]["cite"] == "src/xy.py:1"


def test_the_description_of_a_manifest_says_what_a_readme_does_not(
    answer: Callable[..., dict[str, Any]],
) -> None:
    files = {"README.md": "![logo](a.svg)\n", "package.json": '{\n "description": "Plans ships"\n}'}
    assert answer("where do I start?", files)["points"][0]["text"] == "Plans ships"


def test_the_word_for_a_section_is_not_called_missing(
    answer: Callable[..., dict[str, Any]],
) -> None:
    assert answer("How is it deployed?", HARBOUR | {"Dockerfile": "FROM quay\n"})["missing"] == []


def test_what_is_shown_is_not_called_missing(answer: Callable[..., dict[str, Any]]) -> None:
    told = answer("where do I start?")
    assert "script `harbour --serve`" in str(told["points"])
    assert not any("where programs begin" in one for one in told["missing"])


@pytest.mark.parametrize("question", ["zyzzyx qwertz", "zyzzyx"])
def test_words_that_nothing_speaks_of_get_no_points(
    answer: Callable[..., dict[str, Any]], question: str
) -> None:
    told = answer(question, HARBOUR | {"package-lock.json": '{"zyzzyx": 1}'})
    assert (told["points"], told["more"]) == ([], [])
    assert set(told["missing"]) == set(question.split())


def test_places_of_one_kind_are_told_together(answer: Callable[..., dict[str, Any]]) -> None:
    model = "class {}(models.Model):\n    at = models.DateField()\n"
    files = {f"quay/{one}.py": model.format(one.title()) for one in ("berth", "ship")}
    [first, *_] = answer("Where is the data stored?", files)["points"]
    assert first["text"] == ("Data is stored by models of tables (quay/berth.py:1; quay/ship.py:1)")
