"""The background process: one for each user, for all projects, never required."""
