"""Code patterns that show where data outlives the process."""

from __future__ import annotations

from dmm.ask import libraries
from dmm.ask.rule import Rule, write_import, write_rule, write_use
from dmm.ask.sections import Section

# How functions begin in the languages that are read.
_DEFINES = (
    r"(?:async[ \t]+)?def|(?:export[ \t]+)?(?:async[ \t]+)?function|func"
    r"|(?:pub[ \t]+)?(?:async[ \t]+)?fn|(?:public|private|protected|static|final|override|fun)"
    r"(?:[ \t]+[\w<>\[\],.?]+){0,4}"
)
_RECEIVER = r"[ \t]+(?:\([^)\n]*\)[ \t]*)?_?"
_WRITES_FILES = (
    r"\.write_text\(|\.write_bytes\(|\bopen\([^)\n]*[\"'][wax]|\b(?:json|pickle|yaml)\.dump\("
    r"|writeFile(?:Sync)?\(|os\.WriteFile\(|fs::write\(|new\s+File(?:OutputStream|Writer)\("
    r"|\bFiles\.(?:write|newOutputStream)|\bFile\.Write"
)
_BRINGS_BACK = (
    rf"\b(?:{_DEFINES}){_RECEIVER}(?:load|restore|read|fetch|open)(?:_\w+|[A-Z]\w*)?[ \t]*\("
)
_KEEPS = Section.PERSISTENCE


def _opens(pattern: str, needles: str, **names: str) -> Rule:
    """A connection that is opened, in a file that imports its library; more than a use of one."""
    opened = rf"(?P<at>{pattern})\("
    return write_rule(_KEEPS, "database", 4, needles, opened, libraries.write_pattern(names))


_OPENED = (
    # Its client is generated into a folder of the project, or imported from the library.
    write_rule(
        _KEEPS,
        "database",
        4,
        "PrismaClient(",
        r"(?P<at>\bnew\s+PrismaClient)\(",
        r"(?:\bfrom|\brequire\()\s*[\"'][^\"'\n]*prisma",
    ),
    _opens(r"\bnew\s+MongoClient", "MongoClient(", script="mongodb"),
    _opens(r"\bnew\s+(?:\w+\.)?Pool", "Pool(", script="pg"),
    _opens(r"\bnew\s+DataSource", "DataSource(", script="typeorm"),
    _opens(r"\bnew\s+Sequelize", "Sequelize(", script="sequelize sequelize-typescript"),
    _opens(r"\bknex", "knex(", script="knex"),
    _opens(
        r"\bnew\s+(?:\w+\.)?Database(?:Sync)?",
        "Database( DatabaseSync(",
        script="better-sqlite3 sqlite3 node:sqlite bun:sqlite",
    ),
    _opens(r"(?<==)\s*drizzle", "drizzle(", script="drizzle-orm"),
    *(
        _opens(rf"\b{one}\.(?:connect|create_pool)", f"{one}.", python=one)
        for one in ["sqlite3", "aiosqlite", "psycopg", "psycopg2", "asyncpg", "duckdb"]
    ),
    _opens(r"\bapsw\.Connection", "apsw.", python="apsw"),
    _opens(r"\bcreate_(?:async_)?engine", "_engine(", python="sqlalchemy sqlmodel"),
    _opens(r"\bsql\.Open", "sql.Open", go="database/sql"),
    _opens(r"\bgorm\.Open", "gorm.Open", go="gorm.io/gorm"),
    _opens(r"\bxorm\.NewEngine\w*", "xorm.", go="xorm.io/xorm"),
    _opens(r"\bsqlx\.(?:Open|Connect)", "sqlx.", go="github.com/jmoiron/sqlx"),
    _opens(r"\bbolt\.Open", "bolt.Open", go="github.com/boltdb/bolt go.etcd.io/bbolt"),
    _opens(r"\bbadger\.Open", "badger.Open", go="github.com/dgraph-io/badger"),
    _opens(r"\bpgxpool\.New\w*", "pgxpool.New", go="github.com/jackc/pgx"),
    write_rule(
        _KEEPS,
        "database",
        4,
        "SqlitePool PgPool MySqlPool",
        r"(?P<at>\b(?:SqlitePool|PgPool|MySqlPool)(?:Options)?(?:::new\(\)[\s\S]{0,200}?)?"
        r"(?:::|\.)connect\w*)\(",
        r"\bsqlx::",
    ),
)
PERSISTENCE = (
    write_use(_KEEPS, "database", 3, libraries.DATABASES),
    write_use(_KEEPS, "cache", 1, libraries.CACHES),
    Rule(
        _KEEPS,
        "schema",
        5,
        ("CREATE TABLE", "create table"),
        r"(?P<at>\b(?i:create)\s+(?i:table))\s+(?i:if\s+not\s+exists\s+)?"
        r"[\"`\[]?[\w.]+[\"`\]]?\s*\(",
        in_string=True,
    ),
    write_use(_KEEPS, "object store", 4, libraries.OBJECT_STORES),
    write_rule(
        _KEEPS,
        "object store",
        4,
        "boto3",
        r"(?P<at>\b\w+)\.(?:client|resource)\(\s*(?:service_name\s*=\s*)?[\"']s3[\"']",
        write_import(r"(?:aio)?boto3"),
    ),
    *_OPENED,
    write_rule(_KEEPS, "schema", 5, "datasource", r"^(?P<at>datasource)\s+\w+\s*\{"),
    write_rule(_KEEPS, "schema", 5, "ActiveRecord::Schema", r"^(?P<at>ActiveRecord::Schema)\b"),
    # The settings of a framework that opens the database itself.
    write_rule(
        _KEEPS,
        "database",
        5,
        "DATABASES",
        r"^(?P<at>DATABASES)\s*(?::[^=\n]+)?=",
        r"[\"']ENGINE[\"']|dj_database_url|DATABASE_URL|\benv\.db\(",
    ),
    write_rule(
        _KEEPS,
        "database",
        5,
        "connections",
        r"(?P<at>[\"'])connections[\"']\s*=>\s*\[",
        r"[\"'](?:mysql|pgsql|sqlite)[\"']\s*=>",
        in_string=True,
    ),
    *(
        write_rule(_KEEPS, "model of a table", 4, needles, pattern, *beside)
        for needles, pattern, *beside in (
            (
                "Model Base",
                r"^[ \t]*(?P<at>class)\s+\w+\([^()]{0,400}?(?:Model|DeclarativeBase|\bBase)"
                r"\s*,?\s*\)",
                r"\b(?:Column|mapped_column|\w+Field|ForeignKey)\(",
            ),
            (
                "ApplicationRecord ActiveRecord::Base",
                r"^(?P<at>class)\s+\w+\s*<\s*(?:ApplicationRecord|ActiveRecord::Base)",
            ),
            (
                "Eloquent Doctrine",
                r"^(?:abstract\s+|final\s+)?(?P<at>class)\s+\w+\b",
                r"\bextends\s+\w*(?:Model|Entity|Authenticatable)\b|#\[ORM\\Entity",
                r"^use\s+(?:Illuminate\\Database\\Eloquent|Doctrine\\ORM)",
            ),
            ("Ecto.Schema", r"^[ \t]*(?P<at>use)\s+Ecto\.Schema\b"),
            ("@Entity @Table", r"^[ \t]*(?P<at>@(?:Entity|Table))\b"),
            (
                "Schema( .model(",
                r"(?P<at>\bnew\s+(?:mongoose\.)?Schema|\bmongoose\.model)[(<]",
                r"\bmongoose\b",
            ),
        )
    ),
    write_rule(
        _KEEPS, "database", 3, "PDO( mysqli( SQLite3(", r"(?P<at>\bnew\s+(?:PDO|mysqli|SQLite3))\("
    ),
    write_rule(
        _KEEPS,
        "store of files",
        2,
        "save persist store keep checkpoint",
        rf"^[ \t]*(?P<at>{_DEFINES}){_RECEIVER}(?:save|persist|store|keep|checkpoint)"
        r"(?:_\w+|[A-Z]\w*)?[ \t]*\(",
        _WRITES_FILES,
        _BRINGS_BACK,
    ),
)
