"""Memories: indexed, mapped, validated and summarised."""
