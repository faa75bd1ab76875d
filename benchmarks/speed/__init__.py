"""How fast the answers are, and what they cost."""
