"""Import instruction files as memories and rules, and export them again."""
