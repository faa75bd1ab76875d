"""The notebooks of the documentation run as they are, and print what is stored in them.

With ``HYPERCONE_RECORD_NOTEBOOKS=1`` in the environment, the outputs are stored again.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
IS_RECORDING = os.environ.get("HYPERCONE_RECORD_NOTEBOOKS") == "1"
# In a process of its own: the client of a kernel warns of things that are not ours.
EXECUTE = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=120, kernel_name="python3", record_timing=False).execute()
nbformat.write(notebook, sys.argv[1])
"""
TEMPORARY = re.compile(r"/\S*?/hypercone-\w+/")


def execute(path: Path, folder: Path) -> nbformat.NotebookNode:
    """The notebook with fresh outputs, executed in a copy of its folder."""
    copy = Path(shutil.copytree(FOLDER, folder / "notebooks")) / path.name
    done = subprocess.run(
        [sys.executable, "-c", EXECUTE, copy.name], cwd=copy.parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    notebook = nbformat.read(copy, as_version=4)
    for cell in notebook.cells:
        if "outputs" in cell:
            # A progress bar appears only where a step takes longer than two seconds.
            cell["outputs"] = [output for output in cell.outputs if not is_progress_bar(output)]
    for output in outputs_of(notebook):
        for kind, text in output.get("data", {}).items():
            if kind == "text/plain":
                output["data"][kind] = TEMPORARY.sub("/tmp/hypercone-page/", text)
    return notebook


def outputs_of(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [output for cell in notebook.cells for output in cell.get("outputs", ())]


def is_progress_bar(output: nbformat.NotebookNode) -> bool:
    return output.get("name") == "stderr" and output["text"].startswith("\r")


def comparable(output: nbformat.NotebookNode) -> dict:
    """Everything but what depends on the versions of matplotlib: the pixels of a picture."""
    data = {kind: None if kind == "image/png" else text for kind, text in output.get("data", {}).items()}
    return {"type": output["output_type"], "text": output.get("text"), "data": data}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_is_stored_in_it(path, tmp_path):
    found = execute(path, tmp_path)
    if IS_RECORDING:
        nbformat.write(found, path)
    stored = nbformat.read(path, as_version=4)
    nbformat.validate(stored)
    assert [cell.source for cell in stored.cells] == [cell.source for cell in found.cells]
    for cell, fresh in zip(stored.cells, found.cells, strict=True):
        outputs = cell.get("outputs", [])
        assert not any(output.get("name") == "stderr" for output in fresh.get("outputs", ())), fresh.outputs
        assert [*map(comparable, outputs)] == [*map(comparable, fresh.get("outputs", ()))], cell.source


def test_the_notebooks_show_cards_a_picture_once_and_the_explorer_inline():
    assert len(NOTEBOOKS) >= 2
    for path in NOTEBOOKS:
        shown = [output["data"] for output in outputs_of(nbformat.read(path, as_version=4)) if "data" in output]
        assert sum("<strong>Hierarchy</strong>" in data.get("text/html", "") for data in shown) >= 1
        assert sum("<strong>Embedding</strong>" in data.get("text/html", "") for data in shown) == 1
        assert sum("image/png" in data for data in shown) == 1
    (page,) = (data["text/html"] for data in shown_by("first-embedding") if "<iframe" in data.get("text/html", ""))
    assert page.startswith('<iframe srcdoc="&lt;!doctype html&gt;')


def shown_by(name: str) -> list[dict]:
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    return [output["data"] for output in outputs_of(notebook) if "data" in output]
