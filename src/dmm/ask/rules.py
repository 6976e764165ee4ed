"""Code patterns that show entry points, storage, interfaces and model use."""

from __future__ import annotations

from dataclasses import dataclass

from dmm.ask import libraries
from dmm.ask.sections import Section


@dataclass(frozen=True, slots=True)
class Rule:
    """One sign: where it belongs, how strong it is, and what else (`beside`) the code has to hold.

    The group `at` of the pattern marks the word that has to be code. A text without any of the
    `needles` can't hold it, and is spared the pattern.
    """

    section: Section
    label: str
    strength: int
    needles: tuple[str, ...]
    pattern: str
    beside: tuple[str, ...] = ()
    in_string: bool = False
    imports: bool = False


def _rule(
    section: Section,
    label: str,
    strength: int,
    needles: str,
    pattern: str,
    *beside: str,
    in_string: bool = False,
) -> Rule:
    return Rule(section, label, strength, tuple(needles.split()), pattern, beside, in_string)


def _uses(section: Section, label: str, strength: int, names: dict[str, str], *beside: str) -> Rule:
    pattern, needles = libraries.write_pattern(names), libraries.list_names(names)
    return Rule(section, label, strength, needles, pattern, beside, imports=True)


def _imports(names: str) -> str:
    return rf"^[ \t]*(?:import|from)[ \t]+(?:{names})\b"


_ENTRY = Section.ENTRY_POINTS
ENTRY_POINTS = (
    _rule(_ENTRY, "main guard", 4, "__main__", r"^(?P<at>if)\s+__name__\s*==\s*[\"']__main__[\"']"),
    _rule(
        _ENTRY, "main function", 5, "func", r"^(?P<at>func)\s+main\s*\(\s*\)", r"^package\s+main\b"
    ),
    _rule(_ENTRY, "main function", 5, "fn", r"^(?P<at>(?:pub\s+)?(?:async\s+)?fn)\s+main\s*\("),
    _rule(_ENTRY, "main function", 5, "void", r"^\s*(?P<at>public)\s+static\s+void\s+main\s*\("),
    _rule(
        _ENTRY,
        "main function",
        5,
        "Main",
        r"^\s*(?P<at>(?:private |public |internal )?static)\s+(?:async\s+)?"
        r"(?:void|int|Task(?:<int>)?)\s+Main\s*\(",
    ),
    _rule(_ENTRY, "main function", 5, "main", r"^(?P<at>int|void|fun)\s+main\s*\("),
    _rule(
        _ENTRY,
        "application",
        3,
        "FastAPI( Flask( Starlette( Sanic( Application(",
        r"^(?:\w+\s*(?::\s*[\w.]+\s*)?=\s*)"
        r"(?P<at>(?:fastapi\.)?FastAPI|(?:flask\.)?Flask|Starlette|Sanic|web\.Application)\(",
    ),
    _rule(
        _ENTRY,
        "server",
        3,
        ".listen(",
        r"(?P<at>\b\w+)\.listen\(\s*(?:\w*(?:port|PORT)\w*|process\.env|\d{2,5})",
    ),
    _uses(_ENTRY, "server", 3, libraries.SERVERS),
    _rule(_ENTRY, "server", 3, "Bun.serve Deno.serve", r"(?P<at>\b(?:Bun|Deno)\.serve)\("),
    _rule(
        _ENTRY,
        "server",
        3,
        "uvicorn.run ListenAndServe serve_forever",
        r"(?P<at>\buvicorn\.run|\bhttp\.ListenAndServe(?:TLS)?|\bserve_forever)\(",
    ),
)

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
    return _rule(_KEEPS, "database", 4, needles, opened, libraries.write_pattern(names))


_OPENED = (
    # Its client is generated into a folder of the project, or imported from the library.
    _rule(
        _KEEPS,
        "database",
        4,
        "PrismaClient(",
        r"(?P<at>\bnew\s+PrismaClient)\(",
        r"(?:\bfrom|\brequire\()\s*[\"'][^\"'\n]*prisma",
    ),
    _opens(r"\bnew\s+MongoClient", "MongoClient(", script="mongodb"),
    _opens(r"\bnew\s+(?:\w+\.)?Pool", "Pool(", script="pg"),
    _opens(r"\bnew\s+(?:IO)?Redis", "Redis(", script="redis ioredis"),
    _opens(r"\bnew\s+DataSource", "DataSource(", script="typeorm"),
    _opens(r"\bnew\s+Sequelize", "Sequelize(", script="sequelize"),
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
    _opens(r"\bsqlx\.(?:Open|Connect)", "sqlx.", go="github.com/jmoiron/sqlx"),
    _opens(r"\bbolt\.Open", "bolt.Open", go="github.com/boltdb/bolt go.etcd.io/bbolt"),
    _opens(r"\bbadger\.Open", "badger.Open", go="github.com/dgraph-io/badger"),
    _opens(r"\bpgxpool\.New\w*", "pgxpool.New", go="github.com/jackc/pgx"),
    _rule(
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
    _uses(_KEEPS, "database", 3, libraries.DATABASES),
    Rule(
        _KEEPS,
        "schema",
        5,
        ("CREATE TABLE", "create table"),
        r"(?P<at>\b(?i:create)\s+(?i:table))\s+(?i:if\s+not\s+exists\s+)?"
        r"[\"`\[]?[\w.]+[\"`\]]?\s*\(",
        in_string=True,
    ),
    _uses(_KEEPS, "object store", 4, libraries.OBJECT_STORES),
    _rule(
        _KEEPS,
        "object store",
        4,
        "boto3",
        r"(?P<at>\b\w+)\.(?:client|resource)\(\s*(?:service_name\s*=\s*)?[\"']s3[\"']",
        _imports(r"(?:aio)?boto3"),
    ),
    *_OPENED,
    _rule(_KEEPS, "schema", 5, "datasource", r"^(?P<at>datasource)\s+\w+\s*\{"),
    _rule(
        _KEEPS,
        "model of a table",
        3,
        "Model) Base)",
        r"^\s*(?P<at>class)\s+\w+\((?:\w+\.)?(?:Model|DeclarativeBase|Base)\)",
        r"\b(?:Column|mapped_column|models\.\w+Field)\(",
    ),
    _rule(
        _KEEPS,
        "model of a table",
        3,
        "ApplicationRecord ActiveRecord::Base",
        r"^(?P<at>class)\s+\w+\s*<\s*(?:ApplicationRecord|ActiveRecord::Base)",
    ),
    _rule(
        _KEEPS, "database", 3, "PDO( mysqli( SQLite3(", r"(?P<at>\bnew\s+(?:PDO|mysqli|SQLite3))\("
    ),
    _rule(
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

_HTTP_APP = r"\b(?:fastapi\.)?FastAPI|\b(?:flask\.)?Flask|\bStarlette|\bSanic|\bweb\.Application"
_SERVES = Section.SURFACES
SURFACES = (
    _rule(
        _SERVES,
        "cli",
        4,
        ".command( .add_typer( .add_command(",
        r"(?P<at>\b\w+)\.(?:command|add_typer|add_command)\(",
        _imports("typer|click"),
    ),
    _rule(
        _SERVES,
        "cli",
        3,
        "Typer ArgumentParser click fire docopt",
        r"(?P<at>\b(?:typer\.Typer|(?:argparse\.)?ArgumentParser|click\.(?:group|command|Group)"
        r"|fire\.Fire|docopt))\b",
        _imports("typer|argparse|click|fire|docopt"),
    ),
    _uses(_SERVES, "cli", 3, libraries.COMMAND_LINES),
    _rule(
        _SERVES,
        "http",
        4,
        "FastAPI( Flask( Starlette( Sanic( Application(",
        rf"(?P<at>{_HTTP_APP})\(",
        _imports("fastapi|flask|starlette|sanic|aiohttp"),
    ),
    _rule(
        _SERVES,
        "http",
        3,
        ".get( .post( .put( .delete( .patch( .route( .websocket(",
        r"^\s*(?P<at>@\w+(?:\.\w+)*\.(?:get|post|put|delete|patch|route|websocket))\(\s*[\"']/",
    ),
    _rule(
        _SERVES,
        "http",
        3,
        "APIRouter Blueprint BaseHTTPRequestHandler",
        r"(?P<at>\b(?:APIRouter|Blueprint|BaseHTTPRequestHandler))\b",
        _imports(r"fastapi|flask|http\.server"),
    ),
    _rule(_SERVES, "http", 4, "urlpatterns", r"^\s*(?P<at>urlpatterns)\s*=\s*\["),
    _rule(
        _SERVES,
        "http",
        3,
        "app. router. server. r. e. mux.",
        r"(?P<at>\b(?:app|router|server|r|e|mux)\.(?:get|post|put|delete|patch|GET|POST|PUT|DELETE"
        r"|HandleFunc|Handle))\(\s*[\"'`]/",
    ),
    _rule(_SERVES, "http", 3, "http.HandleFunc", r"(?P<at>\bhttp\.HandleFunc)\("),
    _rule(
        _SERVES,
        "http",
        3,
        "Mapping @RestController @Controller",
        r"^\s*(?P<at>@(?:(?:Get|Post|Put|Delete|Request)Mapping\b|RestController\b|Controller\())",
    ),
    _rule(_SERVES, "http", 3, "Router::new", r"(?P<at>\bRouter::new)\(\)"),
    _uses(_SERVES, "mcp", 3, libraries.PROTOCOLS),
    _uses(_SERVES, "rpc", 3, libraries.REMOTE_CALLS),
    _rule(_SERVES, "library", 1, "__all__", r"^(?P<at>__all__)\s*="),
    _rule(_SERVES, "library", 1, "export", r"^(?P<at>export)\s+(?:\*|\{|default\b)"),
    _rule(_SERVES, "library", 1, "pub", r"^(?P<at>pub)\s+(?:mod|use)\s+\w"),
)

CONFIGURATION = (
    _rule(
        Section.CONFIGURATION,
        "settings",
        4,
        "Config Settings",
        r"^\s*(?P<at>class|pub\s+struct|struct|type|interface)\s+\w*(?:Config|Settings)\b",
    ),
    _rule(
        Section.CONFIGURATION,
        "environment",
        2,
        "environ env ENV Getenv",
        r"(?P<at>\bos\.environ\b|\bos\.getenv\(|\bprocess\.env\.|\bos\.Getenv\(|\bSystem\.getenv\("
        r"|\benv::var\(|\bENV\[)",
    ),
)

# A runtime of models speaks of language where the file has to do with text.
_ABOUT_TEXT = r"\b\w*(?:token|embed|prompt|sentence|Token|Embed|Prompt)\w*"
_AI = Section.AI_GENERATION
AI_GENERATION = (
    _uses(_AI, "model library", 4, libraries.MODEL_LIBRARIES),
    _uses(_AI, "model runtime", 3, libraries.MODEL_RUNTIMES, _ABOUT_TEXT),
    _rule(
        _AI,
        "model service",
        3,
        "api.",
        r"(?P<at>\bapi)\.(?:openai|anthropic|mistral|cohere|groq)\.(?:com|ai)\b",
        in_string=True,
    ),
    _rule(
        _AI,
        "model service",
        2,
        "/completions /embeddings /messages",
        r"(?P<at>/)(?:v1/)?(?:chat/completions|embeddings|messages)[\"'?]",
        r"\b(?:max_tokens|maxTokens|input_tokens|completion)\b",
        in_string=True,
    ),
)
RULES = (*ENTRY_POINTS, *PERSISTENCE, *SURFACES, *CONFIGURATION, *AI_GENERATION)
