"""SQLite as DMM opens it."""
