"""The derived search index: built from the files, deletable at any time."""
