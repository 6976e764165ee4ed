"""Text into vectors and token counts, offline; import the modules by name, for they are heavy."""
