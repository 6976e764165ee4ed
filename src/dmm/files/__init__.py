"""The memory tree on disk: safe paths, durable writes, and markdown files read as memories."""
