"""A package counts as added, whichever way its manifest is written or its command names it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.rules.callpatterns import DependencyPattern

if TYPE_CHECKING:
    from tests.rules.content.conftest import Judge

LODASH = DependencyPattern("lodash")
FILES = {
    "package.json": '{\n  "dependencies": {\n    "react": "^18"\n  }\n}\n',
    "web/package.json": '{\n  "dependencies": {\n    "lodash": "^4"\n  }\n}\n',
}


@pytest.mark.parametrize(
    "command",
    [
        'cat > package.json <<E\n{"dependencies": {\n  "lodash": "^4"\n}}\nE',
        """echo '{"dependencies": {"react": "^18", "lodash": "^4"}}' > package.json""",
        """echo '{"dependencies": {"_": "npm:lodash@4"}}' > package.json""",
        "echo lodash==1 >> requirements.txt",
        "cat >> requirements-dev.txt <<E\nflask\nlodash>=1\nE",
        'cat > pyproject.toml <<E\n[project]\ndependencies = [\n  "lodash>=1",\n]\nE',
        "cp web/package.json package.json",
        "npm i lodash",
        "npm i foo@npm:lodash",
        "npm i npm:lodash@4",
        "pnpm add @me/foo@npm:lodash@^4",
        "deno add npm:lodash",
    ],
)
def test_a_package_that_a_command_adds_is_found(command: str, judge: Judge) -> None:
    assert judge("Bash", {"command": command}, LODASH, files=FILES).level == "deny"


@pytest.mark.parametrize(
    "command",
    [
        'cat > web/package.json <<E\n{\n  "dependencies": {\n    "lodash": "^5"\n  }\n}\nE',
        "cat package.json",
        'sed -i \'s/"lodash": "^4"/"lodash-es": "^4"/\' web/package.json',
        "npm i lodash@npm:lodash-es",
        "echo lodash >> notes.txt",
        "npm i @me/lodash",
        "cat > pyproject.toml <<E\n[project]\nname = 'lodash'\nE",
    ],
)
def test_another_package_or_one_that_is_there_is_not(command: str, judge: Judge) -> None:
    assert judge("Bash", {"command": command}, LODASH, files=FILES).level == "allow"


def test_a_scoped_package_keeps_its_scope_behind_an_alias(judge: Judge) -> None:
    scoped = DependencyPattern("@std/path")

    assert judge("Bash", {"command": "deno add jsr:@std/path@1"}, scoped).level == "deny"


@pytest.mark.parametrize(
    ("manifest", "old", "new"),
    [
        ("pyproject.toml", 'version = "1.2.0"', 'version = "1.3.0"'),
        ("pyproject.toml", 'target-version = "py311"', 'target-version = "py312"'),
        ("setup.py", 'setup(name="shop",', 'setup(\n    name="store",'),
        ("go.mod", "\ta.dev/b v1.0.0", "\ta.dev/b v1.1.0\n\tc.dev/d v1.0.0 // indirect"),
    ],
)
def test_a_new_version_or_a_package_that_only_others_need_is_not_added(
    manifest: str, old: str, new: str, judge: Judge
) -> None:
    edit = {"file_path": manifest, "old_string": old, "new_string": new}

    assert judge("Edit", edit, DependencyPattern("*"), files={manifest: old}).level == "allow"


@pytest.mark.parametrize(
    ("manifest", "new"),
    [
        ("pyproject.toml", 'dependencies = ["lodash",'),
        ("setup.py", '    install_requires=[\n        "lodash>=1",\n    ],'),
        ("go.mod", "\ta.dev/b v1.0.0\n\tlodash.dev/lodash v1.0.0"),
        ("go.mod", "\tlodash.dev/lodash v1.0.0 // indirectly used"),
    ],
)
def test_a_package_that_is_listed_is_added(manifest: str, new: str, judge: Judge) -> None:
    edit = {"file_path": manifest, "old_string": "a", "new_string": new}

    assert judge("Edit", edit, DependencyPattern("*lodash")).level == "deny"
