"""Fits an embedding to a hierarchy: configuration, construction or training, and checkpoints."""

from hypercone.training.config import ConstructionConfig, FitConfig, TrainingConfig
from hypercone.training.fitting import fit, pretrain
from hypercone.training.start import rescaled_start

__all__ = ["ConstructionConfig", "FitConfig", "TrainingConfig", "fit", "pretrain", "rescaled_start"]
