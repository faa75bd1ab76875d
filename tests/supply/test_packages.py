"""What is shipped is the package with its licences, and nothing that happened to lie around."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import PurePosixPath

import pytest

BUILD = "import sys; from hatchling import build; print(build.build_wheel(sys.argv[1])); build.build_sdist(sys.argv[1])"
# Code, the mark of typed packages, recipes, the explorer's page, the nouns and their licence.
ENDINGS = {".py", ".typed", ".toml", ".html", ".xz", ".txt"}


@pytest.fixture(scope="module")
def built(project, tmp_path_factory):
    folder = tmp_path_factory.mktemp("built")
    command = [sys.executable, "-c", BUILD, str(folder)]
    subprocess.run(command, capture_output=True, text=True, check=True, cwd=project, timeout=300)
    return folder


@pytest.fixture(scope="module")
def wheel(built):
    (path,) = built.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        return {name: archive.getinfo(name).file_size for name in archive.namelist()}


def test_a_wheel_holds_the_package_as_it_is_in_the_source(wheel, project):
    source = project / "src"
    shipped = {name for name in wheel if not name.split("/")[0].endswith(".dist-info")}
    kept = [path for path in (source / "hypercone").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert shipped == {path.relative_to(source).as_posix() for path in kept}
    assert {PurePosixPath(name).suffix for name in shipped} <= ENDINGS


def test_a_wheel_brings_both_licences(wheel):
    licences = {name.partition("licenses/")[2] for name in wheel if ".dist-info/licenses/" in name}
    assert licences == {"LICENSE", "src/hypercone/data/WORDNET-LICENSE.txt"}
    assert all(size > 500 for name, size in wheel.items() if ".dist-info/licenses/" in name)


def test_a_source_archive_holds_only_what_pyproject_lists(built, settings):
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = [PurePosixPath(*PurePosixPath(member.name).parts[1:]) for member in archive if member.isfile()]
    listed = settings["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    added = {"pyproject.toml", "PKG-INFO", ".gitignore"}
    assert {f"/{name.parts[0]}" for name in names if name.name not in added} == set(listed)
    assert not [name for name in names if "__pycache__" in name.parts or "node_modules" in name.parts]
