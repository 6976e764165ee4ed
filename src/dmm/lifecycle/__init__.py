"""How memories are used, age, expire and are promoted."""
