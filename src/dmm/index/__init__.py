"""The search index: derived from the files, and deletable at any time."""
