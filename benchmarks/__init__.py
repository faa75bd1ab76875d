"""Benchmarks: how good the answers are, and how fast. ``python -m benchmarks`` lists them."""
