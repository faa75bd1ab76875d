"""Training: a hierarchy and a configuration in, an embedding out."""

from hypercone.training.config import ConstructionConfig, FitConfig, TrainingConfig
from hypercone.training.fitting import fit, pretrain
from hypercone.training.start import drawn_in

__all__ = ["ConstructionConfig", "FitConfig", "TrainingConfig", "drawn_in", "fit", "pretrain"]
