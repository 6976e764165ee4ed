"""What the repository is: files, symbols and their ties, searchable."""
