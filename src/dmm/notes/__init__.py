"""Notes: one line becomes a memory, and can be forgotten again."""
