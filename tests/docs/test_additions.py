"""The diffs of the architecture page apply to the tree as it is, and what they add works through every interface.

Where one no longer applies, refresh it: ``patch -p1 < docs/explanation/diffs/NAME.diff``, mend what is left, then
``git add -N . && git diff -U1 -- src tests > docs/explanation/diffs/NAME.diff``, and take the change back.
"""

import json
import os
import shutil
import subprocess
import sys

import pytest

ANIMALS = [("animal", "bird"), ("animal", "mammal"), ("bird", "owl"), ("mammal", "dog"), ("dog", "poodle")]
LIMITS = {"method": 150, "format": 60, "question": 60, "command": 60}
FIT_GAUSSIAN = """
import hypercone
fitted = hypercone.fit("tree-2-3", "gaussian", dim=2, epochs=20)
fitted.save("model")
loaded = hypercone.load("model")
assert loaded.method == "gaussian" and (loaded.points == fitted.points).all()
assert hypercone.evaluation.reconstruction(loaded).mean_rank < 4
"""
ASK_OVER_HTTP = """
import asyncio, httpx, hypercone
from hypercone.service import Service
async def ask():
    service = Service({"animals": hypercone.load("model")})
    service.get_ready()
    async with httpx.AsyncClient(transport=httpx.ASGITransport(service), base_url="http://localhost") as client:
        return (await client.get("/v1/leaves", params={"name": "mammal"})).json()
print([leaf["name"] for leaf in asyncio.run(ask())["leaves"]])
"""


@pytest.fixture
def copy(request, project):
    """A folder for a copy of the sources: the same one every time, so that kernels are compiled once."""
    folder = request.config.cache.mkdir("additions") / request.node.name
    shutil.rmtree(folder, ignore_errors=True)
    for part in ("src", "tests"):
        shutil.copytree(project / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(project / "pyproject.toml", folder)
    (folder / "animals.tsv").write_text("parent\tchild\n" + "".join(f"{p}\t{c}\n" for p, c in ANIMALS))
    return folder


@pytest.fixture
def add(copy, project):
    """Applies a diff to the copy; what it returns runs Python there."""

    def run(*arguments):
        environment = os.environ | {"PYTHONPATH": str(copy / "src")}
        command = [sys.executable, *arguments]
        done = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, text=True, check=False, timeout=300
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def apply(name):
        subprocess.run(["git", "init", "--quiet", copy], check=True)
        diff = project / "docs" / "explanation" / "diffs" / f"add-a-{name}.diff"
        done = subprocess.run(["git", "apply", diff], cwd=copy, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{done.stderr}; the docstring of this file says how to refresh the diff"
        return run

    return apply


@pytest.mark.parametrize("name", LIMITS)
def test_a_diff_is_short_and_shown_on_the_page(name, project, text_of):
    diff = (project / "docs" / "explanation" / "diffs" / f"add-a-{name}.diff").read_text(encoding="utf-8")
    assert len(diff.splitlines()) <= LIMITS[name]
    assert f"diffs/add-a-{name}.diff" in text_of("docs/explanation/architecture.md")


def test_a_new_method_is_fitted_and_passes_the_contract_tests(add):
    run = add("method")
    run("-c", FIT_GAUSSIAN)
    tests = run("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/methods", "-k", "gaussian")
    assert int(tests.split(" passed")[0].split()[-1]) > 50


def test_a_new_format_is_read_and_its_errors_have_a_line(add, copy):
    run = add("format")
    edges = [json.dumps({"parent": parent, "child": child}) for parent, child in ANIMALS]
    (copy / "animals.jsonl").write_text("\n".join(edges))
    (copy / "bad.jsonl").write_text(f"{edges[0]}\n[]\n")
    found = run("-c", "import hypercone; print(hypercone.read('animals.jsonl').ancestors('poodle'))")
    assert found.strip() == "['animal', 'mammal', 'dog']"
    assert '"nodes": 6' in run("-m", "hypercone.cli.main", "info", "animals.jsonl", "--json")
    refused = "from hypercone.cli.main import main; assert main(['info', 'bad.jsonl']) == 2"
    assert "bad.jsonl:2: " in run("-c", f"import sys; sys.stderr = sys.stdout; {refused}")


def test_a_new_question_is_answered_in_python_in_the_shell_and_over_http(add):
    run = add("question")
    run("-m", "hypercone.cli.main", "fit", "animals.tsv", "-o", "model", "--quiet")
    code = "from hypercone import load, queries; print(queries.answer(load('model'), 'leaves', ['animal']).count)"
    assert run("-c", code).strip() == "2"
    shown = run("-m", "hypercone.cli.main", "query", "model", "leaves", "animal")
    assert sorted(shown.removeprefix("animal has the leaves (by the graph): ").strip().split(", ")) == ["owl", "poodle"]
    assert run("-c", ASK_OVER_HTTP).strip() == "['poodle']"


def test_a_new_command_runs_and_explains_itself(add):
    run = add("command")
    shown = run("-m", "hypercone.cli.main", "tree", "animals.tsv", "--depth", "1", "--quiet")
    assert shown.split("\n")[:3] == ["animal", "  bird", "  mammal"]
    assert json.loads(run("-m", "hypercone.cli.main", "tree", "animals.tsv", "--json"))["outline"][-1]["depth"] == 3
    assert "hypercone tree go.obo" in run("-m", "hypercone.cli.main", "tree", "--help")
