"""Predictions on the user's own mesh: files of simulation programs in, the same files out.

The plan that `llt prepare` followed says what of a file is input, output and parameter; it is part
of every surrogate that was trained on such data.
"""
