"""Pure values: memories, queries, packs, events and proposals."""
