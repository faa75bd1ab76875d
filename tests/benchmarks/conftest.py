"""The benchmarks import each other from beside them, and so do the tests of them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
