"""Rules: their files, what a tool call does, and whether the two meet."""
