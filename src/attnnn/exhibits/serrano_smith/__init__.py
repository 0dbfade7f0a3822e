"""Exhibits of Serrano & Smith 2019, one per file."""
