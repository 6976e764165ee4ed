"""The background process: one per user, for all projects, never required."""
