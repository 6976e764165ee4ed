"""Rules: what they say, what a tool call does, and whether the two meet."""
