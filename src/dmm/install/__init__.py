"""DMM's entries in the files of clients: shown, written, removed, tried out."""
