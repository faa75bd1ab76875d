"""New nodes without training: one more point is put where its wishes are met best, and no other point moves."""

from hypercone.placement.place import Placer, Space
from hypercone.placement.wishes import Wishes

__all__ = ["Placer", "Space", "Wishes"]
