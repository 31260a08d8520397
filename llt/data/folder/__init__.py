"""A folder of simulation results: its cases, what they hold, what becomes of it in a dataset."""
