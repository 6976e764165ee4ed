"""Transcripts: what clients wrote down of sessions, read as what their hooks would report."""
