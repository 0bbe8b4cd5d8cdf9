"""Armies that are entered on the pages while a table is set up."""
