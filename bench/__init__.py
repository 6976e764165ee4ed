"""Measures of DMM: how well it finds, how fast it is, what it costs; all through its own code."""
