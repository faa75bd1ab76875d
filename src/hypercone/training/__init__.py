"""Training: a hierarchy and a configuration in, an embedding out."""

from hypercone.progress import EpochReport
from hypercone.training.config import ConstructionConfig, FitConfig, TrainingConfig
from hypercone.training.fitting import fit, pretrain
from hypercone.training.start import drawn_in

__all__ = ["ConstructionConfig", "EpochReport", "FitConfig", "TrainingConfig", "drawn_in", "fit", "pretrain"]
