"""Sessions of agents: what their hooks report, what they are told, and what is recorded."""
