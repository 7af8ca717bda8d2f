"""The Transformer, small enough to read."""
