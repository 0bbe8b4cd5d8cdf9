"""The pages and the socket that keeps them up to date."""
