"""Replacing the monolith: instruction files split into memories, and memories joined again."""
