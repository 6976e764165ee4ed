"""Interpreters: the code that shells, languages and text tools are given by their words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.rules.commands.runs import SHELL, STANDARD_INPUT, Run, argv, clustered, program_of, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.rules.commands.runs import Language
    from dmm.rules.commands.values import Word

_PYTHONS = ("python", "pypy")


def shell_runs(words: Sequence[Word]) -> list[Run]:
    """Open the text, the file or the input that a shell runs."""
    program = program_of(words[0])
    at = 1
    reads_input = False
    while at < len(words) and words[at].text[:1] in ("-", "+") and len(words[at].text) > 1:
        flag = words[at].text
        if flag == "--":
            at += 1
            break
        if flag == "-n":
            return []
        if not flag.startswith("--") and "c" in flag:
            at += 1
            while at < len(words) - 1 and words[at].text.startswith(("-", "+")):
                at += 2 if words[at].text[-1] in "oO" else 1
            held = words[at : at + 1]
            return [
                text_of(one, f"{program} -c")._replace(words=tuple(words[at + 1 :])) for one in held
            ]
        reads_input = reads_input or (not flag.startswith("--") and "s" in flag)
        if flag in ("--rcfile", "--init-file") and at + 1 < len(words):
            return _from_file(program, SHELL, words[at + 1 :])
        at += 2 if flag[-1] in "oO" and not flag.startswith("--") else 1
    if reads_input:
        # The operands are the parameters of the script that comes in.
        return [Run("input", f"{program} input", (words[0], *words[at:]), language=SHELL)]
    return _from_file(program, SHELL, words[at:])


def _from_file(program: str, language: str, words: Sequence[Word]) -> list[Run]:
    """Return a run of the file that the first word names, or else of standard input."""
    if not words or words[0].text in STANDARD_INPUT:
        return [Run("input", f"{program} input", tuple(words), language=language)]
    run = Run("file", program, tuple(words), language=language)
    name = _program_in(words[0].text)
    if not name:
        return [run]
    return [run, Run("argv", program, (words[0]._replace(text=name), *words[1:]), guess=True)]


def _program_in(path: str) -> str:
    """Name the installed program whose own file an interpreter is given: `node …/npm-cli.js`."""
    name = path.rpartition("/")[2]
    if "node_modules/" in path:
        return re.sub(r"(?:-cli)?\.[cm]?js$", "", name)
    return name if re.fullmatch(r"[\w+-]+", name) else ""


def _given(row: Language, words: Sequence[Word]) -> tuple[list[Word], ...]:
    """Sort the words of an interpreter: code, files with code, a module, operands.

    Behind the first operand, words belong to its script.
    """
    codes: list[Word] = []
    files: list[Word] = []
    module: list[Word] = []
    operands: list[Word] = []
    is_tool, is_python = row.operand == "code", row.name in _PYTHONS
    at = 1
    while at < len(words):
        word = words[at]
        name, value = _option(word.text, row)
        given = [word._replace(text=value)] if value else words[at + 1 : at + 2]
        at += 2 if name in row.options - row.attached and not value else 1
        if name in row.texts:
            codes.extend(given)
        elif name in row.files:
            files.extend(given)
        elif is_python and name == "-m":
            module.extend((*given, *words[at:]))
        elif not re.match("-.", word.text):
            operands.append(word)
        ends = name == "--" or operands or (is_python and (codes or module))
        if ends and not is_tool:
            operands.extend(words[at:])
            break
    return codes, files, module, operands


def code_runs(row: Language, words: Sequence[Word]) -> list[Run]:
    """Find the code that an interpreter or a text tool is given."""
    program, language = program_of(words[0]), row.name
    codes, files, module, operands = _given(row, words)
    if row.operand == "code":
        return _of_tool(language, codes, files, operands)
    if module:
        return argv(module, program)
    if codes:
        text = "\n".join(word.text for word in codes)
        return [Run("code", language, text=text, span=(codes[0].start, codes[-1].end))]
    if row.operand == "run":
        # Its first word says what it does; a package manager also runs scripts by their names.
        named = operands[:1] and operands[0].text == "run" and language == "deno"
        return _from_file(program, language, operands[1:]) if named or not operands else []
    return _from_file(program, language, operands) if row.operand == "file" else []


def _option(text: str, row: Language) -> tuple[str, str]:
    """Split an option of an interpreter into its name and the value attached to it."""
    name, value = clustered(text, row.options) or text.partition("=")[::2]
    # `node -pe CODE` prints what it evaluates: the one option does not hold the other.
    return name, "" if all(f"-{letter}" in row.texts for letter in value) else value


def _of_tool(
    language: str, codes: list[Word], files: list[Word], operands: list[Word]
) -> list[Run]:
    """Run the programs of AWK or sed; without an option the first operand is one."""
    if not codes and not files:
        codes = operands[:1]
    found = [Run("code", language, text=one.text, span=one[1:3]) for one in codes]
    for one in files:
        comes_in = one.text in STANDARD_INPUT
        found.append(Run("input" if comes_in else "file", language, (one,), language=language))
    if language == "sed" and any(re.fullmatch(r"\d*e", one.text) for one in codes):
        # A bare `e` runs what comes in.
        found.append(Run("input", "sed", language=SHELL))
    return found


def source_runs(words: Sequence[Word]) -> list[Run]:
    """Open the file that the shell itself reads."""
    return _from_file(program_of(words[0]), SHELL, words[1:]) if len(words) > 1 else []
