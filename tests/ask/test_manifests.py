"""Commands that a project declares, found where they are defined."""

from __future__ import annotations

import pytest

from dmm.ask import landmarks
from dmm.ask.manifests import (
    Command,
    Start,
    find_description,
    find_start,
    find_test_command,
    read_commands,
    resolve,
)
from dmm.ask.sections import Section
from dmm.ask.sources import CodeFile


@pytest.mark.parametrize(
    ("path", "text", "commands"),
    [
        (
            "pyproject.toml",
            '[project.scripts]\nshop = "shop.cli:main"\n[tool.poetry.scripts]\nold = "old:run"\n',
            [Command("old", "old", "run"), Command("shop", "shop.cli", "main")],
        ),
        (
            "setup.cfg",
            "[options.entry_points]\nconsole_scripts =\n    shop = shop.cli:main\n",
            [Command("shop", "shop.cli", "main")],
        ),
        (
            "package.json",
            '{"name": "shop", "bin": "./bin/shop.js"}',
            [Command("shop", file="bin/shop.js")],
        ),
        ("package.json", '{"bin": {"shop": "cli.js"}}', [Command("shop", file="cli.js")]),
        (
            "Cargo.toml",
            '[[bin]]\nname = "shop"\npath = "src/shop.rs"\n',
            [Command("shop", file="src/shop.rs")],
        ),
        ("pyproject.toml", "[project\n", []),
        ("pyproject.toml", 'project = "x"\n', []),
        ("package.json", "[1]", []),
    ],
)
def test_declared_commands_are_read(path: str, text: str, commands: list[Command]) -> None:
    assert read_commands(path, text.split("\n")) == commands


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ('{"scripts": {"start": "node s.js"}}', Start("node s.js", 1)),
        (
            '{\n "timer": {\n  "start": "now"\n },\n "scripts": {\n  "start": "a \\"b\\" c"\n }\n}',
            Start('a "b" c', 6),
        ),
        ('{\n "timer": {\n  "start": "now"\n }\n}', None),
        ('{"scripts": {"start": ["a"]}}', None),
        ('{"scripts": "start"}', None),
        ('{\n "start": "cut off', None),
    ],
)
def test_the_script_that_starts_a_package_is_read(text: str, start: Start | None) -> None:
    assert find_start("web/package.json", text.split("\n")) == start
    assert find_start("web/other.json", text.split("\n")) is None


def test_a_command_leads_to_its_file() -> None:
    paths = ["lib/other/shop/cli.py", "src/shop/cli.py", "src/tool/__init__.py", "bin/x.js"]
    assert resolve(Command("s", "shop.cli", "main"), "pyproject.toml", paths) == "src/shop/cli.py"
    assert resolve(Command("t", "tool", "run"), "pyproject.toml", paths) == "src/tool/__init__.py"
    assert resolve(Command("x", file="bin/x.js"), "package.json", paths) == "bin/x.js"
    assert resolve(Command("y", file="bin/y.js"), "package.json", paths) is None
    assert resolve(Command("z", "nowhere", "main"), "pyproject.toml", paths) is None


def test_lines_that_say_what_it_is_and_how_it_is_tested_are_found() -> None:
    assert find_description(["[project]", 'description = "A shop."']) == 2
    assert find_description(['{"description": ""}']) is None
    assert find_test_command(["all:", "test: build"]) == 2
    assert find_test_command(["[tool.pytest.ini_options]"]) == 1
    assert find_test_command(["tests := 3"]) is None


FILES = [
    CodeFile(path, kind, language)
    for path, kind, language in [
        ("ARCHITECTURE.md", "document", None),
        ("Makefile", "other", None),
        ("README.md", "document", None),
        ("docs/README.md", "document", None),
        ("pyproject.toml", "other", None),
        ("src/shop/cli.py", "source", "python"),
        ("src/shop/store/index.py", "source", "python"),
        ("src/shop/store.py", "source", "python"),
        ("tests/test_store.py", "test", "python"),
        ("tools/pyproject.toml", "other", None),
        ("tools/store.py", "source", "python"),
    ]
]


def test_names_lead_to_places() -> None:
    assert landmarks.find_readme(FILES) == "README.md"
    assert landmarks.find_architecture(FILES) == "ARCHITECTURE.md"
    assert landmarks.find_builds(FILES) == {"recipes": "Makefile", "package": "pyproject.toml"}
    assert landmarks.find_tests(FILES) == ["tests/test_store.py"]
    assert landmarks.find_manifests(FILES) == ["pyproject.toml"]
    assert landmarks.find_configuration(FILES) is None
    assert landmarks.name_candidates(Section.PERSISTENCE, FILES) == [
        "src/shop/store.py",
        "src/shop/store/index.py",
        "tools/store.py",
    ]
    assert landmarks.name_candidates(Section.TESTS, FILES) == []


def test_versions_are_of_the_past_beside_alembic_alone() -> None:
    paths = ["db/env.py", "db/versions/1.py", "api/versions/v1.py", "env.py", "versions/2.py"]
    past = [path for path in paths if landmarks.is_past(path, paths)]
    assert past == ["db/versions/1.py", "versions/2.py"]
    assert landmarks.is_past("app/migrations/0001.py", ())


def test_the_schema_comes_before_the_migrations_that_made_it() -> None:
    paths = [
        "db/migration/1/migration.sql",
        "db/migration/2/migration.sql",
        "db/schema/main.prisma",
    ]
    files = [CodeFile(path, "source", None) for path in paths]
    found = landmarks.name_candidates(Section.PERSISTENCE, files, ["db"])
    assert found == ["db/schema/main.prisma", *paths[:2]]


def test_packages_take_turns_and_those_that_are_asked_for_come_first() -> None:
    folders = ["a", "b", "c"]
    files = [CodeFile(f"{one}/{at}/store.py", "source", "python") for one in folders for at in "12"]
    assert landmarks.name_candidates(Section.PERSISTENCE, files, folders, ["c"]) == [
        *("c/1/store.py", "c/2/store.py"),
        *("a/1/store.py", "b/1/store.py", "a/2/store.py", "b/2/store.py"),
    ]


def test_a_module_called_setup_makes_no_package_of_its_folder() -> None:
    paths = ("a/setup.py", "a/lib.py", "b/src/b/server/setup.py", "b/src/b/server/__init__.py")
    files = [CodeFile(path, "source") for path in paths]
    assert landmarks.find_manifests(files) == ["a/setup.py"]
    assert landmarks.find_packages(files) == {"a": 2, "": 2}
