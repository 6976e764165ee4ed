"""How memories are used, age, expire and rise."""
