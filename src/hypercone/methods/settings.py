"""The constants of a method that its formulas need; a small part of a fit's configuration, saved with the model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """Constants of the energy and its domain.

    K is the cone constant (width of the cones), margin the γ of the max-margin loss, border how far points stay away
    from the edges of their domain, and alpha the weight of the norms in the score of the distance methods.
    """

    K: float = 0.1
    margin: float = 0.01
    border: float = 1e-5
    alpha: float = 0.0
