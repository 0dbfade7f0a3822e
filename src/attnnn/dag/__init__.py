"""What is run: stages, exhibits, where their files lie, what they cost, and where they run."""
