"""What `dmm validate` finds; the near-duplicates are found with the real model."""

from __future__ import annotations

import datetime as dt
import os
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

import pytest

from dmm.config import RetrievalConfig, ValidationConfig
from dmm.domain.memory import OVERLAY_SCOPES, Origin
from dmm.domain.plain import to_plain
from dmm.domain.report import Finding, Repair, ValidationReport
from dmm.embed.tokens import TokenCounter
from dmm.errors import ModelUnavailable
from dmm.files.citations import digest
from dmm.files.edits import carry_out
from dmm.files.tree import MemoryTree
from dmm.index.service import Indexes
from dmm.index.shelves import Shelf
from dmm.memories.validation import Validation
from dmm.project.init import set_up

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.conftest import Writer

    from dmm.embed.model import Embedder
    from dmm.files.roots import Root

    Make = Callable[..., Validation]

DAY = dt.date(2026, 1, 31)
COUNT = TokenCounter().count
NO_MODEL = Finding(
    ".",
    "warning",
    "near_duplicate",
    "near-duplicates were not checked: model unavailable",
    hint="keyword retrieval only, the model is unavailable: not here",
)


def no_model() -> NoReturn:
    raise ModelUnavailable("not here")


@pytest.fixture
def make(root: Root) -> Iterator[Make]:
    made: list[Indexes] = []

    def make(load: Callable[[], Embedder] = no_model, *more: Shelf) -> Validation:
        own = Shelf(Origin.PROJECT, root.tree, root.folder / "index" / "embeddings.db")
        made.append(Indexes((own, *more), COUNT, load, batch_size=50))
        return Validation(
            root,
            ValidationConfig(),
            RetrievalConfig(),
            made[-1],
            COUNT,
            lambda: DAY,
            lambda edit, _what: carry_out(root.tree, edit),
        )

    yield make
    for indexes in made:
        indexes.close()


def findings(report: ValidationReport) -> list[Finding]:
    """All findings but the one that says that there is no model, which must stand first."""
    assert report.findings[0] == NO_MODEL
    return list(report.findings[1:])


def told(report: ValidationReport) -> list[tuple[str, str, str, str]]:
    return [(f.where, f.level, f.check, f.message) for f in findings(report)]


def test_an_empty_memory_is_valid(make: Make) -> None:
    assert make().check() == ValidationReport(0, 0, (NO_MODEL,))


def test_a_missing_memory_folder_is_an_empty_memory(make: Make, root: Root) -> None:
    root.tree.root.rmdir()
    assert make().check().files == 0


def test_what_init_writes_has_no_finding(make: Make, root: Root, model: Embedder) -> None:
    root.tree.root.rmdir()
    set_up(root.project, day=DAY)
    assert make(lambda: model).check() == ValidationReport(6, 6)


def test_a_report_counts_and_can_be_told_as_data(make: Make, write: Writer) -> None:
    write("project/a.md")
    write("project/b.md")
    assert to_plain(make().check()) == {
        "files": 2,
        "valid": 1,
        "errors": 1,
        "warnings": 1,
        "findings": [
            {
                "path": ".",
                "level": "warning",
                "check": "near_duplicate",
                "message": "near-duplicates were not checked: model unavailable",
                "line": None,
                "hint": "keyword retrieval only, the model is unavailable: not here",
                "fixable": False,
            },
            {
                "path": "project/b.md",
                "level": "error",
                "check": "duplicate_id",
                "message": "the id mem_2026_01_01_001 is also used by project/a.md",
                "line": None,
                "hint": "give it a different id",
                "fixable": True,
            },
        ],
    }


# Stands for a memory without a fault.
SOUND = "@SOUND@"
BAD_FILES: list[tuple[str | dict[str, str], str, str, bool]] = [
    ({"tags": "[a"}, "x.md:4", "yaml", False),
    ({"tags": "&a [a]"}, "x.md:3", "yaml", False),
    ("# T\n\nText.\n", "x.md:1", "yaml", True),
    ("\n" + SOUND, "x.md:1", "yaml", False),
    ("---\nid: x\n", "x.md:1", "yaml", False),
    ("", "x.md:1", "yaml", False),
    ({"tags": ""}, "x.md:2", "schema", True),
    ({"tags": "", "priority": "9"}, "x.md:2", "schema", True),
    ({"priority": "9"}, "x.md:5", "schema", False),
    ({"id": "seven"}, "x.md:2", "schema", False),
    ({"scope": "agent"}, "x.md:4", "schema", True),
    ({"created": "soon"}, "x.md:8", "schema", False),
    ({"body": "No title."}, "x.md:10", "content", True),
    ({"body": " "}, "x.md:10", "content", False),
    ("Gr\xfc\xdfe", "x.md:1", "content", False),
    ("\0", "x.md", "content", False),
    ("a\n" * 5_000_000, "x.md", "content", False),
]


def spoil(write: Writer, path: str, bad: str | dict[str, str]) -> None:
    """Write a file as it should not be: a text, or a memory with the fields that are given."""
    if isinstance(bad, str):
        text = bad.replace(SOUND, write.text("project/x.md"))
    else:
        text = write.text("project/x.md", **bad)
    write.raw(path, text.encode("latin-1"))


@pytest.mark.parametrize(("bad", "where", "check", "fixable"), BAD_FILES)
def test_a_bad_file_is_one_error_and_stops_nothing_else(
    make: Make, write: Writer, bad: str | dict[str, str], where: str, check: str, fixable: bool
) -> None:
    spoil(write, "project/x.md", bad)
    write("project/y.md", 2)
    report = make().check()
    (finding,) = findings(report)
    assert (finding.where, finding.check) == (f"project/{where}", check)
    assert (finding.level, finding.fixable) == ("error", fixable)
    assert (report.files, report.valid) == (2, 1)


def test_what_is_called_fixable_is_gone_after_the_fix(make: Make, write: Writer) -> None:
    for number, (bad, *_) in enumerate(BAD_FILES):
        spoil(write, f"project/n{number:02d}.md", bad)
    write.raw("project/z_mark.md", b"\xef\xbb\xbf" + write.text("project/z_mark.md", 9).encode())
    validation = make()
    before = validation.check()
    fixable = {(f.path, f.message) for f in before.findings if f.fixable}
    assert len(fixable) > 5
    repairs, after = validation.fix()
    assert {repair.path for repair in repairs} == {path for path, _ in fixable}
    assert all(repair.applied for repair in repairs)
    assert not fixable & {(f.path, f.message) for f in after.findings}
    assert not [f for f in after.findings if f.fixable]
    assert validation.fix() == ((), after)


def test_a_double_id_is_an_error_of_the_later_file(make: Make, write: Writer) -> None:
    write("project/a.md", created="2026-01-05")
    write("project/b.md", created="2026-01-04")
    write("global/c.md", created="")
    report = make().check()
    assert [f for f in findings(report) if f.level == "error"] == [
        Finding(
            path,
            "error",
            "duplicate_id",
            "the id mem_2026_01_01_001 is also used by project/b.md",
            hint="give it a different id",
            fixable=True,
        )
        for path in ("global/c.md", "project/a.md")
    ]
    assert report.valid == 1


def test_double_ids_are_told_apart_by_the_fix(make: Make, root: Root, write: Writer) -> None:
    write("project/a.md")
    write("project/b.md")
    repairs, report = make().fix()
    new = "mem_2026_01_01_001a"
    assert repairs == (Repair("project/b.md", f"id mem_2026_01_01_001 was taken; it is now {new}"),)
    assert report == ValidationReport(2, 2, (NO_MODEL,))
    assert root.tree.load("project/b.md").memory.id == new


@pytest.mark.parametrize(
    ("words", "level", "check"),
    [
        (1_000, "error", "too_long"),
        (300, "warning", "tokens"),
    ],
)
def test_too_many_tokens_are_a_warning_and_far_too_many_an_error(
    make: Make, write: Writer, words: int, level: str, check: str
) -> None:
    body = "# T\n\n" + " ".join(f"w{number:04d}" for number in range(words))
    for number, path in enumerate(("project/a.md", "baseline/b.md", "deprecated/c.md"), start=1):
        write(path, number, body, scope=path.partition("/")[0].replace("deprecated", "agent"))
    validation = make()
    validation = replace(validation, retrieval=RetrievalConfig(baseline_budget=10_000))
    found = findings(validation.check())
    first = found[-1]
    assert (first.path, first.level, first.check) == ("project/a.md", level, check)
    assert f"{COUNT(body)} tokens" in first.message
    others = ["baseline/b.md", "deprecated/c.md"] if level == "error" else []
    assert [finding.path for finding in found] == [*others, "project/a.md"]


def test_a_one_line_note_is_long_enough(make: Make, write: Writer) -> None:
    write("project/a.md", 1, "# T\n\nShort.")
    assert told(make().check()) == []


def test_the_recommended_length_is_a_setting(make: Make, write: Writer) -> None:
    write("project/a.md", 1, "# T\n\nShort.")
    validation = replace(make(), settings=ValidationConfig(max_tokens=3))
    tokens = COUNT("# T\n\nShort.")
    assert told(validation.check()) == [
        ("project/a.md", "warning", "tokens", f"{tokens} tokens; recommended: up to 3")
    ]


def test_links_are_errors_and_never_read(
    make: Make, root: Root, write: Writer, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text(write.text("project/x.md"))
    write("project/a.md")
    (root.tree.root / "project" / "file.md").symlink_to(outside / "secret.md")
    (root.tree.root / "project" / "folder").symlink_to(outside)
    (root.tree.root / "project" / "dangling.md").symlink_to(outside / "nothing.md")
    report = make().check()
    assert told(report) == [
        (f"project/{name}", "error", "symlink", "a symbolic link; links are not followed")
        for name in ("dangling.md", "file.md", "folder")
    ]
    assert (report.files, report.valid) == (1, 1)


def test_a_file_outside_the_known_folders_is_an_error_of_its_own(make: Make, write: Writer) -> None:
    write("project/a.md")
    write.raw("notes/b.md", b"x")
    write.raw("c.md", b"x")
    report = make().check()
    assert [(f.path, f.check) for f in report.errors] == [("c.md", "io"), ("notes/b.md", "io")]
    assert (report.files, report.valid) == (1, 1)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_an_unreadable_file_is_an_error(make: Make, root: Root, write: Writer) -> None:
    write("project/a.md")
    write("project/b.md", 2)
    (root.tree.root / "project" / "a.md").chmod(0)
    assert told(make().check()) == [
        ("project/a.md", "error", "io", "unreadable: Permission denied")
    ]


def test_a_folder_with_the_name_of_a_file_is_a_folder(make: Make, write: Writer) -> None:
    write("project/x.md/a.md")
    assert make().check() == ValidationReport(1, 1, (NO_MODEL,))


def test_names_that_differ_in_letter_case_only_are_errors(make: Make, write: Writer) -> None:
    write("project/Auth/a.md", 1)
    write("project/auth/b.md", 2)
    write("project/auth/B.md", 3)
    write.raw("project/auth/_dir.md", b"Words.")
    write.raw("project/auth/_DIR.md", write.text("project/x.md", 4).encode())
    assert told(make().check()) == [
        (path, "error", "letter_case", f"differs from {other} only in letter case")
        for path, other in (
            ("project/auth", "project/Auth"),
            ("project/auth/_dir.md", "project/auth/_DIR.md"),
            ("project/auth/b.md", "project/auth/B.md"),
        )
    ]


def test_expiry_is_wanted_of_ephemeral_memories_and_told_when_over(
    make: Make, write: Writer
) -> None:
    write("ephemeral/a.md", 1)
    write("ephemeral/b.md", 2, expires="2026-01-30")
    write("ephemeral/c.md", 3, expires="2026-01-31T08:00:00")
    write("project/d.md", 4, expires="2025-12-31")
    write("deprecated/e.md", 5, scope="ephemeral")
    write("deprecated/f.md", 6, scope="ephemeral", expires="2025-12-31")
    assert told(make().check()) == [
        ("ephemeral/a.md", "warning", "no_expires", "an ephemeral memory without 'expires'"),
        ("ephemeral/b.md", "warning", "expired", "expired on 2026-01-30; it is no longer served"),
        ("project/d.md", "warning", "expired", "expired on 2025-12-31; it is no longer served"),
    ]


def test_a_missing_day_of_creation_is_a_warning_unless_switched_off(
    make: Make, write: Writer
) -> None:
    write("project/a.md", created="")
    validation = make()
    assert told(validation.check()) == [
        ("project/a.md", "warning", "no_created", "no 'created' day")
    ]
    silent = replace(validation, settings=ValidationConfig(warn_on_missing_optional=False))
    assert told(silent.check()) == []


def test_unknown_fields_and_odd_tags_are_warnings(make: Make, write: Writer) -> None:
    write("project/a.md", 1, tags="[]")
    write("project/b.md", 2, tags="[Auth, db, auth]", prority="0.7")
    assert told(make().check()) == [
        ("project/a.md", "warning", "tags", "no tags"),
        ("project/b.md", "warning", "tags", "the tag 'auth' is listed twice"),
        ("project/b.md:9", "warning", "unknown_field", "unknown field 'prority'"),
    ]


def test_links_to_no_memory_are_warnings_also_not_to_a_faulty_one(
    make: Make, write: Writer
) -> None:
    there, faulty, nowhere = (f"mem_2026_01_01_{number:03d}" for number in (2, 3, 9))
    write(
        "project/a.md",
        1,
        related=f"[{there}, {faulty}, {nowhere}]",
        supersedes=f"[{nowhere}]",
    )
    write("project/b.md", 2)
    write("project/c.md", 3, priority="high")
    assert [line for line in told(make().check()) if line[2] == "dangling"] == [
        (
            "project/a.md",
            "warning",
            "dangling",
            f"'{name}' names {nowhere}, and no memory has that id",
        )
        for name in ("related", "supersedes")
    ]


def test_a_baseline_over_its_budget_names_the_files_to_move(make: Make, write: Writer) -> None:
    write("baseline/identity.md", 1)
    write("baseline/zebra.md", 2)
    write("baseline/apple.md", 3)
    write.raw("baseline/broken.md", b"no front matter")
    write("baseline/retired.md", 5, status="deprecated")
    one = COUNT(f"# Title 1\n\n{write.words}")
    broken = COUNT("no front matter")
    validation = replace(make(), retrieval=RetrievalConfig(baseline_budget=one + one + broken))
    assert told(validation.check()) == [
        (
            "baseline",
            "warning",
            "baseline_budget",
            f"the baseline has {3 * one + broken} tokens, its budget is {2 * one + broken};"
            f" move to global/ or project/: baseline/zebra.md ({one})",
        ),
        ("baseline/broken.md:1", "error", "yaml", "no front matter"),
    ]


def test_characters_that_nobody_sees_are_shown(make: Make, write: Writer) -> None:
    marked = "\ufeff" + write.text("project/a.md", 1)
    write.raw("project/a.md", marked.encode())
    write("project/b.md", 2, f"# T\n\nsafe\u202e\u200b text\u202e\n{write.words}")
    write.raw("project/c.md", write.text("project/c.md", 3).replace("\n", "\r\n").encode())
    write.raw("project/_dir.md", b"ok\nplain \xe2\x80\x8b\n")
    write.raw("project/auth/_dir.md", b"\xff")
    shown = "invisible or reordering characters: "
    report = make().check()
    assert told(report) == [
        ("project/_dir.md:2", "warning", "hidden_characters", f"{shown}<U+200B>"),
        ("project/a.md:1", "warning", "byte_order_mark", "begins with a byte order mark"),
        ("project/auth/_dir.md:1", "error", "content", "not UTF-8 text"),
        ("project/b.md:13", "warning", "hidden_characters", f"{shown}<U+200B>, <U+202E>"),
    ]
    assert (report.files, report.valid) == (3, 3)
    assert [f.path for f in report.findings if f.fixable] == ["project/a.md"]


def test_a_memory_for_files_that_are_not_here_is_a_warning(
    make: Make, root: Root, write: Writer
) -> None:
    (root.project / "src").mkdir()
    (root.project / "src" / "new.py").write_text("")
    paths = "[src/old.py, src/new.py, 'src/**/*.ts', 'lib/**', '**/*.md', '!gone/**', '{a,b}/c']"
    write("project/a.md", 1, paths=paths)
    write("deprecated/b.md", 2, scope="project", paths="[gone.py]")
    assert told(make().check()) == [
        ("project/a.md", "warning", "no_file", f"it applies to {name}, which does not exist")
        for name in ("lib/**", "src/old.py")
    ]


def test_names_at_any_depth_and_places_that_can_not_be_looked_at_are_no_trouble(
    make: Make, root: Root, write: Writer
) -> None:
    (root.project / "src").mkdir()
    write("project/a.md", 1, paths="[conftest.py, ./conftest.py, pay/, 'src/**']")
    assert told(make().check()) == []
    write("project/b.md", 2, paths=f"[src/{'a' * 300}]")
    assert [line[0] for line in told(make().check())] == ["project/b.md"]
    assert told(replace(make(), own=True).check()) == []


def test_cited_code_that_is_no_longer_as_cited_is_a_warning(
    make: Make, root: Root, write: Writer
) -> None:
    (root.project / "code.py").write_text("new\ndef total():\n    return 1\n")
    same, moved = digest(["new"]), digest(["def total():"])
    cites = (
        f"[{{path: code.py, lines: [1, 1], hash: '{same}'}},"
        f" {{path: code.py, lines: [1, 1], hash: '{moved}'}},"
        " {path: code.py, lines: [1, 2], hash: '0123456789abcdef'}, gone.py, ../../outside.py]"
    )
    write("project/a.md", 1, cites=cites)
    write("deprecated/b.md", 2, scope="project", cites="[gone.py]")
    assert told(make().check()) == [
        ("project/a.md", "warning", "stale_citation", message)
        for message in (
            "cites ../../outside.py: gone",
            "cites code.py:1-1: moved, now code.py:2-2",
            "cites code.py:1-2: changed",
            "cites gone.py: gone",
        )
    ]


SESSIONS = (
    "Sessions are kept in Redis for thirty minutes after the last request. The cookie holds the"
    " session id alone, signed and marked as secure. We turned down tokens that hold the whole"
    " session, because they can not be revoked before they expire."
)
TAXES = (
    "Taxes are computed per line of the invoice and rounded to cents before they are added up."
    " The rate comes from the country of delivery on the day of the order."
)


def alike(validation: Validation) -> list[tuple[str, str]]:
    found = validation.check().findings
    return [(f.path, f.message) for f in found if f.check == "near_duplicate"]


def test_two_files_that_say_the_same_are_named(make: Make, write: Writer, model: Embedder) -> None:
    write("project/a.md", 1, f"# Sessions live in Redis\n\n{SESSIONS}")
    write("project/b.md", 2, f"# Sessions live in Redis\n\n{SESSIONS} Ask before changing it.")
    write("project/c.md", 3, f"# Taxes\n\n{TAXES}")
    validation = make(lambda: model)
    (finding,) = [f for f in validation.check().findings if f.check == "near_duplicate"]
    assert finding.path == "project/b.md"
    assert finding.level == "warning"
    assert finding.message.startswith("nearly the same as project/a.md (similarity 0.9")
    assert finding.hint == "merge them, or have the newer one supersede the other"


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("project/b.md", {"supersedes": "[mem_2026_01_01_001]"}),
        ("project/b.md", {"status": "deprecated"}),
        ("deprecated/b.md", {"scope": "project"}),
    ],
)
def test_a_replaced_or_retired_memory_is_no_near_duplicate(
    make: Make, write: Writer, model: Embedder, path: str, fields: dict[str, str]
) -> None:
    write("project/a.md", 1, f"# Sessions\n\n{SESSIONS}")
    write(path, 2, f"# Sessions\n\n{SESSIONS}", **fields)
    assert alike(make(lambda: model)) == []


STRUCTURE = """\
- `packages/create-app/bin/cli.js` — shim that checks the version of Node.js before it
  requires `dist/cli.js`
- `packages/create-app/src/cli.ts` — main entry, exports `main(argv)`
- `packages/create-app/templates/` — templates, neither linted nor formatted
- `packages/create-app/scripts/build.ts` — the build with esbuild to `dist/cli.js`"""
BUILD = """\
- esbuild bundles `packages/create-app/src/cli.ts` as CommonJS to `dist/cli.js`
- `main` and `exports` in `package.json` point to `dist/cli.js`, `bin` to
  `packages/create-app/bin/cli.js`
- `packages/create-app/bin/cli.js` is a plain shim: it stops where the version of Node.js is
  older than `engines.node` says"""


def test_two_texts_on_the_same_files_are_no_near_duplicates(
    make: Make, write: Writer, model: Embedder
) -> None:
    write("project/a.md", 1, f"# Create app: structure\n\n{STRUCTURE}")
    write("project/b.md", 2, f"# Create app: build\n\n{BUILD}")
    assert alike(make(lambda: model)) == []
    write("project/c.md", 3, f"# Create app: build\n\n{BUILD}\n- Ask when in doubt.")
    assert [path for path, _ in alike(make(lambda: model))] == ["project/c.md"]


def test_a_twin_in_the_users_own_memory_is_named_as_such(
    make: Make, write: Writer, model: Embedder, tmp_path: Path
) -> None:
    own = MemoryTree(tmp_path / "own", tuple(scope.value for scope in OVERLAY_SCOPES))
    for number, name in ((7, "mine"), (8, "mine_too")):
        replace(write, folder=own.root)(f"global/{name}.md", number, f"# Taxes\n\n{TAXES}")
    write("project/a.md", 1, f"# Taxes\n\n{TAXES}")
    shelf = Shelf(Origin.USER, own, tmp_path / "own.db")
    assert alike(make(lambda: model, shelf)) == [
        ("project/a.md", f"nearly the same as user:global/{name}.md (similarity 1.00)")
        for name in ("mine", "mine_too")
    ]


def test_an_index_that_can_not_be_written_changes_no_finding(
    make: Make, root: Root, write: Writer, model: Embedder
) -> None:
    write("project/a.md", 1, f"# Taxes\n\n{TAXES}")
    write("project/b.md", 2, f"# Taxes\n\n{TAXES}")
    (root.folder / "index").write_text("a file in the place of the folder")
    assert alike(make(lambda: model)) == [
        ("project/b.md", "nearly the same as project/a.md (similarity 1.00)")
    ]


def test_checking_writes_nothing_but_the_index(make: Make, root: Root, write: Writer) -> None:
    write("project/a.md", 1, scope="agent")
    write.raw("project/b.md", b"text")
    before = {file: file.read_bytes() for file in root.tree.root.rglob("*.md")}
    make().check()
    assert {file: file.read_bytes() for file in root.tree.root.rglob("*.md")} == before
    assert sorted(place.name for place in root.folder.iterdir()) == ["index", "memory"]
