"""What is not needed is not loaded: the compiler costs a third of a second."""

import subprocess
import sys

import pytest

READ = "import io, hypercone; hypercone.read(io.BytesIO(b'parent,child\\na,b\\nb,c\\n'))"
LOAD = "from hypercone.data import load_dataset; load_dataset('wordnet-nouns'); load_dataset('tree-2-3')"


@pytest.mark.parametrize("code", ["import hypercone.hierarchy", "import hypercone.data", READ, LOAD])
def test_the_compiler_is_not_loaded(code):
    check = f"{code}\nimport sys; assert not {{'numba', 'networkx'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", check], check=True)
