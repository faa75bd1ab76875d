"""hypercone plot: the picture asked for is where it says."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from hypercone.cli.show import KINDS
from hypercone.plotting import plot

SVG = "{http://www.w3.org/2000/svg}"


def groups(path, what):
    return [node for node in ElementTree.parse(path).iter() if (node.get("id") or "").startswith(what)]


def test_the_command_offers_the_kinds_there_are():
    assert tuple(plot.KINDS) == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_written_beside_and_named_after_the_model(run, model, tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    done = run("plot", model, "--kind", kind, "--json")
    assert done.json["file"] == f"{Path(model).name}-{kind}.svg"
    assert done.json["bytes"] == Path(done.json["file"]).stat().st_size > 5_000


def test_the_options_of_the_disk_reach_the_picture(run, model, tmp_path):
    target = tmp_path / "dogs.svg"
    done = run("plot", model, "-o", target, "--cones", "dog", "cat", "--labels", "2", "--center", "dog", "--dark")
    assert done.code == 0, done.err
    assert done.out.startswith("file ")
    assert len(groups(target, "cone")) == 2
    # The two cones are named, which is as many as were asked for.
    assert len(groups(target, "label")) == 2
    assert len(groups(target, "origin")) == 1
    assert "#0f1420" in target.read_text()


def test_names_and_cones_can_be_left_out_and_the_origin_kept(run, model, tmp_path):
    target = tmp_path / "bare.svg"
    assert run("plot", model, "-o", target, "--cones", "--labels", "--origin", "--color", "depth").code == 0
    assert not groups(target, "cone")
    assert not groups(target, "label")
    assert not groups(target, "origin")


def test_the_pairs_of_a_split_are_judged(run, model, tmp_path):
    (tmp_path / "test.tsv").write_text("parent\tchild\nanimal\tpoodle\n")
    (tmp_path / "test_negatives.tsv").write_text("parent\tchild\ncat\tpoodle\npoodle\tcat\n")
    target = tmp_path / "a.png"
    done = run("plot", model, "--kind", "precision-recall", "--split", tmp_path, "-o", target, "--json")
    assert done.json == {"file": str(target), "bytes": target.stat().st_size}
    assert target.read_bytes().startswith(b"\x89PNG")


def test_an_ending_that_is_no_picture_is_refused_before_the_model_is_read(run, tmp_path):
    done = run("plot", tmp_path / "no-such-model", "-o", tmp_path / "a.jpeg")
    assert done.code == 2
    assert done.err == "hypercone: a.jpeg: is not a picture format; end it in .svg, .png or .pdf\n"


def test_a_construction_has_no_training_curves(run, taxonomy, tmp_path):
    assert run("fit", taxonomy, "-o", tmp_path / "new", "--quiet").code == 0
    done = run("plot", tmp_path / "new", "--kind", "training", "-o", tmp_path / "a.svg")
    assert done.code == 2
    assert done.err.startswith("hypercone: this model was constructed, not trained")
    assert done.err.count("\n") == 1
    assert not (tmp_path / "a.svg").exists()
