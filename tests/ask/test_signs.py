"""Signs count in code alone: a comment or a list of names is no evidence."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.ask.places import CERTAIN
from dmm.ask.sections import Section
from dmm.ask.signs import SIGNED, find_signs
from dmm.repo.strip_comments import strip

LANGUAGES = {"py": "python", "js": "javascript", "ts": "typescript", "go": "go", "rs": "rust"}
LANGUAGES |= {"java": "java", "rb": "ruby", "php": "php", "c": "c"}


def signs(path: str, text: str) -> list[tuple[str, str, int]]:
    bare = strip(textwrap.dedent(text), LANGUAGES.get(path.rpartition(".")[2]), path)
    return [(str(one.section), one.label, one.line) for one in find_signs(bare, SIGNED)]


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("a.py", 'if __name__ == "__main__":\n    run()\n', ("entry_points", "main guard", 1)),
        ("a.go", "package main\n\nfunc main() {}\n", ("entry_points", "main function", 3)),
        ("a.rs", "fn main() {}\n", ("entry_points", "main function", 1)),
        (
            "A.java",
            "class A {\n  public static void main(String[] a) {}\n}\n",
            ("entry_points", "main function", 2),
        ),
        ("a.js", "app.listen(port, () => {})\n", ("entry_points", "server", 1)),
        (
            "a.py",
            "import sqlite3\n\n\ndef f():\n    return sqlite3.connect('x')\n",
            ("persistence", "database", 5),
        ),
        ("a.py", "import sqlite3\n", ("persistence", "database", 1)),
        (
            "a.py",
            "from sqlalchemy.orm import Session\n\ns = Session()\n",
            ("persistence", "database", 3),
        ),
        ("a.ts", "import Database from 'better-sqlite3'\n", ("persistence", "database", 1)),
        ("a.js", "const pg = require('pg')\n", ("persistence", "database", 1)),
        ("a.go", 'package x\n\nimport (\n\t"database/sql"\n)\n', ("persistence", "database", 4)),
        ("a.rs", "use rusqlite::Connection;\n", ("persistence", "database", 1)),
        ("A.java", "import java.sql.Connection;\n", ("persistence", "database", 1)),
        ("a.rb", "require 'sequel'\n", ("persistence", "database", 1)),
        ("a.c", "#include <sqlite3.h>\n", ("persistence", "database", 1)),
        ("s.sql", "CREATE TABLE carts (id INTEGER);\n", ("persistence", "schema", 1)),
        ("a.py", 'S = """\nCREATE TABLE carts (id INTEGER)\n"""\n', ("persistence", "schema", 2)),
        ("a.py", "import typer\n\napp = typer.Typer()\n", ("surfaces", "cli", 3)),
        ("a.py", "import argparse\np = argparse.ArgumentParser()\n", ("surfaces", "cli", 2)),
        ("a.py", "@app.get('/carts')\ndef carts(): ...\n", ("surfaces", "http", 1)),
        ("a.js", "router.post('/carts', handler)\n", ("surfaces", "http", 1)),
        ("a.py", "from mcp.server import Server\ns = Server()\n", ("surfaces", "mcp", 2)),
        ("a.py", "import os\nX = os.environ['X']\n", ("configuration", "environment", 2)),
        ("a.py", "class Settings:\n    pass\n", ("configuration", "settings", 1)),
        (
            "a.py",
            "import openai\nclient = openai.OpenAI()\n",
            ("ai_generation", "model library", 2),
        ),
        (
            "a.ts",
            'import Anthropic from "@anthropic-ai/sdk"\n',
            ("ai_generation", "model library", 1),
        ),
        ("a.py", "import torch\n\ndef embed(x): ...\n", ("ai_generation", "model runtime", 1)),
        ("a.py", 'URL = "https://api.openai.com/v1"\n', ("ai_generation", "model service", 1)),
        (
            "index.php",
            "<?php\nrequire __DIR__.'/../vendor/autoload.php';\n",
            ("entry_points", "application", 2),
        ),
        ("a.ts", "server.listen(normalizePort(port))\n", ("entry_points", "server", 1)),
        ("settings.py", "DATABASES = {'a': {'ENGINE': x}}\n", ("persistence", "database", 1)),
        (
            "database.php",
            "<?php\nreturn [\n  'connections' => [\n    'mysql' => [],\n  ],\n];\n",
            ("persistence", "database", 3),
        ),
        (
            "a.py",
            "class Cart(Named, models.Model):\n    at = models.DateField()\n",
            ("persistence", "model of a table", 1),
        ),
        ("a.rb", "class Cart < ApplicationRecord\nend\n", ("persistence", "model of a table", 1)),
        (
            "Cart.php",
            "<?php\nuse Illuminate\\Database\\Eloquent\\Model;\n\nclass Cart extends Model\n{\n}\n",
            ("persistence", "model of a table", 4),
        ),
        ("a.ts", "@Entity()\nexport class Cart {}\n", ("persistence", "model of a table", 1)),
        ("a.ts", "import Redis from 'ioredis'\n\nnew Redis(url)\n", ("persistence", "cache", 3)),
        ("a.php", "<?php\nRoute::get('/carts', show);\n", ("surfaces", "http", 2)),
        ("a.ts", "export async function GET(asked) {}\n", ("surfaces", "http", 1)),
        ("a.rs", '#[get("/carts")]\nfn carts() {}\n', ("surfaces", "http", 1)),
        ("a.py", "INSTALLED_APPS = []\n", ("configuration", "settings", 1)),
        ("a.ts", "export class Options {}\n", ("configuration", "settings", 1)),
        ("a.py", "class Berth(BaseSettings):\n    x = 1\n", ("configuration", "settings", 1)),
    ],
)
def test_code_shows_what_it_does(path: str, text: str, found: tuple[str, str, int]) -> None:
    assert found in signs(path, text)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "# import sqlite3, or openai; CREATE TABLE carts (id)\n"),
        ("a.py", '"""Once kept in SQLite.\n\nimport sqlite3\nCREATE TABLE carts (id)\n"""\n'),
        ("a.py", 'def f():\n    """\n    import openai\n    """\n'),
        ("a.py", "NAMES = ['sqlite3', 'openai', 'flask']\n"),
        ("a.py", 'HELP = """\nimport sqlite3\n"""\n'),
        ("a.py", "sqlite3_name = 'x'\nimport sqlite3_shim\n"),
        ("a.py", "import torch\n\ndef turn(wheel): ...\n"),
        ("a.py", "def store_name(name): return name\n"),
        ("a.js", "// const pg = require('pg')\n/* app.listen(80) */\n"),
        ("a.js", "const text = `import x from 'openai'`\n"),
        ("a.go", 'package x\n\nfunc main() {}\nvar s = "database/sql " + t\n'),
        ("a.rs", "// fn main() {}\n/* use sqlx; */\n"),
        ("s.sql", "-- CREATE TABLE carts (id INTEGER);\n"),
        ("notes.py", "text = 'we use a database and an AI model'\n"),
    ],
)
def test_what_only_speaks_of_it_shows_nothing(path: str, text: str) -> None:
    assert signs(path, text) == []


STORE = """
import json
from pathlib import Path

def save(path, state):
    Path(path).write_text(json.dumps(state))

def load(path):
    return json.loads(Path(path).read_text())
"""


def test_a_store_of_files_writes_and_brings_back() -> None:
    assert ("persistence", "store of files", 5) in signs("store.py", STORE)
    only_writes = STORE.partition("def load")[0]
    assert signs("report.py", only_writes) == []
    only_reads = "def save(x): ...\ndef load(path):\n    return open(path).read()\n"
    assert signs("report.py", only_reads) == []


def test_many_signs_are_stronger_and_fewer_do_where_the_name_fits() -> None:
    def strength(often: int, named: frozenset[Section] = frozenset()) -> int:
        bare = strip("x = os.getenv('X')\n" * often, "python", "a.py")
        wanted = frozenset((Section.CONFIGURATION,))
        found = {(one.strength, one.count) for one in find_signs(bare, wanted, named)}
        [(strength, count)] = found
        assert count == often
        return strength

    assert strength(4) == strength(19) == strength(4, SIGNED) < CERTAIN
    assert strength(20) == strength(5, SIGNED) == CERTAIN


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.js", "x.listen(" + "a" * 40_000),
        ("a.py", "from a import Model\n" + "class A(\n" * 10_000 + "Field("),
        ("a.py", "Options Model @Entity Ecto.Schema Route::" + "\n" * 40_000),
        ("a.rs", "x #[get(" + " \t" * 20_000),
        ("a.ts", "NextApiRequest " + "export default " * 5_000),
        ("a.go", "type " * 10_000 + "Config"),
    ],
)
def test_a_hostile_file_shows_nothing_and_ends(path: str, text: str) -> None:
    # A quadratic pattern takes minutes here.
    assert signs(path, text) == []


def test_only_wanted_sections_are_looked_for() -> None:
    bare = strip("import sqlite3\nimport openai\n", "python", "a.py")
    found = list(find_signs(bare, frozenset((Section.AI_GENERATION,))))
    assert [one.label for one in found] == ["model library"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "import boto3\n\nqueue = boto3.client('sqs')\n"),
        ("a.ts", "import { Pool } from './workers'\n\nconst p = new Pool(4)\n"),
        ("a.ts", "class Database {}\n\nconst d = new Database()\n"),
        ("A.java", "class A {\n  Object d = new Database();\n}\n"),
        ("a.py", "from speech import create_engine\n\ne = create_engine('voice')\n"),
        ("a.ts", "import type { User } from '@prisma/client'\n\nlet u: User\n"),
        ("a.go", 'package x\n\nimport "example.com/own/sql"\n\nvar d = sql.Open("x")\n'),
    ],
)
def test_a_name_shows_no_store_without_its_library(path: str, text: str) -> None:
    assert signs(path, text) == []


@pytest.mark.parametrize(
    ("path", "text", "label", "line"),
    [
        ("a.py", "import boto3\n\ns = boto3.client('s3')\n", "object store", 3),
        ("a.py", "import boto3\ns = session.resource(\n    's3'\n)\n", "object store", 2),
        ("a.ts", "import { Pool } from 'pg'\n\nconst p = new Pool()\n", "database", 3),
        ("a.ts", "import { PrismaClient } from './prisma/x'\nnew PrismaClient()\n", "database", 2),
        ("a.ts", "import { drizzle } from 'drizzle-orm/d1'\nx = drizzle(d)\n", "database", 2),
        ("a.py", "import psycopg2\nc = psycopg2.connect('')\n", "database", 2),
        ("a.py", "from sqlalchemy import create_engine\ne = create_engine(u)\n", "database", 2),
        ("a.go", 'import (\n\t"database/sql"\n)\nvar d = sql.Open("x")\n', "database", 4),
        ("a.rs", "use sqlx::SqlitePool;\nlet p = SqlitePool::connect(u);\n", "database", 2),
    ],
)
def test_a_store_that_is_opened_is_certain(path: str, text: str, label: str, line: int) -> None:
    bare = strip(text, LANGUAGES[path.rpartition(".")[2]], path)
    found = find_signs(bare, frozenset((Section.PERSISTENCE,)))
    assert [(one.label, one.line) for one in found if one.strength == CERTAIN] == [(label, line)]


@given(st.text(alphabet="ab #'\"`/*\n\\:=()-", max_size=200), st.sampled_from([*LANGUAGES, "sql"]))
def test_places_stay_where_they_are(text: str, ending: str) -> None:
    bare = strip(text, LANGUAGES.get(ending), f"a.{ending}")
    assert len(bare.code) == len(bare.told) == len(text)
    for view in (bare.code, bare.told):
        assert all(a == b or a == " " for a, b in zip(view, text, strict=True))
        assert [at for at, sign in enumerate(view) if sign == "\n"] == [
            at for at, sign in enumerate(text) if sign == "\n"
        ]
    list(find_signs(bare, SIGNED))


def test_a_use_tells_more_than_an_import_that_comes_before_it() -> None:
    text = """\
        from mcp.server.lowlevel import Server
        from mcp.server.context import Context

        def make() -> Server:
            return Server("x")
        """
    assert signs("a.py", text) == [("surfaces", "mcp", 5)]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("import {\n  Kysely,\n  sql,\n} from 'kysely'\n\nrun(Kysely.x)\n", 6),
        ("import { send } from './post'\nimport 'pg'\n\nsend()\n", 2),
        ("reimport(send)\nconst db = require('pg')\n\nsend()\n", 2),
        ("import { send } from './post'\n\nconst knex = await import('knex')\nsend()\n", 3),
    ],
)
def test_only_the_names_of_the_import_itself_are_its_uses(text: str, line: int) -> None:
    assert signs("a.ts", text) == [("persistence", "database", line)]
