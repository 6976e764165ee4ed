"""Client transcripts, read as the events their hooks would report."""
