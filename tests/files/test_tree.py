"""The memory tree: every path stays inside, and one odd file never stops the rest."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dmm.errors import FileExists, MemoryFileError, PathRefused, StorageError
from dmm.files import tree as tree_module
from dmm.files.tree import MAX_FILE_BYTES, MemoryTree, Stamp

if TYPE_CHECKING:
    from tests.conftest import MemoryText, Project

TOPS = "baseline, global, agent, project, ephemeral, deprecated"
PLACE = "use a path like project/topic/name.md, relative to the memory folder"
LINK = "a symbolic link; links are not followed"


def faults(tree: MemoryTree) -> list[str]:
    return [str(fault) for fault in tree.scan().faults]


@pytest.mark.parametrize(
    ("path", "refusal"),
    [
        ("", "not a relative path with slashes"),
        (".", "not a relative path with slashes"),
        ("project\\a.md", "not a relative path with slashes"),
        ("project/a\0.md", "not a relative path with slashes"),
        ("/project/a.md", "an absolute path"),
        ("//host/project/a.md", "an absolute path"),
        ("C:/project/a.md", "an absolute path"),
        ("C:a.md", "an absolute path"),
        ("../project/a.md", "it leads outside the memory folder or is hidden"),
        ("project/../../a.md", "it leads outside the memory folder or is hidden"),
        ("project/..", "it leads outside the memory folder or is hidden"),
        ("project/.hidden.md", "it leads outside the memory folder or is hidden"),
        ("project/.git/a.md", "it leads outside the memory folder or is hidden"),
        ("a.md", f"its first folder must be one of {TOPS}"),
        ("notes/a.md", f"its first folder must be one of {TOPS}"),
        ("Project/a.md", f"its first folder must be one of {TOPS}"),
        ("project/a.txt", "not a .md file"),
        ("project/a.MD", "not a .md file"),
        ("project", "it names a folder, not a file"),
        ("project/", "it names a folder, not a file"),
        ("project/topic/", "it names a folder, not a file"),
        ("project/con.md", "a name that some systems reserve"),
        ("project/LPT1.notes.md", "a name that some systems reserve"),
        ("project/aux/a.md", "a name that some systems reserve"),
        ("project/ a.md", "a name that some systems reserve"),
        ("project/dot./a.md", "a name that some systems reserve"),
        ("project/\udcff.md", "a name that is not UTF-8 text"),
        ("project/a\nb.md", "a name with invisible characters"),
        ("project/a\u202eb.md", "a name with invisible characters"),
        ("project/\x1b[31m.md", "a name with invisible characters"),
        (f"project/{'a' * 300}.md", "a name that is too long"),
        (f"project/{'a/' * 300}b.md", "a path that is too long"),
    ],
)
def test_a_path_that_could_leave_the_tree_or_mean_another_is_refused(
    project: Project, path: str, refusal: str
) -> None:
    with pytest.raises(PathRefused) as raised:
        project.tree.resolve(path)
    assert str(raised.value) == f"{path!r}: {refusal}"
    assert raised.value.hint == PLACE


@pytest.mark.parametrize(
    "path", ["project/a.md", "agent/claude/x/y.md", "global/Grüße.md", "project//b.md"]
)
def test_an_ordinary_path_is_a_file_below_the_root(project: Project, path: str) -> None:
    assert project.tree.resolve(path) == project.memory / path


names = st.sampled_from(["project", "global", "..", ".", "", "a.md", "/", "~", "C:", "\\", "\0"])


@given(st.text(max_size=30) | st.lists(names | st.text(max_size=5), max_size=6).map("/".join))
@example("project/~/a.md")
def test_whatever_the_path_the_file_is_inside_the_root(path: str) -> None:
    root = Path("/nowhere/memory")
    try:
        target = MemoryTree(root).resolve(path)
    except PathRefused:
        return
    inside = os.path.normpath(target)
    assert inside.startswith("/nowhere/memory/")
    assert inside.endswith(".md")


def test_a_path_through_a_link_is_refused(project: Project, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    project.write("project/real.md", "text")
    (project.memory / "project" / "link.md").symlink_to(outside / "secret.md")
    (project.memory / "project" / "folder").symlink_to(outside)
    (project.memory / "global").symlink_to(outside)
    (project.memory / "project" / "inner.md").symlink_to("real.md")
    for path in (
        "project/link.md",
        "project/folder/secret.md",
        "global/new.md",
        "project/inner.md",
    ):
        for action in (project.tree.resolve, project.tree.read, project.tree.load):
            with pytest.raises(PathRefused, match="the path contains a symbolic link"):
                action(path)
        for write in (project.tree.create, project.tree.replace):
            with pytest.raises(PathRefused, match="the path contains a symbolic link"):
                write(path, "text")
    assert (outside / "secret.md").read_text() == "secret"
    assert [file.name for file in outside.iterdir()] == ["secret.md"]


def test_a_scan_lists_memories_and_descriptions_in_path_order(project: Project) -> None:
    for path in ("project/b.md", "project/a/z.md", "project/a/_dir.md", "baseline/c.md"):
        project.write(path, "text")
    for path in ("project/.hidden.md", "project/.git/x.md", "project/notes.txt"):
        project.write(path, "text")
    scan = project.tree.scan()
    assert [stamp.path for stamp in scan.stamps] == [
        "baseline/c.md",
        "project/a/z.md",
        "project/b.md",
    ]
    assert [stamp.path for stamp in scan.descriptors] == ["project/a/_dir.md"]
    assert scan.faults == ()


def test_a_stamp_is_what_the_file_system_says(project: Project) -> None:
    status = project.write("project/a.md", "text").stat()
    stamp = Stamp("project/a.md", 4, status.st_mtime_ns, status.st_ino)
    assert project.tree.scan().stamps == (stamp,)


def test_only_one_top_folder_is_scanned_on_request(project: Project) -> None:
    project.write("baseline/a.md", "text")
    project.write("project/b.md", "text")
    assert [stamp.path for stamp in project.tree.scan_top("baseline").stamps] == ["baseline/a.md"]
    assert project.tree.scan_top("global").stamps == ()


def test_an_overlay_leaves_the_other_top_folders_alone(project: Project) -> None:
    project.write("global/a.md", "text")
    project.write("project/b.md", "text")
    overlay = MemoryTree(project.memory, ("global", "agent"))
    scan = overlay.scan()
    assert [stamp.path for stamp in scan.stamps] == ["global/a.md"]
    assert scan.faults == ()


def test_a_tree_that_is_not_there_is_empty(tmp_path: Path) -> None:
    assert MemoryTree(tmp_path / "none").scan().stamps == ()


def test_links_are_reported_and_not_followed(project: Project, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "x.md").write_text("text")
    project.write("project/a.md", "text")
    folder = project.memory / "project"
    (folder / "link.md").symlink_to(tmp_path / "outside" / "x.md")
    (folder / "folder").symlink_to(tmp_path / "outside")
    (folder / "broken.md").symlink_to("nowhere.md")
    (folder / "loop").symlink_to("loop")
    (project.memory / "baseline").symlink_to(tmp_path / "outside")
    scan = project.tree.scan()
    assert [stamp.path for stamp in scan.stamps] == ["project/a.md"]
    assert [str(fault) for fault in scan.faults] == [
        f"baseline: {LINK}",
        f"project/broken.md: {LINK}",
        f"project/folder: {LINK}",
        f"project/link.md: {LINK}",
        f"project/loop: {LINK}",
    ]
    top = project.tree.scan_top("baseline")
    assert top.stamps == ()
    assert [str(fault) for fault in top.faults] == [f"baseline: {LINK}"]


def test_files_at_odd_places_and_with_odd_names_are_reported_beside_the_others(
    project: Project,
) -> None:
    for path in ("project/a.md", "README.md", "_dir.md", "notes/b.md", "project/con.md"):
        project.write(path, "text")
    for name in (b"\xff.md", b"new\nline.md", b"\xe2\x80\xaeback.md", b"back\\slash.md"):
        Path(os.fsdecode(os.fsencode(project.memory / "project") + b"/" + name)).write_text("x")
    scan = project.tree.scan()
    assert [stamp.path for stamp in scan.stamps] == ["project/a.md"]
    assert scan.descriptors == ()
    assert [str(fault) for fault in scan.faults] == [
        f"README.md: its first folder must be one of {TOPS}",
        f"_dir.md: its first folder must be one of {TOPS}",
        f"notes/b.md: its first folder must be one of {TOPS}",
        "project/<U+202E>back.md: a name with invisible characters",
        "project/\\udcff.md: a name that is not UTF-8 text",
        "project/back\\slash.md: not a relative path with slashes",
        "project/con.md: a name that some systems reserve",
        "project/new line.md: a name with invisible characters",
    ]
    assert {fault.hint for fault in scan.faults} == {PLACE}


def test_whatever_a_scan_lists_can_be_resolved(project: Project) -> None:
    folder = project.memory / "project"
    folder.mkdir()
    for number in {*range(1, 256)} - {ord("/")}:
        (folder / os.fsdecode(b"x" + bytes([number]) + b".md")).write_text("x")
    scan = project.tree.scan()
    assert len(scan.stamps) + len(scan.faults) == 254
    for stamp in scan.stamps:
        assert project.tree.resolve(stamp.path).name == stamp.path.rpartition("/")[2]


def test_folders_without_end_are_reported(project: Project) -> None:
    deep = project.memory / "project" / "/".join("d" * 200)
    deep.mkdir(parents=True)
    (deep / "a.md").write_text("x")
    assert faults(project.tree) == [f"project/{'/'.join('d' * 32)}: folders nested too deeply"]


def test_an_unreadable_folder_is_reported_beside_the_others(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("project/a.md", "text")
    project.write("global/b.md", "text")
    real = os.scandir

    def scandir(path: Path) -> object:
        if path.name == "global":
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert [stamp.path for stamp in project.tree.scan().stamps] == ["project/a.md"]
    assert faults(project.tree) == ["global: unreadable folder: Permission denied"]


def test_a_file_deleted_during_a_scan_is_left_out(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("project/a.md", "text")
    doomed = project.write("project/b.md", "text")
    real = tree_module._note

    def note(path: str, entry: os.DirEntry[str], found: tree_module._Found) -> None:
        doomed.unlink(missing_ok=True)
        real(path, entry, found)

    monkeypatch.setattr(tree_module, "_note", note)
    scan = project.tree.scan()
    assert [stamp.path for stamp in scan.stamps] == ["project/a.md"]
    assert scan.faults == ()


def test_a_file_is_read_as_it_is(project: Project, memory_text: MemoryText) -> None:
    text = memory_text().replace("\n", "\r\n")
    project.write("project/a.md", text)
    assert project.tree.read("project/a.md") == text.encode()
    document = project.tree.load("project/a.md")
    assert (document.memory.title, document.source) == ("Retry policy", text)


def test_a_file_that_is_not_there_is_a_fault_of_that_file(project: Project) -> None:
    with pytest.raises(MemoryFileError) as raised:
        project.tree.read("project/a.md")
    assert str(raised.value) == "project/a.md: unreadable: No such file or directory"


def test_a_file_too_large_is_refused_without_reading_it_all(project: Project) -> None:
    project.write("project/fits.md", bytes(MAX_FILE_BYTES))
    assert len(project.tree.read("project/fits.md")) == MAX_FILE_BYTES
    with project.write("project/a.md", b"").open("wb") as file:
        file.truncate(10 * 1024 * 1024)
    with pytest.raises(MemoryFileError) as raised:
        project.tree.read("project/a.md")
    assert str(raised.value) == ("project/a.md: larger than 256 KiB; a memory is one small concept")
    assert raised.value.hint == "split it (dmm import FILE)"


def test_pipes_and_folders_are_not_read(project: Project) -> None:
    (project.memory / "project" / "folder.md").mkdir(parents=True)
    os.mkfifo(project.memory / "project" / "pipe.md")
    with pytest.raises(MemoryFileError) as raised:
        project.tree.read("project/pipe.md")
    assert str(raised.value) == "project/pipe.md: not a regular file"
    with pytest.raises(MemoryFileError, match=r"project/folder\.md: unreadable: Is a directory"):
        project.tree.read("project/folder.md")


def test_a_new_file_is_created_with_its_folders(project: Project) -> None:
    target = project.tree.create("project/topic/a.md", "text\r\n")
    assert target == project.memory / "project" / "topic" / "a.md"
    assert target.read_bytes() == b"text\r\n"


@pytest.mark.parametrize(
    ("path", "twin"),
    [
        ("project/Topic/Retry.md", "Retry.md"),
        ("project/Topic/retry.md", "Retry.md"),
        ("project/Topic/RETRY.md", "Retry.md"),
        ("project/topic/other.md", "Topic"),
        ("project/Stra\u00dfe.md", "STRASSE.md"),
        ("project/cafe\u0301.md", "caf\u00e9.md"),
    ],
)
def test_a_file_that_any_system_would_take_for_another_is_not_created(
    project: Project, path: str, twin: str
) -> None:
    for old in ("project/Topic/Retry.md", "project/STRASSE.md", "project/caf\u00e9.md"):
        project.write(old, "old")
    with pytest.raises(FileExists) as raised:
        project.tree.create(path, "new")
    assert str(raised.value) == f"{path}: '{twin}' is already there"
    contents = {file.read_text() for file in project.memory.rglob("*.md")}
    assert contents == {"old"}


def test_a_file_in_place_of_a_folder_is_named(project: Project) -> None:
    project.write("project/topic", "a file")
    with pytest.raises(StorageError, match=r"could not create the file: Not a directory"):
        project.tree.create("project/topic/a.md", "text")


def test_an_existing_file_is_replaced(project: Project) -> None:
    project.write("project/a.md", "old")
    assert project.tree.replace("project/a.md", "new").read_text() == "new"


def test_only_empty_folders_that_were_made_are_cleared_and_never_that_of_a_scope(
    project: Project,
) -> None:
    tree = project.tree
    (project.memory / "project" / "old").mkdir(parents=True)
    assert tree.missing_folders("project/old/new/deep/a.md") == [
        "project/old/new/deep",
        "project/old/new",
    ]
    assert tree.missing_folders("global/a.md") == []
    made = {"project", "project/old/new", "project/old/new/deep", ".."}
    tree.create("project/old/new/deep/a.md", "x")
    tree.clear_folders("project/old/new/deep/a.md", made)
    assert (project.memory / "project" / "old" / "new" / "deep" / "a.md").exists()
    tree.remove("project/old/new/deep/a.md")
    tree.clear_folders("project/old/new/deep/a.md", made)
    assert [path.name for path in project.memory.rglob("*")] == ["project", "old"]
    (project.memory / "project" / "old").rmdir()
    tree.clear_folders("project/a.md", made)
    assert (project.memory / "project").is_dir()


def test_a_glance_gives_the_bytes_of_a_file_and_nothing_of_anything_else(project: Project) -> None:
    project.write("project/a.md", "text")
    project.write("project/large.md", "x" * (MAX_FILE_BYTES + 10))
    (project.memory / "project" / "link.md").symlink_to("a.md")
    os.mkfifo(project.memory / "project" / "pipe.md")
    assert project.tree.glance("project/a.md") == b"text"
    assert len(project.tree.glance("project/large.md")) == MAX_FILE_BYTES
    for path in ("project/link.md", "project/pipe.md", "project", "project/none.md"):
        assert project.tree.glance(path) == b""


@given(st.text(st.sampled_from("aA0_-./ \u00e9\u202ec:on"), max_size=12))
@example("con")
@example("aux.x/b")
@example("COM1/b")
@example("a" * 198)
def test_a_path_that_is_known_in_one_look_would_pass_a_closer_one(name: str) -> None:
    path = f"project/{name}.md"
    assert tree_module.why_refused(path) == tree_module._find_refusal(path)
