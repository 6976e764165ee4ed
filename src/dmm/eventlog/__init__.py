"""The event log: append-only, hash-chained, and the state folded from it."""
