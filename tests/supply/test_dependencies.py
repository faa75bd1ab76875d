"""Few dependencies at run time, no hidden ones, and a lock file that names every byte that development installs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import metadata

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

AT_MOST = 6
PYTHONS = ("3.11", "3.12", "3.13")

# All of these must work in an environment that has nothing but the declared dependencies.
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


def test_there_are_at_most_six_dependencies_at_run_time(settings):
    assert 0 < len(settings["project"]["dependencies"]) <= AT_MOST


def test_everything_but_pictures_tables_and_the_service_works_with_the_declared_dependencies_alone(
    settings, closure, tmp_path, base_commands
):
    (tmp_path / "edges.tsv").write_text("parent\tchild\nanimal\tdog\nanimal\tcat\ndog\tpoodle\n")
    exports = [["export", "model", f"points.{kind}"] for kind in ("tsv", "npz")]
    # The last is the control: a picture does need what is not declared.
    commands = [*base_commands, *exports, ["plot", "model", "-o", "picture.svg"]]
    allowed = modules_of(closure(settings["project"]["dependencies"]))
    command = [sys.executable, "-c", WITHOUT_EXTRAS, json.dumps(sorted(allowed)), json.dumps(commands)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, timeout=300)
    assert json.loads(done.stdout.splitlines()[-1]) == [0] * (len(commands) - 1) + [1], done.stderr
    assert done.stderr.splitlines()[-1].startswith("hypercone: pictures need matplotlib, which is not installed")


def modules_of(names: set[str]) -> set[str]:
    """The top-level modules of these distributions."""
    owners = metadata.packages_distributions()
    return {module for module, owned in owners.items() if names & {canonicalize_name(name) for name in owned}}


def test_the_lock_file_has_hashes_for_everything_and_names_no_place(lock_text, locked):
    assert len(locked) == len(re.findall(r"^[^\s#]", lock_text, re.M))
    for entry in locked:
        assert entry.hashes, entry.name
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", digest) for digest in entry.hashes), entry.name
    assert not re.search(r"://|--index|--find-links|--extra|@ ", lock_text)


def test_the_lock_file_satisfies_every_requirement_on_every_python(settings, locked):
    project = settings["project"]
    wanted = [*project["dependencies"], *settings["build-system"]["requires"]]
    wanted += [text for extra in project["optional-dependencies"].values() for text in extra]
    for requirement in map(Requirement, wanted):
        entries = [entry for entry in locked if entry.name == canonicalize_name(requirement.name)]
        for python in PYTHONS:
            environment = {"python_version": python, "python_full_version": f"{python}.0", "sys_platform": "linux"}
            chosen = [entry for entry in entries if entry.marker is None or entry.marker.evaluate(environment)]
            assert len(chosen) == 1, f"{requirement} on Python {python}: run make lock"
            assert requirement.specifier.contains(chosen[0].version), f"{requirement}: run make lock"


def test_the_lock_file_covers_what_the_requirements_need_in_turn(settings, locked, closure):
    project = settings["project"]
    everything = closure([*project["dependencies"], *project["optional-dependencies"]["dev"], "editables", "hatchling"])
    assert len(everything) > 50
    assert not everything - {entry.name for entry in locked}, "run make lock"


def test_make_install_takes_nothing_that_the_lock_file_does_not_name(project):
    makefile = (project / "Makefile").read_text(encoding="utf-8")
    rule = re.search(r"^\$\(INSTALLED\):.*\n((?:\t.*\n)+)", makefile, re.M)[1]
    installs = [line for line in rule.splitlines() if " install " in line]
    assert len(installs) == 2
    assert "--require-hashes --no-deps --requirement $(LOCK)" in installs[0]
    assert "--no-build-isolation --no-deps --editable ." in installs[1]
