"""Each channel convolved over the grid, zeros around it. Plain models use torch's own layers."""
