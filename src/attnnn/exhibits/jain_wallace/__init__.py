"""Exhibits of Jain & Wallace 2019, one per file."""
