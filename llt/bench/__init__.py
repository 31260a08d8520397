"""Measurements of models, kernels and solvers; their records, and documents made from those."""
