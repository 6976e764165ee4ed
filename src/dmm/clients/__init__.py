"""The clients that DMM knows: one module each, with everything specific to it."""
