"""How a surrogate's predictions are run: in batches, and on CUDA as captured graphs."""
