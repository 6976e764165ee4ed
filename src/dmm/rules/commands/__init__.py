"""Commands: what a tool call would do, read from its input, and the typed rules on it."""
