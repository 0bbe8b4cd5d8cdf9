"""The web server: the pages, and the socket that keeps them up to date."""
