"""The web page: its built files, as the daemon serves them."""
