"""Problems that a user changes by hand, and that are answered at once."""
