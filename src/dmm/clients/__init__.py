"""The clients DMM knows: one module each, with all that is particular to it."""
