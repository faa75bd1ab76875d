"""Training: a hierarchy and a configuration in, an embedding out."""

from hypercone.training.config import FitConfig
from hypercone.training.fitting import fit, pretrain
from hypercone.training.progress import EpochReport, ProgressLine
from hypercone.training.start import drawn_in

__all__ = ["EpochReport", "FitConfig", "ProgressLine", "drawn_in", "fit", "pretrain"]
