"""Read rules, work out what tool calls do, and judge calls by rules."""
