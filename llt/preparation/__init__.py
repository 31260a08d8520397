"""From a folder of simulation results to a dataset file.

Cases are read in parallel, each into a part of its own beside the file, so that an interrupted job
goes on where it stopped; then the file is written from the parts, one by one. A part is known by
its case's name, contents and parameters: what has changed since is read again.
"""
