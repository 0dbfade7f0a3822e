"""What follows the states of a model: attention in, probabilities out."""
