"""Serving over HTTP: what `llt serve` answers with, and the plumbing that the viewer shares.

server and connection listen, stop and keep time; limits and access stand before every application.
"""
