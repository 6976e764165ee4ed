"""Token counts are those of cl100k, need no network, and stay quick on hostile text."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import many

from dmm.embed.tokens import LONGEST_RUN, RANKS, TokenCounter, _load, release_ranks
from dmm.errors import StorageError

if TYPE_CHECKING:
    from pathlib import Path

COUNTER = TokenCounter()

texts = st.text(st.one_of(st.characters(), st.sampled_from(list("ab1 '.-_\n\r\t"))), max_size=80)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        ("hello world", [15339, 1917]),
        ("tiktoken is great!", [83, 1609, 5963, 374, 2294, 0]),
        ("antidisestablishmentarianism", [519, 85342, 34500, 479, 8997, 2191]),
        ("2 + 2 = 4", [17, 489, 220, 17, 284, 220, 19]),
        ("お誕生日おめでとう", [33334, 45918, 243, 21990, 9080, 33334, 62004, 16556, 78699]),
    ],
)
def test_the_published_examples_of_cl100k_are_counted_exactly(text: str, tokens: list[int]) -> None:
    assert _load(RANKS).encode_ordinary(text) == tokens
    assert COUNTER.count(text) == len(tokens)


def test_the_name_of_a_special_token_counts_as_ordinary_text() -> None:
    assert COUNTER.count("<|endoftext|>") == 7


@given(texts)
def test_text_without_long_runs_is_counted_exactly(text: str) -> None:
    assert COUNTER.count(text) == len(_load(RANKS).encode_ordinary(text))


@given(texts, texts)
def test_counts_add_up_where_a_line_ends_and_the_next_begins_with_a_sign(
    one: str, two: str
) -> None:
    before, after = one + "\n", "#" + two
    assert COUNTER.count(before + after) == COUNTER.count(before) + COUNTER.count(after)


@given(texts, texts.filter(lambda text: text[:1].strip() != ""))
def test_counts_add_up_where_a_line_ends_and_the_next_begins_with_anything_but_space(
    one: str, two: str
) -> None:
    before = one + "\n"
    assert COUNTER.count(before + two) == COUNTER.count(before) + COUNTER.count(two)


@settings(max_examples=many(50))
@given(st.sampled_from(["a", "é", "-", "_", "\n", " \n", "东"]), st.integers(400, 1700), texts)
def test_counts_add_up_also_beside_runs_that_are_cut(sign: str, times: int, text: str) -> None:
    before, after = f"{text}{sign * times}\n", "x" + sign * times
    assert COUNTER.count(before + after) == COUNTER.count(before) + COUNTER.count(after)


def test_a_run_at_the_limit_is_exact_and_a_longer_one_is_cut_from_its_start() -> None:
    encode = _load(RANKS).encode_ordinary
    whole = "ab cd" + "x" * (LONGEST_RUN - 2)
    assert COUNTER.count(whole) == len(encode(whole))
    longer = "ab " + "x" * (2 * LONGEST_RUN + 7) + " cd"
    cut = 3 + LONGEST_RUN
    parts = [longer[:cut], longer[cut : cut + LONGEST_RUN], longer[cut + LONGEST_RUN :]]
    assert COUNTER.count(longer) == sum(len(encode(part)) for part in parts)


def test_a_long_word_of_mixed_signs_is_still_exact() -> None:
    address = "https://example.org/" + "path-1/" * 300
    assert COUNTER.count(address) == len(_load(RANKS).encode_ordinary(address))


@pytest.mark.repeats
@pytest.mark.parametrize("sign", ["a", "é", "-", "_", " ", "\n", "\u0301", "中", "1", "=a"])
def test_half_a_megabyte_of_one_sign_is_counted(sign: str) -> None:
    assert COUNTER.count(sign * 500_000) >= 500_000 // 128


def test_many_threads_get_the_same_counts_from_a_fresh_process() -> None:
    program = """
import json
from concurrent.futures import ThreadPoolExecutor
from dmm.embed.tokens import TokenCounter, _load
with ThreadPoolExecutor(8) as pool:
    counts = list(pool.map(lambda n: TokenCounter().count("word " * n), range(1, 65)))
print(json.dumps([counts, _load.cache_info().misses]))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    counts, loads = json.loads(done.stdout)
    assert counts == [n + 1 for n in range(1, 65)]
    assert loads == 1


def test_counting_in_threads_is_counting_alone() -> None:
    lines = [f"line {n}: " + "déjà vu " * n for n in range(100)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(COUNTER.count, lines)) == [COUNTER.count(line) for line in lines]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (RANKS.read_bytes()[:1000], "can't be read"),
        (b"not packed", "can't be read"),
        (gzip.compress(b"aGVsbG8= 0\n", mtime=0), "the sha256 differs"),
        (None, "can't be read"),
    ],
)
def test_a_damaged_rank_file_is_refused_with_the_way_out(
    tmp_path: Path, content: bytes | None, what: str
) -> None:
    path = tmp_path / "cl100k.tiktoken.gz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(StorageError, match=what) as caught:
        TokenCounter(path).count("hello")
    assert caught.value.where == str(path)
    assert caught.value.hint == "reinstall dynamic-markdown-memory"


def test_ranks_that_nobody_uses_are_let_go_and_come_back() -> None:
    before = COUNTER.count("one two three")
    assert not release_ranks(3600.0)
    assert release_ranks(0.0)
    assert not release_ranks(0.0)
    assert COUNTER.count("one two three") == before
