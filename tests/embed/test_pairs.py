"""The model of conflicts: its files, its answers, and that the order of two texts is nothing."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from dmm.embed.model import DATA
from dmm.embed.pairs import PairModel, phrase
from dmm.errors import ModelUnavailable

if TYPE_CHECKING:
    from pathlib import Path

TABS = "Use tabs for indentation in Go files."
SPACES = "Never use tabs in Go files; indent with spaces."
LUNCH = "Lunch is served at noon in the canteen."


def test_it_tells_a_conflict_a_duplicate_and_neither() -> None:
    model = PairModel.load(threads=1)
    same = "Go files are indented with tabs."
    clash, twice, apart = model.judge([(TABS, SPACES), (TABS, same), (TABS, LUNCH)])
    assert clash.conflict > 0.5
    assert twice.duplicate > 0.5
    assert apart.compatible > 0.9
    assert sum(clash) == pytest.approx(1, abs=1e-3)


def test_the_order_of_the_texts_and_the_number_of_threads_change_nothing() -> None:
    pairs = [(TABS, SPACES), (SPACES, TABS), (TABS, LUNCH), (LUNCH, TABS)]
    found = PairModel.load(threads=2).judge(pairs)
    assert found[0] == found[1]
    assert found[2] == found[3]
    assert PairModel.load(threads=1).judge(pairs) == found


def test_a_pair_that_was_judged_is_known_in_either_order() -> None:
    model = PairModel.load(threads=1)
    first = model.judge([(TABS, SPACES)])
    assert model.judge([(TABS, LUNCH), (SPACES, TABS)])[1] is first[0]


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    for name in ("pairs.json", "pairs.onnx", "vocab.txt"):
        shutil.copy(DATA / name, tmp_path)
    content = bytearray((tmp_path / "pairs.onnx").read_bytes())
    content[-1] ^= 1
    (tmp_path / "pairs.onnx").write_bytes(content)
    with pytest.raises(ModelUnavailable, match=r"not the one in pairs\.json"):
        PairModel.load(tmp_path)
    (tmp_path / "pairs.json").unlink()
    with pytest.raises(ModelUnavailable, match="description of the conflict model"):
        PairModel.load(tmp_path)


def test_a_title_stands_before_the_text() -> None:
    assert phrase("Tabs.", "Use them.") == "Tabs. Use them."
    assert phrase("", "Use them.") == "Use them."
