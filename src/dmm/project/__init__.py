"""A project: created, trusted, checked, and what is pending in it."""
