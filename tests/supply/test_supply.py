"""No command uses the network, and dependencies, lock file, built packages and bill of materials agree."""

from __future__ import annotations

import hashlib
import json
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import tomllib
import urllib.error
import urllib.request
import uuid
import zipfile
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import hypercone
from hypercone.cli.main import COMMANDS
from hypercone.data import load_dataset
from hypercone.reproduce.released_split import write_released_split

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
    marker: Marker | str
    hashes: list[str]


LOCKED = [
    Locked(canonicalize_name(name), Version(version), marker and Marker(marker), re.findall(r"--hash=(\S+)", hashes))
    for name, version, marker, hashes in ENTRY.findall(LOCK)
]

EDGES = "parent\tchild\nanimal\tdog\nanimal\tcat\ndog\tpoodle\n"
# For a file edges.tsv with these edges.
BASE_COMMANDS = [
    ["fit", "edges.tsv", "-o", "model", "--quiet"],
    ["info", "edges.tsv"],
    ["split", "edges.tsv", "-o", "split"],
    ["query", "model", "ancestors", "poodle"],
    ["place", "model", "beagle", "--parent", "dog", "-o", "larger"],
    ["suggest", "model"],
    ["compare", "model", "larger"],
    ["evaluate", "model", "--all-pairs"],
    ["explore", "model", "-o", "page.html"],
]
# Read by every interpreter in this environment, including the workers of a command. The address of a socket between
# processes of one machine is a path; that of a network socket is a tuple.
GUARD = """
import os, sys

ALWAYS = ("socket.getaddrinfo", "socket.gethostby", "socket.getnameinfo", "urllib.", "http.client.", "ftplib.",
          "smtplib.", "imaplib.", "poplib.", "nntplib.", "telnetlib.", "webbrowser.")
ADDRESSED = ("socket.connect", "socket.sendto", "socket.sendmsg")
LISTENING = ("socket.bind", "socket.__new__")

def guard(event, arguments):
    if not event.startswith(("socket.", *ALWAYS)):
        return
    may_listen = bool(os.environ.get("MAY_LISTEN"))
    if may_listen and event == "socket.getaddrinfo" and arguments[0] == "127.0.0.1":
        return  # A numeric address needs no name server.
    to_network = any(isinstance(argument, tuple) for argument in arguments)
    of_network = event == "socket.__new__" and arguments[1] in (2, 10)
    listens = event in LISTENING and (to_network or of_network) and not may_listen
    if event.startswith(ALWAYS) or (event in ADDRESSED and to_network) or listens:
        with open(os.environ["ATTEMPTS"], "a") as log:
            log.write(f"{event} {arguments}\\n")
        raise PermissionError(f"{event} reaches for the network")

sys.addaudithook(guard)
"""
# Run commands in an interpreter that can import only some packages and the standard library; without a list, all.
RUN_ALL = """
import json, sys

class OnlyDeclared:
    def find_spec(self, name, path=None, target=None):
        top = name.split(".")[0]
        if allowed and top not in allowed and top not in sys.stdlib_module_names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

allowed = json.loads(sys.argv[1])
sys.meta_path.insert(0, OnlyDeclared())

from hypercone.cli.main import main

print("\\n" + json.dumps([main(arguments) for arguments in json.loads(sys.argv[2])]))
"""


def closure_of(requirements: list[str]) -> set[str]:
    """The names of all distributions that these need, directly or indirectly, as installed here."""
    found: set[str] = set()
    waiting = [(Requirement(text), "") for text in requirements]
    while waiting:
        requirement, extra = waiting.pop()
        name = canonicalize_name(requirement.name)
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        if name not in found or requirement.extras:
            found.add(name)
            required = [Requirement(text) for text in metadata.requires(name) or ()]
            waiting += [(each, extra) for each in required for extra in ("", *requirement.extras)]
    return found


@pytest.fixture
def guarded(tmp_path, monkeypatch):
    """Interpreters that start here are guarded; returns a function that reads the logged attempts."""
    (tmp_path / "guard").mkdir()
    (tmp_path / "guard" / "sitecustomize.py").write_text(GUARD)
    (tmp_path / "edges.tsv").write_text(EDGES)
    path = os.pathsep.join(filter(None, [str(tmp_path / "guard"), os.environ.get("PYTHONPATH")]))
    monkeypatch.setenv("PYTHONPATH", path)
    log = tmp_path / "attempts"
    monkeypatch.setenv("ATTEMPTS", str(log))
    monkeypatch.chdir(tmp_path)
    return lambda: log.read_text().splitlines() if log.exists() else []


MORE_COMMANDS = """
fit edges.tsv -o learned --quiet --method hyperbolic-cones --dim 2 --epochs 2 --run checkpoints
export model points.parquet
plot model -o picture.svg
reproduce table1 --split tree.tsv --methods order --dims 2 --seeds 1 --jobs 1 -o out
demo --source tree-2-3 -o demo
"""


def test_no_command_uses_the_network_and_most_need_only_the_six_dependencies(guarded, tmp_path):
    assert 0 < len(DEPENDENCIES) <= 6
    names, owners = closure_of(DEPENDENCIES), metadata.packages_distributions().items()
    allowed = [module for module, owned in owners if names & {canonicalize_name(name) for name in owned}]
    exports = [["export", "model", f"points.{kind}"] for kind in ("tsv", "npz")]
    # The last is the control: a picture needs a package that is not declared.
    without_extras = [*BASE_COMMANDS, *exports, ["plot", "model", "-o", "picture.svg"]]
    tree = load_dataset("tree-3-4")
    write_released_split([tree.split(50)], tree, tmp_path / "tree.tsv")
    with_extras = list(map(str.split, MORE_COMMANDS.strip().splitlines()))
    assert {arguments[0] for arguments in without_extras + with_extras} == set(COMMANDS) - {"serve", "warm"}
    done = _python(RUN_ALL, json.dumps([*allowed, "hypercone", "__main__"]), json.dumps(without_extras))
    assert json.loads(done.stdout.splitlines()[-1]) == [0] * (len(without_extras) - 1) + [1], done.stderr
    assert done.stderr.splitlines()[-1].startswith("hypercone: pictures need matplotlib, which is not installed")
    assert "poodle is a (by the graph): animal, dog" in done.stdout
    done = _python(RUN_ALL, "[]", json.dumps(with_extras))
    assert json.loads(done.stdout.splitlines()[-1]) == [0] * len(with_extras), done.stderr
    assert guarded() == []


def test_a_fit_and_a_query_work_without_any_network(tmp_path, monkeypatch):
    alone = ["unshare", "--map-root-user", "--net"]
    if not shutil.which("unshare") or subprocess.run([*alone, "true"], capture_output=True, check=False).returncode:
        pytest.skip("users of this machine cannot create a network namespace")
    (tmp_path / "edges.tsv").write_text(EDGES)
    monkeypatch.chdir(tmp_path)
    commands = [command for command in BASE_COMMANDS if command[0] in ("fit", "query")]
    done = _python(RUN_ALL, "[]", json.dumps(commands), inside=alone)
    assert done.returncode == 0, done.stderr
    assert "poodle is a (by the graph): animal, dog" in done.stdout
    # The control: not even this machine itself can be reached.
    connect = "import socket; socket.create_connection(('127.0.0.1', 9), 1)"
    assert "Network is unreachable" in _python(connect, inside=alone).stderr


@pytest.mark.parametrize(
    ("attempt", "event"),
    [
        ("import socket; socket.create_connection(('192.0.2.1', 9), 1)", "socket.getaddrinfo"),
        ("import socket; socket.socket().connect(('192.0.2.1', 9))", "socket.__new__"),
        ("import urllib.request; urllib.request.urlopen('http://192.0.2.1/', timeout=1)", "urllib.Request"),
        ("import http.client; http.client.HTTPConnection('192.0.2.1', timeout=1).connect()", "http.client.connect"),
        ("import subprocess, sys; subprocess.run([sys.executable, '-c', 'import socket; socket.socket()'])", "socket."),
    ],
)
def test_an_attempt_is_refused_and_logged(guarded, attempt, event):
    done = _python(attempt)
    assert "reaches for the network" in done.stderr
    assert guarded()[0].startswith(event)


def test_the_service_listens_and_connects_to_nothing(guarded, monkeypatch):
    hypercone.fit(hypercone.read("edges.tsv")).save("model")
    monkeypatch.setenv("MAY_LISTEN", "1")
    program = "import sys; from hypercone.cli.main import main; sys.exit(main())"
    command = [sys.executable, "-c", program, "serve", "model", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        try:
            said = next(line for line in server.stdout if "http://" in line)
            url = said[said.index("http://") :].split()[0].rstrip(".,;/")
            while _status(url + "/readyz") == 503:
                time.sleep(0.05)
            assert [_status(url + path) for path in ("/", "/openapi.json", "/v1/models")] == [200] * 3
        finally:
            server.send_signal(signal.SIGTERM)
    assert guarded() == []
    # The control: a process that may listen may still not connect.
    assert "reaches for the network" in _python("import socket; socket.socket().connect(('192.0.2.1', 9))").stderr
    assert guarded()[0].startswith("socket.connect")


def _status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def _python(code: str, *arguments: str, inside: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    command = [*inside, sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


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
                chosen = [entry for entry in entries if not entry.marker or entry.marker.evaluate(environment)]
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


def test_built_packages_contain_the_package_and_both_licenses_or_what_pyproject_lists(tmp_path):
    command = [sys.executable, "-c", BUILD, str(tmp_path)]
    subprocess.run(command, capture_output=True, text=True, check=True, cwd=PROJECT, timeout=300)
    (path,) = tmp_path.glob("*.whl")
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
    (path,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = [PurePosixPath(*PurePosixPath(member.name).parts[1:]) for member in archive if member.isfile()]
    listed = SETTINGS["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    added = {"pyproject.toml", "PKG-INFO", ".gitignore"}
    assert {f"/{name.parts[0]}" for name in names if name.name not in added} == set(listed)
    assert not [name for name in names if "__pycache__" in name.parts or "node_modules" in name.parts]


SCRIPT = runpy.run_path(str(PROJECT / "scripts" / "make_sbom.py"))
BILL = json.loads(SCRIPT["TARGET"].read_text(encoding="utf-8"))


class TestBillOfMaterials:
    def test_it_is_up_to_date_and_the_release_notes_name_it(self):
        def without_licenses(one):
            parts = [{key: value for key, value in part.items() if key != "licenses"} for part in one["components"]]
            return {**one, "components": parts, "serialNumber": None}

        # Another Python may have another version installed, with another license text.
        assert without_licenses(BILL) == without_licenses(SCRIPT["bill"]()), "run python scripts/make_sbom.py"
        for component in BILL["components"]:
            if component["type"] == "library" and metadata.version(component["name"]) == component["version"]:
                assert component["licenses"] == [{"expression": SCRIPT["license_of"](component["name"])}]
        assert f"docs/releases/{SCRIPT['TARGET'].name}" in (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8")

    def test_it_lists_exactly_the_runtime_dependencies_and_the_included_data_with_their_hashes(self):
        known = {(entry.name, str(entry.version)): set(entry.hashes) for entry in LOCKED}
        libraries = [part for part in BILL["components"] if part["type"] == "library"]
        assert {part["name"] for part in libraries} == closure_of(DEPENDENCIES)
        for part in libraries:
            found = {f"sha256:{each['content']}" for each in part["hashes"]}
            assert found == known[part["name"], part["version"]]
        (wordnet,) = [part for part in BILL["components"] if part["type"] == "data"]
        data = PROJECT / "src" / "hypercone" / "data"
        digest = hashlib.sha256((data / "wordnet-nouns.tsv.xz").read_bytes()).hexdigest()
        assert wordnet["hashes"][0]["content"] == digest
        assert wordnet["licenses"][0]["license"]["text"]["content"] == (data / "WORDNET-LICENSE.txt").read_text()

    def test_it_is_valid_cyclonedx_1_6(self):
        """The fields that the schema requires, and its patterns for the others that are present."""
        assert (BILL["bomFormat"], BILL["specVersion"], BILL["version"]) == ("CycloneDX", "1.6", 1)
        assert BILL["serialNumber"] == f"urn:uuid:{uuid.UUID(BILL['serialNumber'].removeprefix('urn:uuid:'))}"
        components = [BILL["metadata"]["component"], *BILL["components"]]
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
        for entry in BILL["dependencies"]:
            assert {entry["ref"], *entry["dependsOn"]} <= set(refs)
        assert {entry["ref"] for entry in BILL["dependencies"]} | {"data:wordnet-3.0-nouns"} == set(refs)
