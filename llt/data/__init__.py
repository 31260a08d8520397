"""Datasets: the HDF5 file, splits, normalization, and readers of published files."""
