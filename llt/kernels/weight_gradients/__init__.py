"""Gradients of weights and biases: sums over all points of products, those of a block at once."""
