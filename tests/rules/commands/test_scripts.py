"""The files that a call runs: what their text does, where it stands, and how far that is read."""

from __future__ import annotations

import datetime as dt
import json
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.ledger.service import Ledger
from dmm.rules.commands.calls import CallFacts, ToolCall, read_call
from dmm.rules.commands.justfiles import just_recipes
from dmm.rules.commands.makefiles import recipes_of
from dmm.rules.commands.scripts import MAX_FILES
from dmm.rules.guard import Guard
from dmm.rules.project_ledger import ProjectLedger

if TYPE_CHECKING:
    from pathlib import Path

    from dmm.rules.callbook import Ruling

PACKAGE = json.dumps(
    {
        "scripts": {
            "prebuild": "rm -rf dist",
            "build": "tsc -p .",
            "postbuild": "git push --force",
            "test": "vitest run",
            "all": "yarn build && yarn test",
        }
    },
    indent=2,
)
MAKEFILE = """\
BRANCH ?= main
PUSH := git push origin $(BRANCH)

.PHONY: all
all: build

build: deps
\t@echo building
\tcc -o app main.c

deps:
\t-git fetch

deploy: build
\t$(PUSH)
ifeq ($(CI),1)
\t@$(MAKE) -C sub publish
endif

clean:
\trm -rf build $$HOME/x
include more.mk
"""


def read(command: str, files: dict[str, str]) -> CallFacts:
    return read_call(ToolCall("Bash", {"command": command}, cwd="/app"), files.get)


def runs(command: str, files: dict[str, str]) -> list[tuple[str, str]]:
    """Give where a file stands and what it runs, one for each command in the files of a call."""
    return [
        (script.where(use.invocation.span[0]), " ".join(use.invocation.argv))
        for script in read(command, files).scripts
        for use in script.facts.commands
    ]


@pytest.mark.parametrize(
    "command",
    [
        "bash x.sh",
        "sh -e ./x.sh now",
        "./x.sh",
        "source x.sh",
        ". ./x.sh",
        "cat x.sh | bash",
        "bash < x.sh",
        "bash <(cat x.sh)",
        'eval "$(cat x.sh)"',
        'bash -c "$(<x.sh)"',
        "sudo nohup bash x.sh &",
        "cp x.sh y.sh && bash y.sh",
        "at -f x.sh now",
        "BASH_ENV=x.sh bash -c :",
    ],
)
def test_a_script_is_read_however_it_is_run(command: str) -> None:
    assert ("x.sh line 3", "git push") in runs(command, {"x.sh": "#!/bin/sh\n\ngit push\n"})


def test_the_first_line_says_in_which_language_a_script_is_written() -> None:
    python = "#!/usr/bin/env python3\nimport subprocess as s\n\ns.run(['git', 'push'])\n"
    node = "#!/usr/bin/env -S node\nrequire('child_process').execSync('git push')\n"
    assert runs("./x", {"x": python}) == [("x line 4", "git push")]
    assert runs("./x", {"x": node}) == [("x line 2", "git push")]
    assert runs("python x.py", {"x.py": python}) == [("x.py line 4", "git push")]
    assert runs("./x", {"x": "#!/usr/bin/tcl\ngit push\n"}) == []
    assert runs("./x", {"x": "\x7fELF\0git push\n"}) == []


def test_a_script_is_read_from_the_folder_that_the_call_went_to() -> None:
    files = {"web/run.sh": "./next.sh\n", "web/next.sh": "git push\n"}
    assert runs("cd web && bash run.sh", files) == [
        ("web/run.sh line 1", "./next.sh"),
        ("web/next.sh line 1", "git push"),
    ]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("make", [(8, "echo building"), (9, "cc -o app main.c"), (12, "git fetch")]),
        ("make deps", [(12, "git fetch")]),
        ("make -j4 clean", [(21, "rm -rf build $HOME/x")]),
        ("make BRANCH=dev deploy", [(15, "git push origin dev"), (17, "make -C sub publish")]),
        ("make -n deploy", []),
        ("make nothing", []),
        ("make extra", [(22, "npm publish")]),
    ],
)
def test_make_runs_the_recipes_of_its_targets_and_of_what_they_need(
    command: str, expected: list[tuple[int, str]]
) -> None:
    files = {"Makefile": MAKEFILE, "more.mk": "extra:\n\tnpm publish\n"}
    found = runs(command, files)
    assert [one for one in expected if (f"Makefile line {one[0]}", one[1]) not in found] == []
    assert bool(found) is bool(expected)
    assert not any("build" in text for _, text in found) or "deps" not in command


@pytest.mark.parametrize(
    "line",
    [
        "X := $(shell git push)",
        "export X != git push",
        "X := $(strip $(shell git push))",
        "X := a\nX += $(shell git push)",
        "$(info $(shell git push))",
        "$(if $(shell git push),a,b)",
        "ifeq ($(shell git push),)\nendif",
        "all: $(shell git push)",
        "include $(shell git push)",
        "all: X := $(shell git push)",
        "X = $(shell git push)\nall: ; echo $(X)",
        "all:\n\t+@git push",
    ],
)
def test_what_reading_a_makefile_runs_also_runs_in_a_dry_run(line: str) -> None:
    makefile = f"{line}\nall:\n\techo done\n"
    for command in ("make", "make -n", "make -kn all", "make --question"):
        found = [text for _, text in runs(command, {"Makefile": makefile})]
        assert "git push" in found
        assert ("echo done" in found) is (command == "make")
    assert runs("make --version", {"Makefile": makefile}) == []


def test_what_a_makefile_only_could_run_does_not_run_in_a_dry_run() -> None:
    makefile = "X = $(shell git push)\nall:\n\techo done\nother:\n\techo $(X)\n"
    assert runs("make -n", {"Makefile": makefile}) == []


JUSTFILE = """set shell := ["bash", "-uc"]
branch := "main"
version := `git describe`
alias d := deploy

# the first recipe
default: build

build mode='debug' *rest: (fetch "x")
    @echo {{mode}} {{rest}}
fetch url:
    git fetch {{url}}

deploy: build && notify
    git push origin {{branch}}
notify:
    #!/usr/bin/env python3
    import subprocess
    subprocess.run(["git", "tag", "done"])
"""


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("just", ["git describe", "echo debug ${rest}", "git fetch ${url}"]),
        ("just build fast a b", ["git describe", "echo fast a b", "git fetch ${url}"]),
        ("just fetch here", ["git describe", "git fetch here"]),
        ("just branch=dev d", ["git push origin dev", "git tag done", "echo debug ${rest}"]),
        ("just -c git push", ["git push"]),
        ("just --list", []),
        ("just --dry-run deploy", []),
    ],
)
def test_just_runs_its_recipes_and_what_stands_in_backticks(
    command: str, expected: list[str]
) -> None:
    facts = read(command, {"justfile": JUSTFILE})
    uses = [use for one in (facts, *(held.facts for held in facts.scripts)) for use in one.commands]
    found = [" ".join(use.invocation.argv) for use in uses][1:]
    assert [one for one in expected if one not in found] == []
    assert bool(found) is bool(expected)


def test_just_goes_to_another_folder_and_file() -> None:
    files = {"sub/justfile": "all:\n  git push\n", "x.just": "import 'y.just'\n"}
    files["y.just"] = "all:\n  git fetch\n"
    assert runs("just -d sub", files) == [("sub/justfile line 2", "git push")]
    assert runs("just -f x.just", files) == [("x.just line 1", "git fetch")]


def test_make_goes_to_another_folder_and_file() -> None:
    files = {"sub/Makefile": "all:\n\tgit push\n", "x.mk": "a:\n\tgit fetch\n"}
    for command in ("make -C sub", "make -Csub", "make -kC sub"):
        assert runs(command, files) == [("sub/Makefile line 2", "git push")]
    assert runs("make -f x.mk", files) == [("x.mk line 2", "git fetch")]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npm run build", ["rm -rf dist", "tsc -p .", "git push --force"]),
        ("pnpm build", ["rm -rf dist", "tsc -p .", "git push --force"]),
        ("yarn run test --watch", ["vitest run --watch"]),
        ("npm t", ["vitest run"]),
        ("npm run missing", []),
        ("npm ls", []),
    ],
)
def test_a_package_script_runs_with_what_stands_before_and_behind_it(
    command: str, expected: list[str]
) -> None:
    assert [text for _, text in runs(command, {"package.json": PACKAGE})] == expected


def test_a_package_script_leads_to_others() -> None:
    found = runs("pnpm run all", {"package.json": PACKAGE})
    assert ("package.json line 5", "git push --force") in found


def test_an_alias_that_git_has_stored_is_looked_up() -> None:
    settings = '[core]\n\tbare = false\n[alias]\n\tpf = push --force\n\tx = "!rm -rf /srv"\n'
    files = {".git/config": settings}
    assert runs("git pf origin", files) == [(".git/config line 4", "git push --force origin")]
    assert runs("git x", files) == [(".git/config line 5", "rm -rf /srv")]
    assert runs("git status", files) == []


def test_the_functions_of_a_script_count_where_they_are_called() -> None:
    library = "push() {\n  git push\n}\nfetch() { git fetch; }\n"
    assert runs("source lib.sh", {"lib.sh": library}) == []
    called = runs("bash lib.sh", {"lib.sh": f"{library}push\n"})
    assert called == [("lib.sh line 5", "push"), ("lib.sh line 2", "git push")]


def test_a_script_is_read_with_its_arguments() -> None:
    files = {"x.sh": 'git push origin "$1"\n', "y.sh": 'deploy() { git push; }\n"$@"\n'}
    assert runs("bash x.sh main", files) == [("x.sh line 1", "git push origin main")]
    assert runs("./x.sh $B", files) == [("x.sh line 1", "git push origin $B")]
    assert ("y.sh line 1", "git push") in runs("./y.sh deploy", files)
    assert [text for _, text in runs("./y.sh", files)] == []


def test_scripts_that_run_one_another_come_to_an_end() -> None:
    files = {f"{number}.sh": f"bash {number + 1}.sh\nbash 0.sh\n" for number in range(100)}
    found = read("bash 0.sh", files)
    assert 0 < len(found.scripts) <= MAX_FILES
    wide = {"0.sh": "".join(f"bash {number}.sh\n" for number in range(1, 100))}
    wide |= {f"{number}.sh": "echo hi\n" for number in range(1, 100)}
    assert len(read("bash 0.sh", wide).scripts) <= MAX_FILES


def test_makefiles_that_include_themselves_and_values_in_values_come_to_an_end() -> None:
    makefile = "all:\n\tgit push\n" + "include Makefile\n" * 100
    assert ("git push", 2) in recipes_of(makefile, (), lambda _: makefile)
    names = "abcdefghi"
    values = [f"{one} = {f'$({other})' * 40}\n" for one, other in pairwise(names)]
    assert recipes_of(f"{''.join(values)}all: $(a)\n\tgit push\n", ("all",))[0] == ("git push", 10)
    justfile = "import 'justfile'\n" * 100 + "all:\n  git push\n"
    assert ("git push", 102) in just_recipes(justfile, (), lambda _: justfile)


def test_no_file_is_looked_for_by_a_path_that_is_not_known() -> None:
    asked: list[str] = []

    def files(path: str) -> str | None:
        asked.append(path)
        return None

    for command in ('bash "$X"', "bash *.sh", "bash `tool --path`", "/bin/ls", "python -c 'x'"):
        read_call(ToolCall("Bash", {"command": command}, cwd="/app"), files)
    assert asked == []


def test_without_a_way_to_read_files_none_is_read() -> None:
    facts = read_call(ToolCall("Bash", {"command": "bash x.sh"}, cwd="/app"))
    assert (facts.scripts, facts.unresolved, facts.malformed) == ((), (), False)


def test_decoding_inside_a_script_is_told_and_other_building_is_not() -> None:
    hidden = read("bash x.sh", {"x.sh": "echo hi\necho Z2l0 | base64 -d | sh\n"})
    assert hidden.unresolved == ("what `sh` runs is made by `base64` (x.sh line 2)",)
    usual = 'set -e\ncmd=$(sed s/a/b/ conf)\n$cmd "$@"\neval "$(grep export conf)"\n'
    assert read("./x.sh", {"x.sh": usual}).unresolved == ()


def guarded(tmp_path: Path, command: str, *rules: str) -> Ruling:
    project_ledger = ProjectLedger(None, lambda: dt.datetime(2026, 11, 1, tzinfo=dt.UTC))
    for rule in rules:
        Ledger(project_ledger).add_constraint(rule)
    ruling = Guard(project_ledger).rule(ToolCall("Bash", {"command": command}, str(tmp_path)))
    project_ledger.close()
    return ruling


def test_a_finding_in_a_file_is_asked_about_and_names_the_line(tmp_path: Path) -> None:
    (tmp_path / "deploy.sh").write_text("set -e\n\ngit push --force origin main\n")
    ruling = guarded(tmp_path, "bash deploy.sh", "never force push")
    assert ruling.level == "ask"
    assert ruling.reason.endswith("(deploy.sh line 3)")
    assert any("found in deploy.sh line 3" in step for step in ruling.trace)
    assert guarded(tmp_path, "bash deploy.sh && git push -f", "never force push").denied
    assert guarded(tmp_path, "cat deploy.sh", "never force push").level == "allow"


def test_a_script_of_the_project_may_clean_up(tmp_path: Path) -> None:
    (tmp_path / "clean.sh").write_text('rm -rf "$OUT" lib\nrm -rf "$(pwd)/x"\n')
    project_ledger = ProjectLedger(None, lambda: dt.datetime(2026, 11, 1, tzinfo=dt.UTC))
    Ledger(project_ledger).add_starter()
    guard = Guard(project_ledger)
    call = ToolCall("Bash", {"command": "./clean.sh"}, str(tmp_path))
    assert guard.rule(call).level == "allow"
    (tmp_path / "clean.sh").write_text("rm -rf /usr\n")
    assert guard.rule(call).level == "ask"
    project_ledger.close()


@given(st.text(max_size=300), st.lists(st.sampled_from(["all", "-C", "x", "A=b", "-f"])))
def test_no_text_breaks_the_reading_of_a_makefile(text: str, words: list[str]) -> None:
    assert all(number >= 1 for _, number in recipes_of(text, words))


@given(st.text("ab:= '\"`{}\n\t@-#", max_size=120), st.lists(st.sampled_from(["a", "b", "-f"])))
def test_no_text_breaks_the_reading_of_a_justfile(text: str, words: list[str]) -> None:
    assert all(number >= 1 for _, number in just_recipes(text, words, lambda _: None))


@pytest.mark.repeats
@pytest.mark.parametrize("piece", ["a b='c' ", "a: b\n c\n", "a := `", "{{a}}", "x: x\n {{x}}\n"])
def test_repeated_odd_lines_of_a_justfile_end_within_bounds(piece: str) -> None:
    assert len(just_recipes(piece * (30_000 // len(piece)), ["a"], lambda _: None)) < 40_000


@pytest.mark.repeats
@pytest.mark.parametrize(
    "piece", ["a: b\n\tc\n", "A = $(A)$(A)\nb: ; $(A)\n", "$(", "define x\n", "%: %.c\n\tx\n"]
)
def test_repeated_odd_lines_of_a_makefile_end_within_bounds(piece: str) -> None:
    text = piece * (30_000 // len(piece))
    assert len(recipes_of(text, ["a", "b"])) < 40_000
