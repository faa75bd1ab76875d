"""Reproduction of the paper: its table, claims and figures, with the published values beside ours."""

from hypercone.reproduce.table1 import Plan, markdown
from hypercone.reproduce.trials import Results, Trial, missing, run_side_by_side

__all__ = ["Plan", "Results", "Trial", "markdown", "missing", "run_side_by_side"]
