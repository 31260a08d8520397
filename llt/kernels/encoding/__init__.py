"""The raw input s of every point: waves of its position, distances to fixed points, its fields."""
