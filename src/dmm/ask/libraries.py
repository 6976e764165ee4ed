"""Known libraries, by what using them says about a program."""

from __future__ import annotations

import re

# A star stands for the rest of a name.
DATABASES = {
    "python": (
        "sqlite3 apsw aiosqlite sqlalchemy sqlmodel psycopg psycopg2 asyncpg pymongo motor redis"
        " peewee tortoise mysql pymysql MySQLdb duckdb lmdb shelve dbm tinydb pony cassandra neo4j"
        " elasticsearch chromadb qdrant_client lancedb alembic ZODB plyvel django.db"
    ),
    "script": (
        "better-sqlite3 sqlite3 node:sqlite bun:sqlite sqlite pg mysql mysql2 mongoose mongodb"
        " redis ioredis typeorm sequelize knex @prisma/client drizzle-orm level lowdb nedb dexie"
        " kysely"
    ),
    "go": (
        "database/sql gorm.io/gorm go.etcd.io/bbolt github.com/dgraph-io/badger"
        " github.com/redis/go-redis github.com/go-redis/redis github.com/jackc/pgx"
        " github.com/jmoiron/sqlx github.com/mattn/go-sqlite3 github.com/boltdb/bolt"
        " go.mongodb.org/mongo-driver modernc.org/sqlite"
    ),
    "java": (
        "java.sql javax.sql javax.persistence jakarta.persistence org.hibernate"
        " org.springframework.data org.springframework.jdbc org.jooq com.mongodb redis.clients"
        " androidx.room Microsoft.EntityFrameworkCore System.Data Npgsql Dapper"
    ),
    "rust": "rusqlite sqlx diesel sled redis rocksdb sea_orm mongodb tokio_postgres heed redb",
    "ruby": "active_record sequel sqlite3 pg mysql2 mongoid redis",
    "c": "sqlite3.h libpq-fe.h mysql.h lmdb.h leveldb/db.h rocksdb/db.h",
}
# Where files are kept outside the machine; boto3 speaks to other services too, see rules.
OBJECT_STORES = {
    "python": "google.cloud.storage azure.storage.blob minio",
    "script": "@aws-sdk/client-s3 @google-cloud/storage @azure/storage-blob minio @vercel/blob",
    "go": (
        "github.com/aws/aws-sdk-go-v2/service/s3 cloud.google.com/go/storage"
        " github.com/minio/minio-go"
    ),
    "rust": "aws_sdk_s3 object_store opendal",
}
# Libraries that only run a program; frameworks also do, but their import shows routes as well.
SERVERS = {
    "python": "hypercorn waitress gunicorn daphne granian",
    "script": "@hono/node-server @react-router/serve @remix-run/serve",
}
MODEL_LIBRARIES = {
    "python": (
        "openai anthropic google.generativeai google.genai mistralai cohere ollama litellm"
        " langchain* llama_index llama_cpp transformers sentence_transformers vllm huggingface_hub"
        " groq together dspy instructor pydantic_ai fastembed semantic_kernel"
    ),
    "script": (
        "openai @anthropic-ai/sdk ai @ai-sdk/* langchain @langchain/* @huggingface/inference ollama"
        " @google/generative-ai @google/genai @mistralai/mistralai cohere-ai @xenova/transformers"
    ),
    "go": (
        "github.com/sashabaranov/go-openai github.com/openai/openai-go"
        " github.com/anthropics/anthropic-sdk-go github.com/tmc/langchaingo"
        " github.com/ollama/ollama"
    ),
    "java": (
        "dev.langchain4j com.openai com.theokanning.openai com.anthropic org.springframework.ai"
    ),
    "rust": "async_openai candle_* rust_bert ollama_rs rig",
    "ruby": "openai anthropic ruby_llm langchainrb",
}
# These run any model: only together with words about text do they speak of language.
MODEL_RUNTIMES = {
    "python": "onnxruntime torch tensorflow jax ctranslate2 tflite_runtime",
    "script": "onnxruntime-node onnxruntime-web @tensorflow/*",
    "rust": "ort",
}
COMMAND_LINES = {
    "script": "commander yargs @oclif/core cac minimist meow",
    "go": "github.com/spf13/cobra github.com/urfave/cli flag",
    "rust": "clap structopt",
    "java": "picocli org.apache.commons.cli System.CommandLine",
    "ruby": "thor optparse",
}
PROTOCOLS = {
    "python": "mcp fastmcp",
    "script": "@modelcontextprotocol/sdk",
    "go": "github.com/mark3labs/mcp-go github.com/modelcontextprotocol/go-sdk",
    "rust": "rmcp",
}
REMOTE_CALLS = {
    "python": "grpc strawberry graphene ariadne",
    "script": "@grpc/grpc-js graphql apollo-server @apollo/server",
    "go": "google.golang.org/grpc",
    "java": "io.grpc",
    "rust": "tonic",
}

_LANGUAGES = ("python", "script", "go", "java", "rust", "ruby", "c")
_NOTHING = "(?!)"
# The first word of each way stands in its own group: it has to be code, not a comment.
_WAYS = (
    r"^[ \t]*(?P<at1>from)[ \t]+(?:{python})\b[\w.]*[ \t]+import\b",
    r"^[ \t]*(?P<at2>import)[ \t]+(?:{python})\b(?![.\w]*[ \t]*[;\"'])",
    r"(?P<script>\bfrom|\bimport|\brequire)[ \t]*\(?[ \t]*[\"'](?:{script})(?:/[^\"'\n]*)?[\"']",
    r"^[ \t]*(?:import[ \t]+)?(?:\w+[ \t]+)?(?P<go>\")(?:{go})(?:/[\w./-]*)?\"[ \t]*$",
    r"^[ \t]*(?P<at3>import|using)[ \t]+(?:static[ \t]+)?(?:{java})\b[\w.*]*[ \t]*;?[ \t]*$",
    r"^[ \t]*(?P<at4>(?:pub[ \t]+)?use|extern[ \t]+crate)[ \t]+(?:{rust})(?=::|;|[ \t])",
    r"^[ \t]*(?P<at5>require|gem)[ \t(]*[\"'](?:{ruby})[\"']",
    r"^[ \t]*(?P<at6>\#[ \t]*include)[ \t]*[<\"](?:{c})[>\"]",
)


def write_pattern(names: dict[str, str]) -> str:
    """Write the pattern of an import of any of some libraries."""
    filled = {
        language: "|".join(map(_escape, names.get(language, "").split())) or _NOTHING
        for language in _LANGUAGES
    }
    return "|".join(way.format(**filled) for way in _WAYS)


def _escape(name: str) -> str:
    return re.escape(name).replace(r"\*", r"[\w-]*")


def list_names(names: dict[str, str]) -> tuple[str, ...]:
    """List what a text has to hold, one of it at least, to import any of some libraries."""
    listed = (name.rstrip("*") for line in names.values() for name in line.split())
    return tuple(dict.fromkeys(listed))


def list_words(*libraries: dict[str, str]) -> str:
    """List the names of libraries as the words of a search."""
    names = [name for one in libraries for line in one.values() for name in line.split()]
    return " ".join(dict.fromkeys(re.sub(r"[*@]", "", name) for name in names))
