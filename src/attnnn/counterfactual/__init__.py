"""Counterfactual attention: what a model would say had it attended otherwise."""
