"""The memory tree on disk: safe paths, durable writes, parsed files."""
