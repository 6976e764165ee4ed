"""Dynamic Markdown Memory: the memory that coding agents can be held to."""

VERSION = "0.1.0"
