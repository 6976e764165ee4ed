"""Pure values: what a memory, a query and a pack are."""
