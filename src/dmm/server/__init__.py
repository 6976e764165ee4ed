"""The team server: many teams and projects on one database, over HTTP."""
