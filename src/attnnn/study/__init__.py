"""What is asked: the configuration, its switches, sources, models and runs."""
