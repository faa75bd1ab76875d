"""evaluate, query, place, suggest and compare on saved models, through the command line."""

from __future__ import annotations

import io

import numpy as np
import pytest

import hypercone
from hypercone.embedding import Embedding
from hypercone.evaluation import all_pairs, hard_pairs, kind_of
from hypercone.methods import Settings
from hypercone.queries import answer, in_words


def test_hard_pairs_in_json_are_those_of_the_library(run, model):
    found = run("evaluate", model, "--hard", "--json").json
    expected = hypercone.evaluation.hard_pairs(hypercone.load(model))
    assert found["hard_f1"] == expected.f1
    assert found["hard_negatives"] == sum(found[f"hard_{kind}_pairs"] for kind in expected.kinds)
    for kind, figures in expected.kinds.items():
        assert (found[f"hard_{kind}_called"], found[f"hard_{kind}_rate"]) == (figures.called, figures.rate)
    assert {name: found[name] for name in ("kind", "closure_aware")} == kind_of(hypercone.load(model)).as_dict()
    sampled = run("evaluate", model, "--hard", "--sample", 5, "--seed", 1, "--json").json
    assert sampled["hard_f1"] == hard_pairs(hypercone.load(model), sample=5, seed=1).f1
    assert sampled["hard_positives"] == 5


def test_hard_pairs_are_printed_one_value_per_line(run, model):
    done = run("evaluate", model, "--hard", "--group-by", "parents", "--references")
    assert (done.code, done.err) == (0, "")
    lines = dict(line.split("  ", 1) for line in done.out.splitlines())
    assert lines["hard symbolic f1"].strip() == "100.00 %"
    assert lines["hard one parent"].strip().endswith("true pairs")
    assert lines["closure aware"].strip() in {"yes", "no"}
    assert "hard parents siblings rate" in lines


@pytest.mark.parametrize("by", ["depth", "parents"])
def test_groups_of_all_pairs_and_hard_pairs_are_those_of_the_library(run, model, by):
    found = run(
        "evaluate", model, "--all-pairs", "--hard", "--group-by", by, "--threshold", 0.1, "--seed", 2, "--json"
    ).json
    embedding = hypercone.load(model)
    assert found[f"all_pairs_by_{by}"] == all_pairs(embedding, threshold=0.1, group_by=by).as_dict()["groups"]
    assert found[f"hard_by_{by}"] == hard_pairs(embedding, threshold=0.1, seed=2, group_by=by).as_dict()["groups"]
    groups = found[f"all_pairs_by_{by}"].values()
    assert sum(group["false_positives"] for group in groups) == found["all_pairs_false_positives"]


def test_each_depth_has_its_line(run, model):
    out = run("evaluate", model, "--all-pairs", "--group-by", "depth").out
    assert [line.split("  ")[0] for line in out.splitlines() if " depth " in line] == [
        f"all pairs depth {depth}" for depth in range(5)
    ]


def test_references_add_the_baselines_to_the_metrics(run, tmp_path, quick):
    run("split", "tree-3-4", "--percent", "25", "-o", tmp_path / "s")
    run("fit", "tree-3-4", "--split", tmp_path / "s", "-o", tmp_path / "m", *quick, "--quiet")
    given = ("evaluate", tmp_path / "m", "--split", tmp_path / "s", "--all-pairs", "--json")
    found = run(*given, "--references").json
    assert (found["symbolic_f1"], found["all_pairs_symbolic_f1"]) == (1.0, 1.0)
    assert 0 < found["all_pairs_trivial_f1"] < 1
    assert 0 < found["trivial_f1"] < 1
    assert found["closure_aware"] is False
    without = run(*given).json
    assert without == {name: value for name, value in found.items() if "symbolic" not in name and "trivial" not in name}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--group-by", "depth"), "say what to evaluate on"),
        (("--group-by", "mood", "--hard"), "invalid choice: 'mood'"),
        (("--group-by",), "expected one argument"),
        (("--references",), "--references needs --all-pairs, --hard or --split"),
        (("--hard", "--sample", "0"), "sample is 0, but must be at least 1"),
        (("--hard", "--sample", "many"), "invalid int value: 'many'"),
        (("--hard", "--seed", "-1"), "seed is -1, but must be at least 0"),
        (("--hard", "--threshold", "nan"), "--threshold is nan"),
        (("--all-pairs", "--group-by", "parents", "--threshold", "inf"), "--threshold is inf"),
    ],
)
def test_a_bad_option_of_evaluate_is_refused_in_one_sentence(run, model, arguments, words):
    done = run("evaluate", model, *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("hypercone: ")
    assert words in done.err
    assert done.err.count("\n") == 1


def test_evaluating_a_model_without_edges_is_refused(run, model, tmp_path):
    embedding = hypercone.load(model)
    bare = hypercone.Embedding(embedding.names, embedding.points, embedding.method, embedding.settings, 0.0)
    bare.save(tmp_path / "bare")
    for option in ("--hard", "--all-pairs"):
        done = run("evaluate", tmp_path / "bare", option)
        assert done.code == 2
        assert "the model does not know its edges" in done.err


def test_a_record_with_an_unknown_kind_is_refused(run, model, tmp_path):
    embedding = hypercone.load(model)
    embedding.record["kind"] = "dreamed"
    embedding.save(tmp_path / "odd")
    done = run("evaluate", tmp_path / "odd", "--hard")
    assert (done.code, done.out) == (2, "")
    assert "its kind is 'dreamed'" in done.err


def test_long_prints_a_table_with_depth_and_margin(run, model):
    done = run("query", model, "ancestors", "poodle", "--long")
    lines = done.out.splitlines()
    assert lines[1].split() == ["depth", "margin", "name"]
    assert [line.split()[0] for line in lines[2:]] == ["0", "1"]


def test_a_file_of_names_asks_about_every_line(run, model, tmp_path):
    file = tmp_path / "asked.txt"
    file.write_text("poodle\tdog\n\ndog\tpoodle\r\n", encoding="utf-8")
    embedding = hypercone.load(model)
    sentences = [in_words(answer(embedding, "is-a", pair)) for pair in (["poodle", "dog"], ["dog", "poodle"])]
    assert run("query", model, "is-a", "--names", file).out.splitlines() == sentences
    found = run("query", model, "is-a", "--names", file, "--json").json
    assert (found["is_a"], list(found)) == ([True, False], ["threshold", "is_a", "energies"])
    file.write_text("Löwe\nhot dog\n", encoding="utf-8")
    single = [answer(embedding, "parents", [name]).as_dict() for name in ("Löwe", "hot dog")]
    assert run("query", model, "parents", "--names", file, "--json").json == {"results": single}


def test_names_come_from_standard_input_too(run, model, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"poodle\tsiamese\ndog\tcat\thot dog\n")))
    found = run("query", model, "lca", "--names", "-", "--json").json["results"]
    assert [[item["name"] for item in each["graph"]] for each in found] == [["animal"], ["animal"]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("dog\tanimal\n\npodle\tdog\n", "asked.txt:3: there is no node 'podle'; did you mean poodle"),
        ("dog\tanimal\ndog\n", "asked.txt:2: is-a takes CHILD PARENT, but was given 1 name: dog"),
        (
            "dog\tanimal\ncat\tdog\tanimal\n",
            "asked.txt:2: is-a takes CHILD PARENT, but was given 3 names: cat dog animal",
        ),
        ("", "asked.txt: is empty; it should hold one question per line"),
        ("dog\tanimal\ndog\t\n", "asked.txt:2: there is no node ''"),
    ],
)
def test_a_bad_line_is_refused_with_file_line_and_value(run, model, tmp_path, content, message):
    file = tmp_path / "asked.txt"
    file.write_text(content)
    for more in ((), ("--json",)):
        done = run("query", model, "is-a", "--names", file, *more)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
        assert message in done.err


def test_names_come_either_from_the_command_line_or_from_a_file(run, model, tmp_path):
    both = run("query", model, "parents", "dog", "--names", tmp_path / "asked.txt")
    assert (both.code, both.out) == (2, "")
    assert "names were given on the command line (dog) and by --names; leave out either" in both.err
    none = run("query", model, "parents")
    assert (none.code, "parents takes NAME, but was given no name" in none.err) == (2, True)
    missing = run("query", model, "parents", "--names", tmp_path / "nowhere")
    assert (missing.code, "there is no such file" in missing.err) == (2, True)


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


def test_place_adds_a_node_to_a_new_model_and_prints_its_ancestors(run, model, tmp_path):
    done = run("place", model, "husky", "--parent", "dog", "--label", "Husky", "-o", tmp_path / "larger")
    assert done.out == f"husky is a: animal, dog\nmodel: {tmp_path / 'larger'}\n"
    larger = hypercone.load(tmp_path / "larger")
    assert larger.ancestors("husky") == ["animal", "dog"]
    assert larger.display_name(10) == "Husky"
    assert len(hypercone.load(model)) == 10


def test_place_reads_many_from_a_file_with_new_parents_among_them(run, model, tmp_path):
    (tmp_path / "new.tsv").write_text("parent\tchild\nhusky\tsled dog\ndog\thusky\n")
    found = run("place", model, "--edges", tmp_path / "new.tsv", "-o", tmp_path / "larger", "--json").json
    assert (found["model"], found["nodes"]) == (str(tmp_path / "larger"), 12)
    assert [node["name"] for node in found["placed"]] == ["husky", "sled dog"]
    assert found["placed"][1]["ancestors"] == ["animal", "dog", "husky"]
    assert [found["placed"][1][wish] for wish in ("missed", "unwanted")] == [[], []]


def test_place_prints_missed_ancestors(run, model, tmp_path):
    asked = ("place", model, "catdog", "--parent", "dog", "--parent", "cat", "-o", tmp_path / "larger")
    found = run(*asked, "--json").json["placed"][0]
    assert sorted({*found["ancestors"], *found["missed"]}) == ["animal", "cat", "dog"]
    said = run(*asked).out
    assert ("but should be a: " in said) == bool(found["missed"])


def test_place_prints_a_limited_number_of_nodes(run, model, tmp_path):
    (tmp_path / "new.tsv").write_text("parent\tchild\n" + "".join(f"animal\tn{i}\n" for i in range(23)))
    said = run("place", model, "--edges", tmp_path / "new.tsv", "-o", tmp_path / "larger").out
    assert "and 3 new nodes more; see --json\n" in said


def test_bad_input_to_place_is_one_sentence_and_writes_nothing(run, model, tmp_path):
    (tmp_path / "old.tsv").write_text("parent\tchild\nanimal\tnew\nanimal\tdog\n")
    (tmp_path / "strange.tsv").write_text("parent\tchild\nanimal\tnew\ndgo\thusky\n")
    (tmp_path / "empty.tsv").write_text("parent\tchild\n")
    give = "give the name of one new node with --parent, or a file of many with --edges"
    for arguments, sentence in {
        (): give,
        ("husky", "--edges", tmp_path / "old.tsv"): give,
        ("husky",): "'husky' has no --parent; give at least one, to say where it belongs",
        ("dog", "--parent", "animal"): "'dog' is already in the model; give the new node another name",
        ("husky", "--parent", "dgo"): "there is no node 'dgo'; did you mean dog?",
        ("--edges", tmp_path / "old.tsv", "--label", "x"): (
            "--parent, --not-under and --label are for one new node, not for --edges; leave them out"
        ),
        ("--edges", tmp_path / "old.tsv"): (
            f"{tmp_path / 'old.tsv'}:3: 'dog' is already in the model; only new nodes can be placed"
        ),
        ("--edges", tmp_path / "strange.tsv"): f"{tmp_path / 'strange.tsv'}:3: there is no node 'dgo'; did you mean",
        ("--edges", tmp_path / "empty.tsv"): f"{tmp_path / 'empty.tsv'}: has no edges, so there is nothing to place",
    }.items():
        done = run("place", model, *arguments, "-o", tmp_path / "larger")
        assert done.code == 2
        assert done.out == ""
        assert done.err.startswith(f"hypercone: {sentence}")
        assert not (tmp_path / "larger").exists()


def test_suggest_prints_both_lists(run, model):
    done = run("suggest", model, "--count", 3)
    assert done.code == 0, done.err
    assert done.out.startswith("Likely missing, the best ")
    assert "\nLikely wrong, the worst " in done.out


def test_suggest_as_json_has_what_was_asked_for(run, model, taxonomy):
    found = run("suggest", model, "--count", 2, "--json").json
    assert len(found["missing"]) <= 2
    assert found == run("suggest", model, "--count", 2, "--json", "--hierarchy", taxonomy).json


def test_suggest_check_prints_the_precision(run, taxonomy, quick, tmp_path):
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


def test_suggest_check_needs_a_model_made_by_a_fit(run, tmp_path):
    points = np.array([[0.5, 0.0], [0.9, 0.0]])
    edges = np.array([[0, 1]], np.int32)
    Embedding(["a", "b"], points, "hyperbolic-cones", Settings(), 0.0, edges=edges).save(tmp_path / "made")
    done = run("suggest", tmp_path / "made", "--check")
    assert done.code == 2
    assert "was not made by a fit" in done.err
