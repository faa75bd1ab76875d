"""The bill of materials of the release is complete, valid and what the lock file and the data say."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import uuid
from importlib import metadata

import pytest

TYPES = {"library", "data"}
DIGITS = {"SHA-256": 64}


@pytest.fixture(scope="module")
def script(project):
    spec = importlib.util.spec_from_file_location("make_sbom", project / "scripts" / "make_sbom.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def bill(script):
    return json.loads(script.TARGET.read_text(encoding="utf-8"))


def _without_licences(bill):
    parts = [{key: value for key, value in part.items() if key != "licenses"} for part in bill["components"]]
    return {**bill, "components": parts, "serialNumber": None}


def test_it_is_what_the_lock_file_and_the_data_say(script, bill):
    # A licence is what the installed version says, and another Python has another version installed.
    assert _without_licences(bill) == _without_licences(script.bill()), "run python scripts/make_sbom.py"
    for component in bill["components"]:
        if component["type"] == "library" and metadata.version(component["name"]) == component["version"]:
            assert component["licenses"] == [{"expression": script.licence_of(component["name"])}]


def test_it_lists_every_runtime_dependency_and_nothing_else(bill, settings, closure):
    libraries = {part["name"] for part in bill["components"] if part["type"] == "library"}
    assert libraries == closure(settings["project"]["dependencies"])


def test_its_versions_and_hashes_are_those_of_the_lock_file(bill, locked):
    known = {(entry.name, str(entry.version)): set(entry.hashes) for entry in locked}
    for part in bill["components"]:
        if part["type"] == "library":
            found = {f"sha256:{each['content']}" for each in part["hashes"]}
            assert found == known[part["name"], part["version"]]


def test_it_names_the_data_that_ships_with_its_licence(bill, project):
    (wordnet,) = [part for part in bill["components"] if part["type"] == "data"]
    data = project / "src" / "hypercone" / "data"
    assert wordnet["hashes"][0]["content"] == hashlib.sha256((data / "wordnet-nouns.tsv.xz").read_bytes()).hexdigest()
    assert wordnet["licenses"][0]["license"]["text"]["content"] == (data / "WORDNET-LICENSE.txt").read_text()


def test_it_has_the_form_of_cyclonedx_1_6(bill):
    """The fields that the schema requires, and the patterns it gives for those that are here."""
    assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.6", 1)
    assert bill["serialNumber"] == f"urn:uuid:{uuid.UUID(bill['serialNumber'].removeprefix('urn:uuid:'))}"
    components = [bill["metadata"]["component"], *bill["components"]]
    refs = [part["bom-ref"] for part in components]
    assert len(set(refs)) == len(refs)
    for part in components:
        assert part["type"] in TYPES
        assert part["name"]
        assert part["version"]
        assert part["licenses"]
        assert part["type"] == "data" or part["purl"] == f"pkg:pypi/{part['name']}@{part['version']}"
        for digest in part.get("hashes", []):
            assert re.fullmatch(rf"[0-9a-f]{{{DIGITS[digest['alg']]}}}", digest["content"])
        for licence in part["licenses"]:
            assert licence.keys() in ({"expression"}, {"license"})
    for entry in bill["dependencies"]:
        assert {entry["ref"], *entry["dependsOn"]} <= set(refs)
    assert {entry["ref"] for entry in bill["dependencies"]} | {"data:wordnet-3.0-nouns"} == set(refs)


def test_the_release_notes_name_it(script, project):
    assert f"docs/releases/{script.TARGET.name}" in (project / "CHANGELOG.md").read_text(encoding="utf-8")
