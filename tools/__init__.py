"""Programs for those who work on hypercone: measurements, harnesses, mutants."""
