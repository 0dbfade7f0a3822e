"""Models: encoders, attention, the classifier made of them, its training and its predictions."""
