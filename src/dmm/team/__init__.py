"""A team on one log: what a laptop shares, signed and chained, and what it gets from others."""
