"""What DMM can do, one small module per noun; every surface calls these and nothing below."""
