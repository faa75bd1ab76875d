"""Measuring speed: the training kernels and the closure, as figures that others can check."""
