"""The embedding's pointwise network, and the decoder's skip connection beside it."""
