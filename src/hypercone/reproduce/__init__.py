"""The paper, reproduced: its table, its claims and its figures as commands, with its figures beside ours."""

from hypercone.reproduce.table1 import Plan, markdown
from hypercone.reproduce.trials import Results, Trial, missing, run_side_by_side

__all__ = ["Plan", "Results", "Trial", "markdown", "missing", "run_side_by_side"]
