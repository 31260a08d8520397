"""The decoder: the residual stream and the skip connection, a norm, a pointwise network."""
