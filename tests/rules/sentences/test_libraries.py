"""Libraries in plain words: what the repository declares says which names are libraries."""

from __future__ import annotations

import json

import pytest

from dmm.rules.callbook import CallBook, CallEntry
from dmm.rules.commands.calls import ToolCall
from dmm.rules.english import NOWHERE, Surroundings, compile_sentence
from dmm.rules.explain import describe_matcher
from dmm.rules.form import compile_fields
from dmm.rules.surroundings import find_surroundings

KNOWN = Surroundings(packages=frozenset(("httpx", "zod", "node-fetch")))


def level_on(text: str, path: str, line: str, known: Surroundings = KNOWN) -> str:
    fields = compile_sentence(text, known).fields
    if fields is None:
        return "no rule"
    rule = compile_fields(fields, text, stem="a-rule")
    assert rule.call is not None
    call = ToolCall("Write", {"file_path": path, "content": f"{line}\n"})
    return CallBook([CallEntry(1, text, rule.call, typed=True)]).rule(call).level


@pytest.mark.parametrize(
    ("path", "line", "level"),
    [
        ("app/a.py", "import requests", "deny"),
        ("app/a.py", "from requests.adapters import HTTPAdapter", "deny"),
        ("app/a.py", "    import requests as r", "deny"),
        ("app/a.py", "from .requests import Request", "allow"),
        ("app/a.py", "from app import requests", "allow"),
        ("app/a.py", "import requests_mock", "allow"),
        ("app/a.py", "# import requests", "allow"),
        ("app/a.py", "requests = []", "allow"),
        ("README.md", "import requests", "allow"),
        ("requirements.txt", "requests==2.32.0", "deny"),
        ("requirements.txt", "httpx==0.28.0", "allow"),
    ],
)
def test_what_a_declared_package_replaces_is_neither_imported_nor_added(
    path: str, line: str, level: str
) -> None:
    assert level_on("Use `httpx`, not `requests`.", path, line) == level


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("import fetch from 'node-fetch'", "deny"),
        ('const fetch = require("node-fetch")', "deny"),
        ("const fetch = await import('node-fetch/lite')", "deny"),
        ("import fetch from './node-fetch'", "allow"),
        ("import fetch from 'node-fetch-native'", "allow"),
        ("import fetch, { Headers } from 'node-fetch'", "deny"),
        ("} from 'node-fetch'", "deny"),
        ("export * from 'node-fetch'", "deny"),
        ("import 'node-fetch'", "deny"),
        ("// import fetch from 'node-fetch'", "allow"),
        ("throw new Error(\"no answer from 'node-fetch'\")", "allow"),
    ],
)
def test_a_package_that_another_replaces_is_not_imported_by_its_name_in_quotes(
    line: str, level: str
) -> None:
    assert level_on("Use `zod`, not `node-fetch`", "src/a.ts", line) == level


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("src/a.ts", "import requests from './state/requests'"),
        ("migrations/1.sql", "from requests"),
        ("app/a.py", "    from requests where id = 1"),
        ("nginx.conf", "use requests"),
    ],
)
def test_a_module_of_ones_own_and_a_query_import_no_package(path: str, line: str) -> None:
    assert level_on("Use `httpx`, not `requests`.", path, line) == "allow"


def test_a_declared_package_that_is_replaced_can_still_be_updated() -> None:
    text = "Use `httpx`, not `zod`"
    assert level_on(text, "src/a.ts", "import { z } from 'zod'") == "deny"
    assert level_on(text, "requirements.txt", "zod==4.0.0") == "allow"


def test_a_package_is_imported_in_lower_case_unless_it_has_none() -> None:
    assert level_on("Use `httpx`, not `PIL`", "a.py", "from PIL import Image") == "deny"
    assert level_on("Use `httpx`, not `Flask`", "a.py", "import flask") == "deny"
    assert level_on("Use `httpx`, not `MySQLdb`", "a.py", "import MySQLdb") == "deny"


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.rb", 'require "eyre"'),
        ("a.rs", "use eyre as e;"),
        ("a.rs", "use eyre::Result;"),
        ("a.rs", "extern crate eyre;"),
    ],
)
def test_other_languages_import_in_their_way(path: str, line: str) -> None:
    assert level_on("Use `zod`, not `eyre`", path, line) == "deny"


def test_a_name_in_a_program_is_no_library() -> None:
    text = "Use `httpx`, not `logging.getLogger`"
    assert level_on(text, "a.py", 'log = logging.getLogger("x")') == "deny"


@pytest.mark.parametrize(
    "text",
    [
        "Use `httpx`, not requests",
        "Use `httpx`, not `urllib`",
        "Use `zod`, not `interface`",
        "Use `zod` schemas, not `yup`",
        "Use `dayjs`, not `moment`",
        "Use `zod`, not `fetch`",
        "Use `zod/mini`, not `zod`",
        "Do not use `zod` directly; use the client in `src/api`",
        "Use the project's HTTP utility instead of `node-fetch`",
        "Use the wrapper in `src/http.ts` instead of `zod`",
        "No zod, no JSX in this folder",
        "Do not import zod unless it is used",
    ],
)
def test_a_name_that_may_be_something_else_is_no_library(text: str) -> None:
    assert compile_sentence(text, KNOWN).fields is None


def test_a_scoped_package_is_neither_imported_nor_added() -> None:
    fields = compile_sentence("Use `zod`, not `@acme/schema`", KNOWN).fields
    assert fields is not None
    rule = compile_fields(fields, "x", stem="a-rule")
    assert rule.call is not None
    assert "Blocks adding the package @acme/schema." in describe_matcher(rule.call, rule.level)
    assert level_on("Use `zod`, not `@acme/schema`", "a.ts", "import '@acme/schema'") == "deny"


def test_a_program_is_a_command_also_where_a_package_replaces_it() -> None:
    fields = compile_sentence("Use `httpx`, not `curl`", KNOWN).fields
    assert fields is not None
    assert fields["match"] == [{"command": "curl"}]


def test_a_preference_warns() -> None:
    assert level_on("Prefer `httpx` over `requests`", "a.py", "import requests") == "warn"


def test_in_a_folder_only_the_import_can_be_seen() -> None:
    fields = compile_sentence("Use `zod`, not `yup`", KNOWN._replace(folder="web")).fields
    assert fields is not None
    assert [*fields["match"][0]] == ["content", "path"]  # type: ignore[index]
    assert len(fields["match"]) == 1  # type: ignore[arg-type]


def test_such_a_rule_says_what_it_does() -> None:
    fields = compile_sentence("Use `zod`, not `date-fns`", KNOWN).fields
    assert fields is not None
    rule = compile_fields(fields, "x", stem="a-rule")
    assert rule.call is not None
    assert list(describe_matcher(rule.call, rule.level)) == [
        "Blocks writing an import of `date-fns` in any file except documentation.",
        "Blocks adding the package date-fns.",
    ]


def test_packages_are_read_from_the_manifests_of_a_repository() -> None:
    files = {
        "package.json": json.dumps({
            "name": "web", "version": "1.0.0", "engines": {"node": ">=20"},
            "dependencies": {"zod": "catalog:"}, "devDependencies": {"@types/node": "^20"},
        }),
        "pyproject.toml": (
            '[project]\ndependencies = ["httpx[http2]>=0.27"]\n'
            '[project.optional-dependencies]\nweb = ["Starlette"]\n'
            '[tool.ruff.lint]\nselect = ["ANN"]\n'
            '[tool.poetry.group.dev.dependencies]\npytest = "*"\n'
        ),
        "api/Cargo.toml": '[dependencies]\nserde_json = { version = "1" }\n',
        "go.mod": "module x\n\nrequire (\n\tgithub.com/pkg/errors v0.9.1\n)\n",
        "requirements-dev.txt": "# tools\nruff==0.9\n",
        "broken/package.json": "{",
        "broken/pyproject.toml": "[[",
        "list/package.json": "[1]",
        "setup.py": 'setup(install_requires=["requests"])\n',
        "src/a.py": "import moment\n",
    }  # fmt: skip
    found = find_surroundings(files, lambda path: files[path].encode())
    assert found.packages == {
        "zod", "@types/node", "httpx", "starlette", "pytest", "serde-json",
        "github-com/pkg/errors", "ruff",
    }  # fmt: skip
    assert find_surroundings(["package.json"], lambda path: None) == NOWHERE
