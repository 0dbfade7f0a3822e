"""Exhibits that both papers call for, one per file."""
