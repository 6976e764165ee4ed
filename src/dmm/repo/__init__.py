"""The searchable repository: files, symbols and their relations."""
