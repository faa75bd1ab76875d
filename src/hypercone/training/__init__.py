"""Training: a hierarchy and a configuration in, an embedding out."""

from hypercone.training.config import ConstructionConfig, FitConfig, TrainingConfig
from hypercone.training.fitting import fit, pretrain
from hypercone.training.start import rescaled_start

__all__ = ["ConstructionConfig", "FitConfig", "TrainingConfig", "fit", "pretrain", "rescaled_start"]
