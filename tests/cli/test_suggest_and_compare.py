"""Suggesting links and comparing models from the command line."""

from __future__ import annotations

import numpy as np

from hypercone.embedding import Embedding
from hypercone.methods import Settings


def test_suggest_prints_both_lists(run, model):
    done = run("suggest", model, "--count", 3)
    assert done.code == 0, done.err
    assert done.out.startswith("Likely missing, the best ")
    assert "\nLikely wrong, the worst " in done.out


def test_suggest_as_json_has_what_was_asked_for(run, model, taxonomy):
    found = run("suggest", model, "--count", 2, "--json").json
    assert len(found["missing"]) <= 2
    assert found == run("suggest", model, "--count", 2, "--json", "--hierarchy", taxonomy).json


def test_suggest_can_be_checked(run, taxonomy, quick, tmp_path):
    assert run("fit", taxonomy, "-o", tmp_path / "m", "--quiet", *quick).code == 0
    found = run("suggest", tmp_path / "m", "--check", "--json", "--quiet").json
    assert set(found) == {"missing", "wrong"}
    done = run("suggest", tmp_path / "m", "--check", "--quiet")
    assert "missing links: 1 hidden" in done.out
    assert "right if nothing is ranked" in done.out


def test_suggest_says_that_a_constructed_model_only_repeats_its_edges(run, model, taxonomy, tmp_path):
    assert run("fit", taxonomy, "-o", tmp_path / "m", "--quiet").code == 0
    assert "this model was constructed and repeats the edges" in run("suggest", tmp_path / "m").err
    assert run("suggest", model).err == ""


def test_suggest_refuses_nodes_that_the_model_does_not_know(run, model, tmp_path):
    (tmp_path / "other.tsv").write_text("parent\tchild\nanimal\tunicorn\n")
    done = run("suggest", model, "--hierarchy", tmp_path / "other.tsv")
    assert (done.code, done.out) == (2, "")
    assert "no node 'unicorn'" in done.err
    assert run("suggest", model, "--count", 0).code == 2


def test_compare_of_a_model_with_itself_is_full_agreement(run, model):
    found = run("compare", model, model, "--json").json
    assert found["agreement"] == found["neighbor_overlap"] == 1.0
    done = run("compare", model, model)
    assert "They share 10 nodes, of which all were asked for their ancestors." in done.out
    assert "agree to 100.0 %" in done.out
    assert "Only" not in done.out


def test_compare_shows_where_two_models_disagree(run, model, taxonomy, quick, tmp_path):
    assert run("fit", taxonomy, "-o", tmp_path / "hasty", "--quiet", "--method", "order", *quick[2:]).code == 0
    found = run("compare", model, tmp_path / "hasty", "--sample", 0, "--json").json
    done = run("compare", model, tmp_path / "hasty", "--sample", 0)
    assert ("\nOnly " in done.out) == bool(found["only_first"] or found["only_second"])
    for pair in found["only_first"]:
        assert f"  {pair['child_label']} is a" in done.out
    assert run("compare", model, tmp_path / "hasty", "--sample", -1).code == 2
    assert run("compare", model, tmp_path / "no-such").code == 3


def test_a_model_that_no_fit_has_made_cannot_be_fitted_again(run, tmp_path):
    points = np.array([[0.5, 0.0], [0.9, 0.0]])
    edges = np.array([[0, 1]], np.int32)
    Embedding(["a", "b"], points, "hyperbolic-cones", Settings(), 0.0, edges=edges).save(tmp_path / "made")
    done = run("suggest", tmp_path / "made", "--check")
    assert done.code == 2
    assert "was not made by a fit" in done.err
