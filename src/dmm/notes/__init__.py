"""Notes: one line in, a memory out, and the way back."""
