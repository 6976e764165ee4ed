"""Memories that contradict or repeat each other: found by structure, told with reasons."""
