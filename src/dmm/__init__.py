"""Dynamic Markdown Memory: memory and enforced rules for coding agents."""

VERSION = "0.1.0"
