"""Exhibits of Wiegreffe & Pinter 2019, one per file."""
