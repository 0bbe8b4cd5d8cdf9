"""Armies: what is entered of them on the pages while a table is set up."""
