"""Exhibits of Serrano & Smith's experiments."""
