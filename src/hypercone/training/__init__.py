"""Training: a hierarchy and a configuration in, an embedding out."""

from hypercone.training.config import FitConfig
from hypercone.training.fitting import fit
from hypercone.training.progress import EpochReport, ProgressLine

__all__ = ["EpochReport", "FitConfig", "ProgressLine", "fit"]
