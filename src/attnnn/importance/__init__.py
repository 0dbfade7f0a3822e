"""Importance: how much each token matters to a prediction, and whether attention agrees."""
