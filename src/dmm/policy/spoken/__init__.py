"""Rules on tool calls that a constraint in plain words speaks of."""
