"""Write the bill of materials of a release: its dependencies and the data it ships, as CycloneDX in JSON.

    python scripts/make_sbom.py            (writes docs/releases/hypercone-VERSION.cdx.json)
    python scripts/make_sbom.py --check    (writes nothing; exit code 1 if the file is out of date)

Versions and hashes are those of the lock file, licenses those that the installed packages declare. The file contains no
time: the same sources give the same file. Format: https://cyclonedx.org/docs/1.6/json/
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import tomllib
import uuid
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

PROJECT = Path(__file__).parent.parent
DATA = PROJECT / "src" / "hypercone" / "data"
SETTINGS = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TARGET = PROJECT / "docs" / "releases" / f"hypercone-{SETTINGS['version']}.cdx.json"
ENTRY = re.compile(r"^([\w.-]+)==(\S+)(?: ; (.+?))?((?: \\\n +--hash=sha256:\w+)+)$", re.MULTILINE)
# Two packages give no SPDX name: safetensors has a classifier, and "BSD" is numba, whose LICENSE has two clauses.
SPDX = {"BSD": "BSD-2-Clause", "License :: OSI Approved :: Apache Software License": "Apache-2.0"}
Component = dict[str, Any]


def parser_of_options() -> argparse.ArgumentParser:
    """The parser of the options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the file is out of date")
    return parser


def main() -> int:
    """Write or check the file."""
    check = parser_of_options().parse_args().check
    text = json.dumps(bill(), indent=1, ensure_ascii=False) + "\n"
    if check:
        is_stale = not TARGET.exists() or TARGET.read_text(encoding="utf-8") != text
        print(f"{TARGET.name} is {'out of date' if is_stale else 'up to date'}")
        return int(is_stale)
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(text, encoding="utf-8")
    print(f"{TARGET.name}: {len(bill()['components'])} components")
    return 0


def bill() -> dict[str, Any]:
    """The bill of materials of this version."""
    direct = [_name(text) for text in SETTINGS["dependencies"]]
    packages = [component for name in sorted(_closure(direct)) for component in _packages(name)]
    wordnet, itself = _wordnet(), _itself()
    components = [*packages, wordnet]
    needs = {name: [each["bom-ref"] for each in packages if each["name"] == name] for name in _closure(direct)}
    depends = [_depends(itself, [*(ref for name in direct for ref in needs[name]), wordnet["bom-ref"]])]
    depends += [_depends(each, [ref for name in _needed_by(each["name"]) for ref in needs[name]]) for each in packages]
    content = json.dumps([itself, components, depends], sort_keys=True)
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, content)}",
        "version": 1,
        "metadata": {"component": itself},
        "components": components,
        "dependencies": depends,
    }


def _itself() -> Component:
    purl = f"pkg:pypi/hypercone@{SETTINGS['version']}"
    about = {"type": "library", "bom-ref": purl, "name": "hypercone", "version": SETTINGS["version"], "purl": purl}
    return {**about, "description": SETTINGS["description"], "licenses": [{"expression": SETTINGS["license"]}]}


def _packages(name: str) -> list[Component]:
    """A package as the lock file has it: once, or once per range of Python versions."""
    lock = (PROJECT / "requirements-dev.lock").read_text(encoding="utf-8")
    entries = [entry for entry in ENTRY.findall(lock) if _name(entry[0]) == name]
    return [_package(name, version, marker, hashes) for _, version, marker, hashes in entries]


def _package(name: str, version: str, marker: str, hashes: str) -> Component:
    purl = f"pkg:pypi/{name}@{version}"
    found: Component = {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}
    digests = re.findall(r"sha256:(\w+)", hashes)
    found["hashes"] = [{"alg": "SHA-256", "content": digest} for digest in digests]
    found["licenses"] = [{"expression": license_of(name)}]
    if marker:
        found["properties"] = [{"name": "hypercone:marker", "value": marker}]
    return found


def _wordnet() -> Component:
    """The data in the package: the nouns of WordNet, as scripts/make_wordnet.py wrote them."""
    data = DATA / "wordnet-nouns.tsv.xz"
    license_text = (DATA / "WORDNET-LICENSE.txt").read_text(encoding="utf-8")
    return {
        "type": "data",
        "bom-ref": "data:wordnet-3.0-nouns",
        "supplier": {"name": "Princeton University"},
        "name": "WordNet nouns",
        "version": "3.0",
        "description": f"The noun hypernyms of WordNet 3.0, shipped as hypercone/data/{data.name}.",
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(data.read_bytes()).hexdigest()}],
        "licenses": [{"license": {"name": "LicenseRef-WordNet-3.0", "text": {"content": license_text}}}],
    }


def _depends(component: Component, needed: list[str]) -> dict[str, Any]:
    return {"ref": component["bom-ref"], "dependsOn": sorted(needed)}


def license_of(name: str) -> str:
    """The license of an installed package, as an SPDX expression."""
    about = metadata.metadata(name)
    classifiers = [line for line in about.get_all("Classifier") or () if line.startswith("License ::")]
    declared = str((about.get_all("License-Expression") or about.get_all("License") or classifiers)[0])
    return SPDX.get(declared, declared)


def _needed_by(name: str) -> list[str]:
    """The dependencies of a package on a system like this one, without extras."""
    needs = [Requirement(line) for line in metadata.requires(name) or []]
    return [_name(each.name) for each in needs if each.marker is None or each.marker.evaluate({"extra": ""})]


def _closure(names: list[str]) -> set[str]:
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _needed_by(name)
    return found


def _name(requirement: str) -> str:
    """The normalized name at the start of a requirement."""
    found = re.match(r"[\w.-]+", requirement)
    assert found, requirement
    return re.sub(r"[-_.]+", "-", found[0]).lower()


if __name__ == "__main__":
    sys.exit(main())
