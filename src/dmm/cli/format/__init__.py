"""Text that the commands print."""
