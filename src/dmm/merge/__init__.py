"""Three-way merge of memory and rule files."""
