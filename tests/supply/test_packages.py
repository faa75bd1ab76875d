"""Dependencies, the lock file, the built packages and the bill of materials agree with each other."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import subprocess
import sys
import tarfile
import tomllib
import uuid
import zipfile
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from tests.support.supply import BASE_COMMANDS, EDGES, closure_of

PROJECT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
DEPENDENCIES = SETTINGS["project"]["dependencies"]
EXTRAS = SETTINGS["project"]["optional-dependencies"]
LOCK = (PROJECT / "requirements-dev.lock").read_text(encoding="utf-8")
ENTRY = re.compile(
    r"^(?P<name>[\w.-]+)==(?P<version>\S+)(?: ; (?P<marker>.+?))?(?P<hashes>(?: \\\n +--hash=\S+)+)\n", re.M
)


class Locked(NamedTuple):
    """An entry of the lock file."""

    name: str
    version: Version
    marker: Marker | None
    hashes: tuple[str, ...]

    @classmethod
    def of(cls, name: str, version: str, marker: str | None, hashes: str) -> Locked:
        found = tuple(re.findall(r"--hash=(\S+)", hashes))
        return cls(canonicalize_name(name), Version(version), Marker(marker) if marker else None, found)


LOCKED = [Locked.of(**entry.groupdict()) for entry in ENTRY.finditer(LOCK)]

# An interpreter that can import the declared dependencies and the standard library only.
WITHOUT_EXTRAS = """
import json, sys

class OnlyDeclared:
    def find_spec(self, name, path=None, target=None):
        top = name.split(".")[0]
        if top not in allowed and top not in sys.stdlib_module_names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

allowed = {*json.loads(sys.argv[1]), "hypercone", "__main__"}
sys.meta_path.insert(0, OnlyDeclared())

from hypercone.cli.main import main

print("\\n" + json.dumps([main(arguments) for arguments in json.loads(sys.argv[2])]))
"""


class TestDependencies:
    def test_there_are_at_most_six_and_all_but_pictures_tables_and_the_service_works_with_them_alone(self, tmp_path):
        assert 0 < len(DEPENDENCIES) <= 6
        (tmp_path / "edges.tsv").write_text(EDGES)
        exports = [["export", "model", f"points.{kind}"] for kind in ("tsv", "npz")]
        # The last is the control: a picture needs a package that is not declared.
        commands = [*BASE_COMMANDS, *exports, ["plot", "model", "-o", "picture.svg"]]
        names = closure_of(DEPENDENCIES)
        owners = metadata.packages_distributions().items()
        allowed = [module for module, owned in owners if names & {canonicalize_name(name) for name in owned}]
        command = [sys.executable, "-c", WITHOUT_EXTRAS, json.dumps(sorted(allowed)), json.dumps(commands)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, timeout=300)
        assert json.loads(done.stdout.splitlines()[-1]) == [0] * (len(commands) - 1) + [1], done.stderr
        assert done.stderr.splitlines()[-1].startswith("hypercone: pictures need matplotlib, which is not installed")


class TestLockFile:
    def test_everything_has_hashes_and_no_source_is_named(self):
        assert len(LOCKED) == len(re.findall(r"^[^\s#]", LOCK, re.M))
        for entry in LOCKED:
            assert re.fullmatch(r"(sha256:[0-9a-f]{64} )+", " ".join([*entry.hashes, ""])), entry.name
        assert not re.search(r"://|--index|--find-links|--extra|@ ", LOCK)

    def test_every_requirement_is_satisfied_on_every_python_with_what_it_requires(self):
        wanted = [*DEPENDENCIES, *SETTINGS["build-system"]["requires"]]
        wanted += [text for extra in EXTRAS.values() for text in extra]
        for requirement in map(Requirement, wanted):
            entries = [entry for entry in LOCKED if entry.name == canonicalize_name(requirement.name)]
            for python in ("3.11", "3.12", "3.13"):
                environment = {"python_version": python, "python_full_version": f"{python}.0", "sys_platform": "linux"}
                chosen = [entry for entry in entries if entry.marker is None or entry.marker.evaluate(environment)]
                assert len(chosen) == 1, f"{requirement} on Python {python}: run make lock"
                assert requirement.specifier.contains(chosen[0].version), f"{requirement}: run make lock"
        everything = closure_of([*DEPENDENCIES, *EXTRAS["dev"], "editables", "hatchling"])
        assert len(everything) > 50
        assert not everything - {entry.name for entry in LOCKED}, "run make lock"

    def test_make_install_installs_nothing_else(self):
        makefile = (PROJECT / "Makefile").read_text(encoding="utf-8")
        rule = re.search(r"^\$\(INSTALLED\):.*\n((?:\t.*\n)+)", makefile, re.M)[1]
        installs = [line for line in rule.splitlines() if " install " in line]
        assert len(installs) == 2
        assert "--require-hashes --no-deps --requirement $(LOCK)" in installs[0]
        assert "--no-build-isolation --no-deps --editable ." in installs[1]


BUILD = "import sys; from hatchling import build; print(build.build_wheel(sys.argv[1])); build.build_sdist(sys.argv[1])"
# Code, the marker of typed packages, recipes, the explorer's page, the nouns and their license.
ENDINGS = {".py", ".typed", ".toml", ".html", ".xz", ".txt"}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built")
    command = [sys.executable, "-c", BUILD, str(folder)]
    subprocess.run(command, capture_output=True, text=True, check=True, cwd=PROJECT, timeout=300)
    return folder


class TestPackages:
    def test_a_wheel_contains_the_package_and_both_licenses(self, built):
        (path,) = built.glob("*.whl")
        with zipfile.ZipFile(path) as archive:
            wheel = {name: archive.getinfo(name).file_size for name in archive.namelist()}
        shipped = {name for name in wheel if not name.split("/")[0].endswith(".dist-info")}
        source = [path for path in (PROJECT / "src" / "hypercone").rglob("*") if path.is_file()]
        source = [path for path in source if "__pycache__" not in path.parts]
        assert shipped == {path.relative_to(PROJECT / "src").as_posix() for path in source}
        assert {PurePosixPath(name).suffix for name in shipped} <= ENDINGS
        licenses = {name.partition("licenses/")[2]: size for name, size in wheel.items() if "/licenses/" in name}
        assert licenses.keys() == {"LICENSE", "src/hypercone/data/WORDNET-LICENSE.txt"}
        assert all(size > 500 for size in licenses.values())

    def test_a_source_archive_contains_only_what_pyproject_lists(self, built):
        (path,) = built.glob("*.tar.gz")
        with tarfile.open(path) as archive:
            names = [PurePosixPath(*PurePosixPath(member.name).parts[1:]) for member in archive if member.isfile()]
        listed = SETTINGS["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
        added = {"pyproject.toml", "PKG-INFO", ".gitignore"}
        assert {f"/{name.parts[0]}" for name in names if name.name not in added} == set(listed)
        assert not [name for name in names if "__pycache__" in name.parts or "node_modules" in name.parts]


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("make_sbom", PROJECT / "scripts" / "make_sbom.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def bill(script):
    return json.loads(script.TARGET.read_text(encoding="utf-8"))


class TestBillOfMaterials:
    def test_it_is_up_to_date_and_the_release_notes_name_it(self, script, bill):
        def without_licenses(bill):
            parts = [{key: value for key, value in part.items() if key != "licenses"} for part in bill["components"]]
            return {**bill, "components": parts, "serialNumber": None}

        # Another Python may have another version installed, with another license text.
        assert without_licenses(bill) == without_licenses(script.bill()), "run python scripts/make_sbom.py"
        for component in bill["components"]:
            if component["type"] == "library" and metadata.version(component["name"]) == component["version"]:
                assert component["licenses"] == [{"expression": script.licence_of(component["name"])}]
        assert f"docs/releases/{script.TARGET.name}" in (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8")

    def test_it_lists_exactly_the_runtime_dependencies_and_the_included_data_with_their_hashes(self, bill):
        known = {(entry.name, str(entry.version)): set(entry.hashes) for entry in LOCKED}
        libraries = [part for part in bill["components"] if part["type"] == "library"]
        assert {part["name"] for part in libraries} == closure_of(DEPENDENCIES)
        for part in libraries:
            found = {f"sha256:{each['content']}" for each in part["hashes"]}
            assert found == known[part["name"], part["version"]]
        (wordnet,) = [part for part in bill["components"] if part["type"] == "data"]
        data = PROJECT / "src" / "hypercone" / "data"
        digest = hashlib.sha256((data / "wordnet-nouns.tsv.xz").read_bytes()).hexdigest()
        assert wordnet["hashes"][0]["content"] == digest
        assert wordnet["licenses"][0]["license"]["text"]["content"] == (data / "WORDNET-LICENSE.txt").read_text()

    def test_it_is_valid_cyclonedx_1_6(self, bill):
        """The fields that the schema requires, and its patterns for the others that are present."""
        assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.6", 1)
        assert bill["serialNumber"] == f"urn:uuid:{uuid.UUID(bill['serialNumber'].removeprefix('urn:uuid:'))}"
        components = [bill["metadata"]["component"], *bill["components"]]
        refs = [part["bom-ref"] for part in components]
        assert len(set(refs)) == len(refs)
        for part in components:
            assert part["type"] in {"library", "data"}
            assert all(part[name] for name in ("name", "version", "licenses"))
            assert part["type"] == "data" or part["purl"] == f"pkg:pypi/{part['name']}@{part['version']}"
            for digest in part.get("hashes", []):
                assert digest["alg"] == "SHA-256"
                assert re.fullmatch(r"[0-9a-f]{64}", digest["content"])
            assert all(each.keys() in ({"expression"}, {"license"}) for each in part["licenses"])
        for entry in bill["dependencies"]:
            assert {entry["ref"], *entry["dependsOn"]} <= set(refs)
        assert {entry["ref"] for entry in bill["dependencies"]} | {"data:wordnet-3.0-nouns"} == set(refs)
