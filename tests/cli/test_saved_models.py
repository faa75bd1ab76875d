"""evaluate, query, place, suggest and compare on saved models, through the command line."""

from __future__ import annotations

from dataclasses import replace

import pytest

import hypercone
from hypercone.evaluation import all_pairs, hard_pairs, kind_of


@pytest.mark.parametrize("by", [None, "depth", "parents"])
def test_the_figures_of_all_pairs_and_hard_pairs_are_those_of_the_library(run, model, by):
    embedding, given = hypercone.load(model), ("--threshold", 0.1, "--sample", 5, "--seed", 2)
    grouped = () if by is None else ("--group-by", by)
    found = run("evaluate", model, "--all-pairs", "--hard", *given, *grouped, "--json").json
    whole = all_pairs(embedding, threshold=0.1, group_by=by).as_dict()
    hard = hard_pairs(embedding, threshold=0.1, sample=5, seed=2, group_by=by)
    assert found.get(f"all_pairs_by_{by}") == whole.get("groups")
    assert found.get(f"hard_by_{by}") == hard.as_dict().get("groups")
    assert found["all_pairs_false_positives"] == whole["false_positives"]
    assert (found["hard_f1"], found["hard_positives"], found["hard_negatives"]) == (hard.f1, 5, hard.negatives)
    for kind, figures in hard.kinds.items():
        names = [f"hard_{kind}_{name}" for name in ("pairs", "called", "rate")]
        assert [found[name] for name in names] == [figures.pairs, figures.called, figures.rate]
    assert {name: found[name] for name in ("kind", "closure_aware")} == kind_of(embedding).as_dict()


def test_the_figures_of_evaluate_are_printed_one_value_per_line(run, model):
    done = run("evaluate", model, "--hard", "--group-by", "parents", "--references")
    assert (done.code, done.err) == (0, "")
    lines = dict(line.split("  ", 1) for line in done.out.splitlines())
    assert lines["hard symbolic f1"].strip() == "100.00 %"
    assert lines["hard one parent"].strip().endswith("true pairs")
    assert lines["closure aware"].strip() in {"yes", "no"}
    assert "hard parents siblings rate" in lines
    out = run("evaluate", model, "--all-pairs", "--group-by", "depth").out
    depths = [line.split("  ")[0] for line in out.splitlines() if " depth " in line]
    assert depths == [f"all pairs depth {depth}" for depth in range(5)]


def test_a_model_without_edges_or_with_an_unknown_kind_is_not_evaluated(run, model, tmp_path):
    embedding = hypercone.load(model)
    replace(embedding, edges=None).save(tmp_path / "bare")
    replace(embedding, record=embedding.record | {"kind": "dreamed"}).save(tmp_path / "odd")
    no_edges = "the model does not know its edges"
    for name, option, words in [
        ("bare", "--hard", no_edges),
        ("bare", "--all-pairs", no_edges),
        ("bare", "--quiet", f"{no_edges}; say what to evaluate on: --split"),
        ("odd", "--hard", "its kind is 'dreamed'"),
    ]:
        done = run("evaluate", tmp_path / name, option)
        assert (done.code, done.out, words in done.err) == (2, "", True)


def test_the_default_limits_are_50_in_words_and_those_of_http_in_json(run, tmp_path):
    wide = hypercone.Hierarchy.from_pairs([("top", f"leaf {number}") for number in range(60)])
    folder = hypercone.fit(wide, dim=2).save(tmp_path / "wide")
    lists = (("children", "children", 60), ("nearest", "nearest", 10), ("search", "matches", 10))
    for question, listed, many in lists:
        asked = "leaf" if question == "search" else "top"
        found = run("query", folder, question, asked, "--json").json
        assert (len(found[listed]), found["count"]) == (many, 60)
        assert run("query", folder, question, asked).out.count("leaf ") in (50, 51)
        assert len(run("query", folder, question, asked, "--json", "--limit", 0).json[listed]) == 60


def test_place_writes_a_new_model_and_prints_missed_ancestors(run, model, tmp_path):
    asked = ("place", model, "catdog", "--parent", "dog", "--parent", "cat", "--label", "Catdog", "-o", tmp_path / "l")
    found = run(*asked, "--json").json["placed"][0]
    assert sorted({*found["ancestors"], *found["missed"]}) == ["animal", "cat", "dog"]
    assert ("but should be a: " in run(*asked).out) == bool(found["missed"])
    larger = hypercone.load(tmp_path / "l")
    assert (larger.ancestors("catdog", by="geometry"), found["by"]) == (found["ancestors"], "geometry")
    assert larger.ancestors("catdog") == ["animal", "dog", "cat"]
    assert (larger.display_name(10), len(hypercone.load(model))) == ("Catdog", 10)


def test_place_reads_many_from_a_file_and_prints_a_limited_number(run, model, tmp_path):
    new = "parent\tchild\nhusky\tsled dog\ndog\thusky\n"
    (tmp_path / "new.tsv").write_text(new + "".join(f"animal\tn{i}\n" for i in range(21)))
    given = ("place", model, "--edges", tmp_path / "new.tsv", "-o", tmp_path / "larger")
    found = run(*given, "--json").json
    assert (found["model"], found["nodes"]) == (str(tmp_path / "larger"), 33)
    (sled_dog,) = [node for node in found["placed"] if node["name"] == "sled dog"]
    assert [sled_dog[name] for name in ("ancestors", "missed", "unwanted")] == [["animal", "dog", "husky"], [], []]
    assert "and 3 new nodes more; see --json\n" in run(*given).out


def test_suggest_as_json_has_what_was_asked_for(run, model, taxonomy):
    found = run("suggest", model, "--count", 2, "--json").json
    assert len(found["missing"]) <= 2
    assert found == run("suggest", model, "--count", 2, "--json", "--hierarchy", taxonomy).json


def test_suggest_says_that_a_constructed_model_only_repeats_its_edges(run, model, taxonomy, tmp_path):
    assert run("fit", taxonomy, "-o", tmp_path / "m", "--quiet").code == 0
    assert "this model was constructed and repeats the edges" in run("suggest", tmp_path / "m").err
    assert run("suggest", model).err == ""


def test_suggest_check_needs_a_model_made_by_a_fit(run, taxonomy, quick, tmp_path):
    folder = tmp_path / "made"
    assert run("fit", taxonomy, "-o", folder, "--quiet", *quick).code == 0
    assert set(run("suggest", folder, "--check", "--json", "--quiet").json) == {"missing", "wrong"}
    replace(hypercone.load(folder), record={}).save(folder)
    done = run("suggest", folder, "--check")
    assert (done.code, "was not made by a fit" in done.err) == (2, True)


def test_compare_shows_where_two_models_disagree(run, model, taxonomy, quick, tmp_path):
    assert run("fit", taxonomy, "-o", tmp_path / "hasty", "--quiet", "--method", "order", *quick[2:]).code == 0
    given = ("compare", model, tmp_path / "hasty", "--sample", 0)
    found, done = run(*given, "--json").json, run(*given)
    pairs = [*found["only_first"], *found["only_second"]]
    assert pairs
    assert "\nOnly " in done.out
    assert all(f"  {pair['child']} is a" in done.out for pair in pairs)
    done = run("compare", model, model)
    assert "They share 10 nodes, of which all were asked for their ancestors." in done.out
    assert "agree to 100.0 %" in done.out
    assert "Only" not in done.out
