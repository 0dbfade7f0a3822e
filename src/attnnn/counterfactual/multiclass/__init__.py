"""Attention changed where a model has several classes: how far the prediction goes, and adversaries."""
