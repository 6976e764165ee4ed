"""The event log: append-only and hash-chained, and the state that is folded from it."""
