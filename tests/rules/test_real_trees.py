"""A path rule sees what a command does to the files that really are there."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dmm.reading import MAX_ENTRIES, WorkTree
from dmm.rules.callbook import CallBook, CallEntry
from dmm.rules.commands.calls import ToolCall
from dmm.rules.form import compile_fields

if TYPE_CHECKING:
    from collections.abc import Mapping

ORDINARY = Path(__file__).parent / "commands" / "ordinary.jsonl"
IMMUTABLE = {"match": {"path": "db/migrations/**"}}
SECRET = {"match": {"path": {"glob": [".env"], "access": ["read", "write", "delete", "rename"]}}}
UNCOMMITTED = {
    "match": {
        "command": {"program": "git", "subcommand": ["add", "commit"]},
        "path": {"glob": ".env", "access": "read"},
    }
}


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    for path in ("db/migrations/1.sql", "src/a.py", "README.md", ".gitignore"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("*.log\n")
    (root / "current").symlink_to("db/migrations")
    (root / "latest.sql").symlink_to("db/migrations/1.sql")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "x")
    return root


def level(
    fields: Mapping[str, object],
    call: str | ToolCall,
    root: Path,
    *,
    texts: dict[str, str] | None = None,
) -> str:
    rule = compile_fields(fields, "A rule", "", "a-rule")
    assert rule.call is not None
    book = CallBook([CallEntry(1, rule.title, rule.call, typed=True)])
    if isinstance(call, str):
        call = ToolCall("Bash", {"command": call}, str(root), "main", str(root))
    return book.rule(call, files=(texts or {}).get, tree=WorkTree(str(root))).level


@pytest.mark.parametrize(
    "command",
    [
        # Links that are there, and links that the call makes.
        "echo x > current/1.sql",
        "echo x > latest.sql",
        "rm current/1.sql",
        "ln -s db/migrations m; echo x > m/1.sql",
        "ln -s migrations db/m && cd db/m && touch 2.sql",
        "ln db/migrations/1.sql copy && sed -i s/a/b/ copy",
        # All that a folder holds.
        "rm -rf *",
        "rm -rf .",
        "rm -rf ./db/*",
        "rm db/migrations/*",
        "cd db && rm -r *",
        "find . -delete",
        "find . -name '*.sql' -delete",
        "find . -type f -exec rm {} +",
        "find . -name 1.sql | xargs rm",
        "mv db old",
        "rsync -a --delete other/ db/",
        # Programs that write.
        "curl -o db/migrations/2.sql https://example.com/2.sql",
        "cd db/migrations && curl -sSLO https://example.com/a/2.sql?x=1",
        "curl --output-dir db/migrations -O https://example.com/2.sql",
        "wget -O db/migrations/2.sql https://example.com/x",
        "wget -P db/migrations https://example.com/2.sql",
        "tar -xzf a.tgz -C db/migrations",
        "tar xf a.tar --directory=db/migrations",
        "unzip -o a.zip -d db/migrations",
        "awk -i inplace '{print}' db/migrations/1.sql",
        "gawk -i inplace -f a.awk db/migrations/1.sql",
        "perl -pi -e 's/a/b/' db/migrations/1.sql",
        "perl -i.bak -pe 's/a/b/' db/migrations/1.sql",
        "ruby -i -pe 'x' db/migrations/1.sql",
        "prettier --write db/migrations/1.sql",
        "black db/migrations",
        "ruff format db/migrations/1.py",
        "ruff check --fix db/migrations",
        "gofmt -w db/migrations/1.go",
        "sort -o db/migrations/1.sql a",
        "dd if=a of=db/migrations/1.sql",
        "install -m 644 a db/migrations/",
        "rsync -t a db/migrations/2.sql",
        "truncate -s 0 db/migrations/1.sql",
        "patch db/migrations/1.sql < a.diff",
        "patch -p1 < fix.diff",
        "git apply fix.diff",
        "git checkout HEAD~1 db/migrations/1.sql",
        "git checkout db/migrations/1.sql",
    ],
)
def test_every_way_to_a_protected_file_is_seen(command: str, tree: Path) -> None:
    diff = "--- a/db/migrations/1.sql\n+++ b/db/migrations/1.sql\n@@ -1 +1 @@\n-a\n+b\n"
    assert level(IMMUTABLE, command, tree, texts={"fix.diff": diff}) == "deny"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("rm -rf [!a-c]*", "deny"),
        ("rm -rf [^a-c]*", "deny"),
        ("rm -rf [!d]*", "allow"),
        ("rm -rf [e-c]*", "allow"),
        ("rm -rf [day-of-week]", "allow"),
        (r"rm -rf [d\]*", "deny"),
    ],
)
def test_a_set_of_characters_stands_for_what_a_shell_takes(
    command: str, expected: str, tree: Path
) -> None:
    assert level(IMMUTABLE, command, tree) == expected


def test_a_file_tool_writes_through_a_link(tree: Path) -> None:
    for path in (str(tree / "current" / "1.sql"), "latest.sql"):
        call = ToolCall("Write", {"file_path": path, "content": "x"}, str(tree), None, str(tree))
        assert level(IMMUTABLE, call, tree) == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf src/*",
        "rm *",
        "rm latest.sql",
        "ln -sfn src current",
        "find src -delete",
        "find . -name '*.py' -delete",
        "find . -name 1.sql",
        "git restore .",
        "git checkout -- .",
        "git checkout main",
        "git checkout -b topic",
        "git clean -fd",
        "git clean -fdx",
        "git reset --hard",
        "git pull",
        "git stash",
        "git add -A",
        "git commit -am x",
        "black .",
        "ruff format",
        "black --check db/migrations",
        "prettier --check db/migrations/1.sql",
        "tar -tf db/migrations/a.tar",
        "unzip -l db/migrations/a.zip",
        "curl -o - https://example.com/db/migrations/1.sql",
        "rsync -an other/ db/migrations/",
        "cp current/1.sql /tmp/x",
    ],
)
def test_what_leaves_the_protected_files_alone_is_let_through(command: str, tree: Path) -> None:
    assert level(IMMUTABLE, command, tree) == "allow"


@pytest.fixture
def dirty(tmp_path: Path, tree: Path) -> Path:
    git(tmp_path, "clone", "-q", str(tree), "work")
    return tmp_path / "work"


@pytest.mark.parametrize(
    "command", ["git restore .", "git checkout -- .", "git checkout .", "git reset --hard"]
)
def test_git_overwrites_what_is_changed(command: str, dirty: Path) -> None:
    (dirty / "src/a.py").write_text("changed")
    assert level(IMMUTABLE, command, dirty) == "allow"
    (dirty / "db/migrations/1.sql").write_text("changed")
    assert level(IMMUTABLE, command, dirty) == "deny"


def test_git_clean_deletes_what_is_untracked(dirty: Path) -> None:
    (dirty / "db/migrations/2.log").write_text("ignored")
    assert level(IMMUTABLE, "git clean -fd", dirty) == "allow"
    assert level(IMMUTABLE, "git clean -fdx", dirty) == "deny"
    (dirty / "db/migrations/2.sql").write_text("new")
    assert level(IMMUTABLE, "git clean -fd", dirty) == "deny"
    assert level(IMMUTABLE, "git clean -nd", dirty) == "allow"
    assert level(IMMUTABLE, "git clean -fd src", dirty) == "allow"


@pytest.mark.parametrize("rule", [SECRET, UNCOMMITTED], ids=["never read", "never commit"])
def test_a_file_that_would_be_committed_is_seen(rule: Mapping[str, object], dirty: Path) -> None:
    everything = ["git add -A", "git add .", "git add --all && git commit -m x"]
    for command in (*everything, "git commit -m x", "git commit -am x"):
        assert level(rule, command, dirty) == "allow"
    (dirty / ".env").write_text("KEY=1")
    for command in everything:
        assert level(rule, command, dirty) == "deny"
    assert level(rule, "git add src", dirty) == "allow"
    assert level(rule, "git add -u", dirty) == "allow"
    assert level(rule, "git commit -am x", dirty) == "allow"
    git(dirty, "add", ".env")
    assert level(rule, "git commit -m x", dirty) == "deny"
    git(dirty, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "x")
    assert level(rule, "git commit -am x", dirty) == "allow"
    (dirty / ".env").write_text("KEY=2")
    assert level(rule, "git commit -am x", dirty) == "deny"
    assert level(rule, "git add -u", dirty) == "deny"


def test_an_ignored_file_is_not_added(dirty: Path) -> None:
    (dirty / ".gitignore").write_text(".env\n")
    (dirty / ".env").write_text("KEY=1")
    assert level(SECRET, "git add -A", dirty) == "allow"


def test_files_are_named_from_a_project_in_a_folder_of_a_repository(dirty: Path) -> None:
    (dirty / "src" / ".env").write_text("KEY=1")
    assert (
        level({"match": {"path": {"glob": "/.env", "access": "read"}}}, "git add .", dirty / "src")
        == "deny"
    )


def test_an_exception_lifts_only_the_files_it_names(dirty: Path) -> None:
    spared = {"match": {"path": "*.sql"}, "unless": {"path": "db/migrations/1.sql"}}
    assert level(spared, "rm -rf db", dirty) == "allow"
    (dirty / "db/migrations/2.sql").write_text("x")
    assert level(spared, "rm -rf db", dirty) == "deny"


def test_ordinary_commands_pass_beside_protected_files(dirty: Path) -> None:
    (dirty / ".env").write_text("KEY=1")
    (dirty / ".gitignore").write_text(".env\n")
    commands = [json.loads(line)["command"] for line in ORDINARY.read_text().splitlines()]
    named = ("migrations", "rm -rf", "find")
    ordinary = [one for one in commands if not any(name in one for name in named)]
    assert [one for one in ordinary if level(IMMUTABLE, one, dirty) != "allow"] == []


@pytest.mark.parametrize(
    "command",
    ["rm -rf node_modules", "rm -rf node_modules/*", "find . -name dist -exec rm -rf {} +"],
)
def test_folders_that_tools_fill_may_be_removed(command: str, dirty: Path) -> None:
    for folder in ("node_modules/a", "web/dist"):
        (dirty / folder).mkdir(parents=True)
        (dirty / folder / "package.json").write_text("{}")
    assert level({"match": {"path": "package.json"}}, command, dirty) == "allow"
    assert level({"match": {"path": "package.json"}}, "rm -rf web/*", dirty) == "deny"


def test_a_large_tree_is_looked_at_from_its_root(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    for number in range(MAX_ENTRIES):
        (deep / str(number)).touch()
    (tmp_path / "z.sql").touch()
    seen = WorkTree(str(tmp_path)).below(".")
    assert len(seen) == MAX_ENTRIES
    assert "z.sql" in seen


def test_a_folder_that_is_no_repository_has_no_changes(tmp_path: Path) -> None:
    assert WorkTree(str(tmp_path)).states() == {}
    assert WorkTree(str(tmp_path / "none")).below(".") == ()
