"""Vectors and token counts, offline; heavy, so import the modules by name."""
