"""The ledger: an append-only, hash-chained log of events, and everything that is folded from it."""
