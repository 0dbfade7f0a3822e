"""Attention changed where a model has more than two classes: how far the prediction goes, and adversaries."""
