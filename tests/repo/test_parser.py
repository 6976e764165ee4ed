"""Definitions in the languages that can be read, and files that would keep the parser for ever."""

from __future__ import annotations

import io
import json

import pytest

from dmm.repo.grammars import GRAMMARS
from dmm.repo.parser import find_definitions, serve
from dmm.repo.parsing import MAX_PARSED, Parsing
from dmm.repo.records import Symbol

SAMPLES = {
    "python": ("LIMIT = 1\nclass A:\n    def b(self):\n        pass\n", ["LIMIT", "A", "b"]),
    "javascript": ("class A { b() {} }\nconst c = () => 1;\nfunction d() {}\n", list("Abcd")),
    "typescript": ("interface A { x: number }\ntype B = A;\nenum C { D }\n", list("ABC")),
    "tsx": ("export function A() { return <div/>; }\n", ["A"]),
    "go": ("package p\ntype A struct{}\nfunc (a A) B() {}\nfunc C() {}\n", list("ABC")),
    "rust": ("struct A;\ntrait B {}\nfn c() {}\nmod d { const E: u8 = 1; }\n", list("ABcdE")),
    "java": ("class A { A() {} void b() {} }\ninterface C {}\n", ["A", "A", "b", "C"]),
    "c": ("#define A 1\nstruct B { int x; };\nint *c(void) { return 0; }\n", list("ABc")),
    "cpp": (
        "namespace a { class B { void c() {} }; }\nint B::d() { return 1; }\n",
        ["a", "B", "c", "B::d"],
    ),
    "ruby": (
        "module A\n  class B\n    def c; end\n    def self.d; end\n  end\nend\n",
        list("ABcd"),
    ),
    "php": ("<?php\nclass A { function b() {} }\nfunction c() {}\n", list("Abc")),
    "c_sharp": ("class A { int B { get; set; } void C() {} }\nenum D { E }\n", list("ABCD")),
    "bash": ("a() { echo; }\nfunction b { echo; }\n", list("ab")),
}


@pytest.mark.parametrize("language", sorted(GRAMMARS))
def test_every_language_tells_what_it_defines(language: str) -> None:
    text, names = SAMPLES[language]
    assert [row[0] for row in find_definitions(language, text.encode())] == names


def test_a_definition_has_its_kind_and_its_lines() -> None:
    assert find_definitions(
        "python", b"\nclass A:\n    x = 1\n\n    def f(self):\n        pass\n"
    ) == [
        ("A", "class", 2, 6),
        ("f", "function", 5, 6),
    ]


def test_a_broken_file_still_tells_what_can_be_read() -> None:
    rows = find_definitions("python", b"def whole():\n    pass\n\nclass (((\n")
    assert ("whole", "function", 1, 2) in rows


def test_the_process_answers_one_request_after_another() -> None:
    requests = b"python 8\nclass A:" + b"bash 6\nf() {}"
    answers = io.BytesIO()
    serve(io.BytesIO(requests), answers)
    assert [len(json.loads(line)) for line in answers.getvalue().splitlines()] == [1, 1]


def test_a_file_made_to_keep_the_parser_busy_is_given_up_and_the_next_one_read() -> None:
    with Parsing() as parsing:
        parsing.start("python", b"a?b:" * 50_000)
        assert parsing.finish() == ()
        assert parsing.lost
        parsing.start("python", b"def f(): pass")
        assert parsing.finish() == (Symbol("f", "function", 1, 1),)
        assert not parsing.lost


@pytest.mark.parametrize(
    ("language", "data"),
    [(None, b"text"), ("cobol", b"text"), ("python", b"\n" * (MAX_PARSED + 1))],
)
def test_what_is_not_read_has_no_symbols(language: str | None, data: bytes) -> None:
    with Parsing() as parsing:
        parsing.start(language, data)
        assert parsing.finish() == ()
        assert not parsing.lost
