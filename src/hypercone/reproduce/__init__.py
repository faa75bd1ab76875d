"""The paper, reproduced: its table, its claims and its figures as commands, with its figures beside ours."""

from hypercone.reproduce.results import Results
from hypercone.reproduce.run import missing, run_side_by_side
from hypercone.reproduce.table1 import Plan, markdown
from hypercone.reproduce.trial import Trial

__all__ = ["Plan", "Results", "Trial", "markdown", "missing", "run_side_by_side"]
