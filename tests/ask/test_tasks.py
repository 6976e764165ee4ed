"""What files declare: each task with its command, its words and its line."""

from __future__ import annotations

import pytest

from dmm.ask.tasks import MOST_TASKS, is_declaring, read_tasks


def read(path: str, text: str, *others: str) -> list[tuple[str, str, int]]:
    """Read the tasks of a file as commands, words and lines."""
    found = read_tasks(path, text.split("\n"), {path, *others})
    return [(one.commands[0], one.said, one.line) for one in found]


def test_a_makefile_tells_targets_by_the_comment_above_or_beside_them_or_by_what_they_do() -> None:
    text = (
        "NAME := harbour\n.PHONY: test\ntest: build ## run the tests\n\tpytest\n\n"
        "# Check the style.\nlint:\n\t@ruff check\n\nbuild:\n\t@echo building\n\tcc -o harbour\n"
        "%.o: %.c\n\tcc $<\n"
    )
    assert read("Makefile", text) == [
        ("make test", "run the tests", 3),
        ("make lint", "Check the style.", 7),
        ("make build", "cc -o harbour", 10),
    ]


def test_a_justfile_tells_recipes_with_parameters() -> None:
    text = (
        'name := "x"\n# Run one test\ntest name="all":\n    pytest -k {{name}}\n'
        "@fmt:\n    ruff format\n"
    )
    assert read("justfile", text) == [
        ("just test", "Run one test", 3),
        ("just fmt", "ruff format", 5),
    ]


@pytest.mark.parametrize(
    ("lock", "run"),
    [
        ("pnpm-workspace.yaml", "pnpm lint"),
        ("web/yarn.lock", "yarn lint"),
        ("package-lock.json", "npm run lint"),
    ],
)
def test_scripts_of_a_package_are_run_by_what_its_lock_file_is_of(lock: str, run: str) -> None:
    text = '{\n "scripts": {\n  "prelint": "x",\n  "lint": "eslint .",\n  "test": "vitest"\n }\n}'
    found = read("web/package.json", text, lock)
    assert found[0] == (run, "eslint .", 4)
    assert found[1][0].endswith(" test")
    assert "run" not in found[1][0]


def test_a_package_can_name_what_runs_its_scripts() -> None:
    text = '{"packageManager": "bun@1.2", "scripts": {"dev": "vite"}}'
    assert read("package.json", text) == [("bun run dev", "vite", 1)]


def test_a_script_with_the_name_of_a_command_needs_run() -> None:
    text = '{"scripts": {"build": "x", "test": "y", "preview": "z", "prebuild": "w"}}'
    found = [run for run, *_ in read("package.json", text, "bun.lock")]
    assert found == ["bun run build", "bun run test", "bun run preview"]
    assert read("package.json", '{"packageManager": null, "scripts": {"a": "x"}}')[0][0] == (
        "npm run a"
    )


def test_a_target_is_explained_by_its_own_recipe_and_each_of_several_is_told() -> None:
    text = "build:\n\t@echo building\nunit lint:: \n\truff\nunit: export A=1\n"
    assert read("Makefile", text) == [
        ("make build", "", 1),
        ("make unit", "ruff", 3),
        ("make lint", "ruff", 3),
    ]


def test_steps_with_the_same_command_have_lines_of_their_own() -> None:
    text = "jobs:\n  a:\n    steps:\n      - run: npm ci\n  b:\n    steps:\n      - run: npm ci\n"
    found = read_tasks(".github/workflows/ci.yml", text.split("\n"), ())
    assert [one.line for one in found] == [4, 7]


def test_other_manifests_declare_tasks_too() -> None:
    composer = '{"scripts": {"test": ["@lint", "phpunit"], "post-install-cmd": "x"}}'
    assert read("composer.json", composer) == [("composer test", "@lint; phpunit", 1)]
    python = (
        '[tool.poe.tasks]\ntest = "pytest"\nlint = {cmd = "ruff", help = "Check the style"}\n'
        '[tool.hatch.envs.default.scripts]\nfmt = "ruff format"\n'
    )
    assert read("pyproject.toml", python) == [
        ("poe test", "pytest", 2),
        ("poe lint", "Check the style", 3),
        ("hatch run fmt", "ruff format", 5),
    ]
    mix = 'defmodule X do\n  defp aliases do\n    [\n      "ecto.setup": ["ecto.create"],\n    ]\n'
    assert read("mix.exs", mix) == [("mix ecto.setup", '"ecto.create"', 4)]
    taskfile = "version: '3'\ntasks:\n  test:\n    desc: Run the tests\n  lint: ruff\n"
    assert read("Taskfile.yml", taskfile) == [
        ("task test", "Run the tests", 3),
        ("task lint", "", 5),
    ]


def test_a_workflow_tells_what_its_steps_run() -> None:
    text = (
        "name: CI\non: push\njobs:\n  unit:\n    steps:\n      - uses: actions/checkout@v4\n"
        "      - name: Run the tests\n        run: |\n"
        "          # all of them\n          make test\n"
    )
    (one,) = read_tasks(".github/workflows/ci.yml", text.split("\n"), ())
    assert (one.headings, one.said, one.commands, one.line) == (
        ("CI", "unit"),
        "Run the tests",
        ("make test",),
        10,
    )


def test_samples_of_settings_and_scripts_tell_by_their_comments() -> None:
    text = "# How much is logged.\n# debug or info\nLOG_LEVEL=info\n\n# Ports\n\n#PORT=80\n"
    assert read(".env.example", text) == [
        ("LOG_LEVEL=info", "How much is logged. debug or info", 1),
        ("PORT=80", "", 7),
    ]
    script = "#!/usr/bin/env bash\n# Make a backup.\nset -e\n"
    assert read("deploy/backup.sh", script) == [("./deploy/backup.sh", "Make a backup.", 1)]
    assert read("bin/data", "no script") == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("package.json", "{"),
        ("package.json", "[]"),
        ("package.json", '{"scripts": []}'),
        ("pyproject.toml", "[["),
        ("composer.json", '{"scripts": 3}'),
        (".github/workflows/ci.yml", "jobs: ["),
        (".github/workflows/ci.yml", ""),
        (".github/workflows/ci.yml", "jobs: {a: {steps: 3}}"),
        ("Taskfile.yml", "tasks: 3"),
        ("Taskfile.yml", "[" * 4_000),
        ("Taskfile.yml", "tasks: " + "[" * 4_000),
        ("Taskfile.yml", "- a\n- b"),
        ("Taskfile.yml", "a: !!int ''\nb: [x, {? [c] : d}]"),
        ("Makefile", "x" * 6_000 + ":"),
        ("Makefile", "a" + " " * 4_900 + "!"),
        ("justfile", "a" + " " * 4_900),
        ("harbour.py", "test: x"),
    ],
)
def test_what_can_not_be_read_declares_nothing(path: str, text: str) -> None:
    assert read(path, text) == []


def test_texts_that_aliases_make_endless_are_not_written_out() -> None:
    rows = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    for one, before in zip("bcdefghi", "abcdefgh", strict=True):
        rows.append(f"{one}: &{one} [{', '.join([f'*{before}'] * 9)}]")
    rows.append("jobs: {unit: {name: *i, steps: [{name: *i, run: make}, {run: *i}]}}")
    (found,) = read_tasks(".github/workflows/ci.yml", rows, ())
    assert (found.headings, found.said, found.commands) == (("unit",), "", ("make",))


def test_the_line_of_a_key_is_not_that_of_a_longer_one() -> None:
    text = '{\n "scripts": {\n  "unit:test": "vitest",\n  "latest": "x",\n  "test": "vitest"\n }\n}'
    assert [line for *_, line in read("package.json", text)] == [3, 4, 5]


def test_a_file_with_very_many_tasks_is_read_to_a_limit() -> None:
    text = "".join(f"t{number}:\n" for number in range(MOST_TASKS + 5))
    assert len(read("Makefile", text)) == MOST_TASKS
    assert is_declaring("rules.mk")
    assert not is_declaring("README.md")
