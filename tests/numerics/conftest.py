"""The tables beside this file, which benchmarks/numerics.py shares, can be imported by their names."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
