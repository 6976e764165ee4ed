from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from bench import loaders, longfiles
from bench.corpora import Text

if TYPE_CHECKING:
    from pathlib import Path

CONVERSATION = {
    "conversation": {
        "session_2": [{"dia_id": "D2:1", "speaker": "Ann", "text": "Hello again."}],
        "session_2_date_time": "2 May",
        "session_10": [{"dia_id": "D10:1", "speaker": "Bo", "text": "I moved to Oslo."}],
        "session_10_date_time": "9 June",
    },
    "qa": [
        {"question": "Where does Bo live?", "category": 4, "evidence": ["D10:1; D99:1"]},
        {"question": "Unanswerable?", "category": 5, "evidence": ["D2:1"]},
    ],
}


def write(data: Path, name: str, content: str) -> None:
    file = data / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content, "utf-8")


def test_a_turn_becomes_a_memory_in_the_folder_of_its_session(tmp_path: Path) -> None:
    write(tmp_path, loaders.LOCOMO, json.dumps([CONVERSATION]))
    (corpus,) = loaders.load_locomo(tmp_path)
    assert [text.path for text in corpus.texts] == [
        "project/session_02/0000.md",
        "project/session_10/0000.md",
    ]
    assert corpus.texts[1].content == "[9 June] Bo: I moved to Oslo."


def test_only_answerable_questions_are_asked_and_only_existing_turns_answer(tmp_path: Path) -> None:
    write(tmp_path, loaders.LOCOMO, json.dumps([CONVERSATION]))
    (corpus,) = loaders.load_locomo(tmp_path)
    (question,) = corpus.questions
    assert (question.relevant, question.kind) == (frozenset(["D10:1"]), "single-hop")


def test_the_audited_key_replaces_the_evidence_of_the_questions_it_names(tmp_path: Path) -> None:
    write(tmp_path, loaders.LOCOMO, json.dumps([CONVERSATION]))
    fault = {"question_id": "locomo_0_qa0", "correct_evidence": ["D2:1"]}
    write(tmp_path, loaders.LOCOMO_AUDIT, json.dumps([fault]))
    (corpus,) = loaders.load_locomo(tmp_path, corrected=True)
    assert corpus.questions[0].relevant == {"D2:1"}


def test_a_set_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(loaders.SetMissing, match=r"notes/notes\.json"):
        loaders.load_notes(tmp_path)


@pytest.mark.parametrize(
    ("apart", "path"), [(False, "project/000000.md"), (True, "project/000000/000000.md")]
)
def test_texts_without_folders_share_one_or_lie_apart(
    tmp_path: Path, apart: bool, path: str
) -> None:
    write(tmp_path, "ir/x/corpus.jsonl", '{"_id": "d", "title": "T", "text": "body"}\n')
    write(tmp_path, "ir/x/queries.jsonl", '{"_id": "q", "text": "?"}\n{"_id": "r", "text": "?"}\n')
    write(tmp_path, "ir/x/qrels.tsv", "query\tcorpus\tscore\nq\td\t1\nr\td\t0\n")
    (corpus,) = loaders.load_beir(tmp_path, "ir/x", apart=apart)
    assert corpus.texts[0].path == path
    assert corpus.texts[0].content == "# T\n\nbody"
    assert [question.id for question in corpus.questions] == ["q"]


def test_a_title_that_already_heads_the_body_is_not_repeated() -> None:
    assert Text("i", "", "n", "# T\n\nbody", "T").content == "# T\n\nbody"


def test_a_long_file_is_asked_about_by_a_sentence_that_is_not_in_it() -> None:
    (corpus,) = longfiles.build()
    texts = {text.id: text for text in corpus.texts}
    assert len(corpus.questions) > 100
    for question in corpus.questions:
        (target,) = question.relevant
        assert len(texts[target].body.split()) >= longfiles.FILE_WORDS.start
        assert question.text not in " ".join(texts[target].content.split())
