"""Proposals: made, checked, decided, applied and undone."""
